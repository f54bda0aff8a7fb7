/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http_request.h.  An Accept header is a list of ranges,
 * `type/subtype;parameter=value;q=0.5, ...`.
 */
#include "report/http_request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- which format --- */

/* The first of the two that the list names, as all collectors write it: the one they like best. */
bool http_wants_openmetrics(const char *accept)
{
    static const char open[] = "application/openmetrics-text", plain[] = "text/plain";

    for (size_t n; accept && *accept; accept += n + (accept[n] == ',')) {
        char range[256];
        accept += strspn(accept, " \t");
        n = strcspn(accept, ",");
        snprintf(range, sizeof range, "%.*s", (int)(n < sizeof range ? n : sizeof range - 1),
                 accept);
        const char *version = strcasestr(range, "version=");
        if (strncasecmp(range, plain, sizeof plain - 1) == 0)
            return false;
        if (strncasecmp(range, open, sizeof open - 1) == 0 &&
            strchr("; \t", range[sizeof open - 1]) &&
            (!version || strncmp(version + 8 + (version[8] == '"'), "1.0.0", 5) == 0))
            return true;
    }
    return false;
}

/* --- who asks --- */

/* The library takes "Host : x" for a header named "Host ", and adds a folded line to the name. */
static bool is_header(const char *name, const char *value)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

    while (*value == '\t' || (unsigned char)*value >= ' ')
        value++;
    return *name && !name[strspn(name, token)] && !*value;
}

void http_origin_add(struct http_origin *o, const char *name, const char *value)
{
    const char **const member[] = {&o->host, &o->origin, &o->fetch_site};
    static const char *const names[] = {"Host", "Origin", "Sec-Fetch-Site"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) != 0)
            continue;
        if (*member[i])
            o->bad = "the request has more than one Host, Origin or Sec-Fetch-Site";
        *member[i] = value;
    }
    if (!is_header(name, value))
        o->bad = "the request has a malformed header";
}

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
