/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http_request.h.  An Accept header is a list of ranges,
 * `type/subtype;parameter=value;q=0.5, ...`.
 */
#include "report/http_request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- which format --- */

/* A piece of the header, without the blanks around it. */
struct piece {
    const char *at;
    size_t len;
};

static struct piece trimmed(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct piece){at, (size_t)(end - at)};
}

static bool piece_equals(struct piece p, const char *text)
{
    return p.len == strlen(text) && strncasecmp(p.at, text, p.len) == 0;
}

/* Splits off the text before the next `separator`; separators within quotes do not count. */
static struct piece next_piece(const char **text, const char *end, char separator)
{
    const char *from = *text, *p = from;
    bool quoted = false;

    for (; p < end && (quoted || *p != separator); p++)
        if (*p == '"')
            quoted = !quoted;
    *text = p < end ? p + 1 : end;
    return trimmed(from, p);
}

/* The value of a parameter without its quotes. */
static struct piece unquoted(struct piece p)
{
    if (p.len >= 2 && p.at[0] == '"' && p.at[p.len - 1] == '"')
        return (struct piece){p.at + 1, p.len - 2};
    return p;
}

/* A weight that cannot be read is 1, as none at all. */
static double weight(struct piece value)
{
    char text[8], *end;
    double q;

    if (value.len == 0 || value.len >= sizeof text)
        return 1;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    q = strtod(text, &end);
    return *end || !(q >= 0 && q <= 1) ? 1 : q;
}

struct range {
    struct piece type;
    double q;
    bool other_version; /* one that we have not */
};

static struct range read_range(struct piece text, const char *our_version)
{
    const char *at = text.at, *end = text.at + text.len;
    struct range r = {.type = next_piece(&at, end, ';'), .q = 1};

    while (at < end) {
        struct piece parameter = next_piece(&at, end, ';');
        const char *eq = memchr(parameter.at, '=', parameter.len);
        struct piece name = trimmed(parameter.at, eq ? eq : parameter.at + parameter.len);
        struct piece value = {"", 0};
        if (eq)
            value = unquoted(trimmed(eq + 1, parameter.at + parameter.len));
        if (piece_equals(name, "q"))
            r.q = weight(value);
        else if (piece_equals(name, "version"))
            r.other_version = !piece_equals(value, our_version);
    }
    return r;
}

/* The weight of a range; -1: the header does not name it. */
static double quality(const char *accept, const char *range, const char *version)
{
    const char *end = accept + strlen(accept);
    double best = -1;

    while (accept < end) {
        struct range r = read_range(next_piece(&accept, end, ','), version);
        if (piece_equals(r.type, range) && !r.other_version && r.q > best)
            best = r.q;
    }
    return best;
}

bool http_wants_openmetrics(const char *accept)
{
    double openmetrics, plain;

    if (!accept)
        return false;
    openmetrics = quality(accept, "application/openmetrics-text", "1.0.0");
    plain = quality(accept, "text/plain", "0.0.4");
    if (plain < 0)
        plain = quality(accept, "text/*", "");
    if (plain < 0)
        plain = quality(accept, "*/*", "");
    return openmetrics > 0 && openmetrics >= plain;
}

/* --- who asks --- */

static bool is_listed(const char *name, size_t len, const char *names)
{
    for (size_t n; *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",");
        if (n > 0 && n == len && strncasecmp(names, name, n) == 0)
            return true;
    }
    return false;
}

const char *http_refuse_host(const char *host, const char *names)
{
    size_t len = host ? strcspn(host, ":") : 0;
    char v4[INET_ADDRSTRLEN];
    struct in_addr at;

    if (!host || *host == '[' || is_listed(host, len, names))
        return NULL;
    snprintf(v4, sizeof v4, "%.*s", (int)len, host);
    if (len < sizeof v4 && inet_pton(AF_INET, v4, &at) == 1)
        return NULL;
    return "the Host of the request is not known here: use an IP address or localhost, or add the "
           "name, as in --metrics-listen=ADDRESS,NAME";
}

const char *http_refuse_mark(const struct http_origin *o)
{
    static const char scheme[] = "http://";

    if (!o->loopback)
        return "marks are accepted on a loopback address only: use --mark-on, or a tunnel such as "
               "ssh -L";
    if (!o->host || !o->origin || strncasecmp(o->origin, scheme, sizeof scheme - 1) != 0 ||
        strcasecmp(o->origin + sizeof scheme - 1, o->host) != 0)
        return "the Origin of the request is not this host";
    if (o->fetch_site && strcmp(o->fetch_site, "same-origin") != 0)
        return "the request comes from another site";
    return NULL;
}
