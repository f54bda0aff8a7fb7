/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http_origin.h.
 */
#include "report/http_origin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
