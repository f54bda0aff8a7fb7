/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: how ranks meet over TCP.
 *
 *     leader                                     member
 *     meet_listen(), accept
 *     HELLO    magic, protocol, nonce  ------>
 *              <------  JOIN     rank, size, host, nonce, boot id, HMAC(secret, ...)
 *     WELCOME  rank's host, HMAC  ------------>   or REFUSE with a sentence
 *     ... when all have come:  READY  ---------->
 *              <------  32 pings, then one each second
 *
 * The secret itself is never sent.  Each side proves that it knows it by an HMAC over both nonces,
 * so that nothing can be replayed.  A connection that says anything else, says it too slowly or
 * comes twice is refused with a sentence on the leader's standard error, and the meeting goes on.
 */
#ifndef SB_CLUSTER_MEET_H
#define SB_CLUSTER_MEET_H

#include <stddef.h>

#include "cluster/cluster.h"

/* For tests on one host: the leader's clock as its answers show it. */
struct meet_trial {
    dur_ns ahead;
    double drift; /* since `from` */
    mono_ns from;
};

struct meet_terms {
    int rank, size;
    const char *secret;
    dur_ns timeout, silence;
    const struct meet_trial *trial; /* NULL: the clock is as it is */
};

/* A descriptor that listens on all addresses of this host, IPv6 and IPv4; "0" is any port.
 * port_out: the port, may be NULL. */
int meet_listen(const char *port, unsigned *port_out, struct err *e);

/* The leader: waits until all members have come.  Closes the descriptor in any case. */
int meet_lead(int listener, const struct meet_terms *t, struct cluster **out, struct err *e);

/* A member: tries the leader's names or addresses in turn until the time is over. */
int meet_join(const char *const *hosts, size_t n, const char *port, const struct meet_terms *t,
              struct cluster **out, struct err *e);

#endif
