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

#include "base/mem.h"

/* --- which format --- */

/* Without the blanks and quotes around it. */
static char *trimmed(char *s)
{
    s += strspn(s, " \t\"");
    for (size_t n = strlen(s); n && strchr(" \t\"", s[n - 1]);)
        s[--n] = '\0';
    return s;
}

/* The weight of a range; -1: the header does not name it, or another version than ours.  A weight
 * that cannot be read is 1, as none at all. */
static double quality(const char *accept, const char *range, const char *version)
{
    char *copy = mem_strdup(accept), *rest = copy, *piece, *name;
    double best = -1;

    while ((piece = strsep(&rest, ","))) {
        char *type = trimmed(strsep(&piece, ";"));
        double q = 1;
        bool ours = true;
        while ((name = strsep(&piece, ";"))) {
            char *value = name, *end = NULL;
            name = trimmed(strsep(&value, "="));
            value = value ? trimmed(value) : name + strlen(name);
            if (strcasecmp(name, "q") == 0) {
                q = strtod(value, &end);
                q = end == value || *end || !(q >= 0 && q <= 1) ? 1 : q;
            } else if (strcasecmp(name, "version") == 0) {
                ours = strcasecmp(value, version) == 0;
            }
        }
        if (ours && strcasecmp(type, range) == 0 && q > best)
            best = q;
    }
    free(copy);
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

const char *http_refuse_host(const char *host, const char *names)
{
    size_t len = host ? strcspn(host, ":") : 0;
    char v4[INET_ADDRSTRLEN];
    struct in_addr at;

    if (!host || *host == '[')
        return NULL;
    for (size_t n; *names; names += n + (names[n] == ',')) {
        n = strcspn(names, ",");
        if (n > 0 && n == len && strncasecmp(names, host, n) == 0)
            return NULL;
    }
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
