/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the process at the other end of a TCP connection on this machine.  /proc/net/tcp and tcp6
 * map the connection's two addresses to the inode of a socket; /proc/PID/fd shows which process has
 * that socket open.  Both are full scans (a few ms), so several connections are looked up at once.
 * Private to src/telemetry
 *
 * All addresses are IPv6, with IPv4 mapped: tcp6 lists the IPv4 clients of a server that listens on
 * ::.  No state; any thread may call.
 */
#ifndef SB_TELEMETRY_PROC_NET_H
#define SB_TELEMETRY_PROC_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct net_addr {
    unsigned char ip[16]; /* network order, ::ffff:a.b.c.d for IPv4 */
    uint16_t port;
};

/* False: neither IPv4 nor IPv6. */
bool net_addr_from(struct net_addr *a, const struct sockaddr_storage *from);
bool net_addr_equal(const struct net_addr *a, const struct net_addr *b);
bool net_addr_same_host(const struct net_addr *a, const struct net_addr *b);
bool net_addr_is_loopback(const struct net_addr *a);

enum { NET_ADDR_TEXT = 64 };

/* "10.0.0.5:3306", "[::1]:3306" */
const char *net_addr_text(const struct net_addr *a, char text[NET_ADDR_TEXT]);

/* A connection as its server sees it, and the results of the search. */
struct net_lookup {
    struct net_addr local, peer;
    bool listener_will_do; /* `local` is certainly on this host: the socket that listens there
                              suffices */
    uint64_t inode;        /* 0: no such socket on this machine */
    uid_t uid;             /* its owner */
    bool is_listener;
    pid_t pid; /* 0: no process found that holds it */
};

/* Fills inode, uid, is_listener of each.  0, or an errno value when the tables cannot be read. */
int net_find_sockets(int root_fd, struct net_lookup *l, size_t n);

/* Fills pid of those with an inode; *denied: some process could not be looked into. */
int net_find_owners(int root_fd, struct net_lookup *l, size_t n, bool *denied);

#endif
