/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Look-ups of host names that block neither a worker nor other names.  src/interpose explains how
 * the client libraries come here: getaddrinfo() and freeaddrinfo() of the program call these.
 *
 *     a client asks for a name -> a thread for that name calls the C library's getaddrinfo()
 *     other clients ask for it -> they wait for the same answer
 *     the answer comes         -> all of them go on with one list of addresses, which the last
 * frees
 *
 * A task parks while it waits, a thread sleeps.  Either is limited by sched_limit_waits().
 */
#ifndef SB_FIBER_RESOLVER_H
#define SB_FIBER_RESOLVER_H

#include <netdb.h>

#include "base/clock.h"

/* An answer also serves those that ask within this time after it came: thousands of clients that
 * connect one after another ask once per second.  A name server is then asked no less often than it
 * allows: no usual time to live is shorter.  Failures are not kept. */
#define RESOLVER_KEEPS NS_PER_SEC

/* As getaddrinfo(); EAI_FAIL when the limit of the caller's waits is reached first. */
int resolver_look_up(const char *node, const char *service, const struct addrinfo *hints,
                     struct addrinfo **out);

/* As freeaddrinfo(), for lists of either. */
void resolver_release(struct addrinfo *list);

/* For tests: what asks the name servers from now on; NULLs: the C library's. */
struct resolver_calls {
    int (*look_up)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void (*release)(struct addrinfo *);
};
void resolver_use(const struct resolver_calls *calls);

#endif
