/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See http_origin.h.
 */
#include "report/http_origin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "localhost", "127.0.0.1" or "[::1]", with or without a port. */
static bool is_loopback(const char *host)
{
    size_t n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    struct in_addr v4;
    char name[64];

    if (n >= sizeof name || strlen(host) < n || (host[n] && host[n] != ':'))
        return false;
    if (host[n] && host[n + 1 + strspn(host + n + 1, "0123456789")])
        return false;
    snprintf(name, sizeof name, "%.*s", (int)n, host);
    if (inet_pton(AF_INET, name, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0;
}

const char *http_refuse_mark(const struct http_origin *o)
{
    static const char scheme[] = "http://";

    if (!o->loopback)
        return "marks are accepted on a loopback address only: use --mark-on, or a tunnel such as "
               "ssh -L";
    if (!o->host || !is_loopback(o->host))
        return "the Host of the request is not a loopback address";
    if (!o->origin || strncasecmp(o->origin, scheme, sizeof scheme - 1) != 0 ||
        strcasecmp(o->origin + sizeof scheme - 1, o->host) != 0)
        return "the Origin of the request is not this host";
    if (o->fetch_site && strcmp(o->fetch_site, "same-origin") != 0)
        return "the request comes from another site";
    return NULL;
}
