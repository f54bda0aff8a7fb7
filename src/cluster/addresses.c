/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See addresses.h.  Link-local addresses of IPv6 are left out: they mean nothing without the name
 * of an interface of the host that connects.
 */
#include "cluster/addresses.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>

static bool is_link_local(const struct sockaddr *a)
{
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static int add_one(struct str *out, const struct sockaddr *a)
{
    socklen_t n =
        a->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    char host[64];

    if (is_link_local(a) || getnameinfo(a, n, host, sizeof host, NULL, 0, NI_NUMERICHOST))
        return 0;
    str_printf(out, " %s", host);
    return 1;
}

static int add_all(struct str *out, const struct ifaddrs *list, int family, bool loopback, int most)
{
    int found = 0;

    for (const struct ifaddrs *i = list; i && found < most; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == family && i->ifa_flags & IFF_UP &&
            !(i->ifa_flags & IFF_LOOPBACK) == !loopback)
            found += add_one(out, i->ifa_addr);
    return found;
}

int addresses_add(struct str *out, struct err *e)
{
    struct ifaddrs *list;
    int found = 0;

    if (getifaddrs(&list))
        return err_sys(e, errno, "cannot list the addresses of this host");
    for (int loopback = 0; loopback < 2 && !found; loopback++) {
        found = add_all(out, list, AF_INET, loopback, ADDRESSES_MOST);
        found += add_all(out, list, AF_INET6, loopback, ADDRESSES_MOST - found);
    }
    freeifaddrs(list);
    return found ? 0 : err_set(e, ERR_FAILED, "this host has no address that others can reach");
}
