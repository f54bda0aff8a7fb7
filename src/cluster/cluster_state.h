/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: what a cluster is made of, and what its files offer each other.
 *
 *     any thread         cluster_send() -> queue -.            .-> inbox -> cluster_await()
 *     the link's thread                            > socket ->
 *                        handler <- inbox_deliver '
 *
 * `lock` protects the queues, the inbox and the figures, for a moment each; `delivery` is held
 * while the handler is called.  Whoever takes both takes `delivery` first.  Only the link's thread
 * touches the rest of a peer.
 */
#ifndef SB_CLUSTER_CLUSTER_STATE_H
#define SB_CLUSTER_CLUSTER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cluster/clock.h"
#include "cluster/cluster.h"
#include "cluster/codec.h"

#define CLUSTER_CHUNK (64 << 10)

/* Types of frames of our own, below CLUSTER_TYPE_FIRST. */
enum frame_type {
    FRAME_PING = 1, /* a member: its time, and what it thinks of its clock */
    FRAME_PONG,     /* the leader: that time, and when the ping came and went back */
    FRAME_BYE,      /* nothing follows: this rank leaves */
    FRAME_HELLO,    /* from here on: see handshake.h */
    FRAME_JOIN,
    FRAME_ACCEPT,
    FRAME_REJECT,
    FRAME_READY,
};

/* For tests on one host: the leader's clock as its answers show it. */
struct meet_trial {
    dur_ns ahead;
    double drift; /* since `from` */
    mono_ns from;
};

/* A rank at the other end of a connection. */
struct peer {
    int rank, fd; /* -1: lost, or there is no connection to it */
    char *host;
    bool same_clock;
    _Atomic bool alive;
    char why[128]; /* it was lost; constant once `alive` is false */

    struct frame_in in;
    struct frame_seal seal; /* of what we send */
    mono_ns heard;
    mono_ns last_chance; /* 0: it has not been silent for too long */
    bool bye;            /* it said that it leaves */
    bool peer_closed;    /* sending failed; what it sent may still be read */
    bool blocked;        /* its socket is full */
    bool finished;       /* we have sent everything */

    /* under the lock: frames on their way out */
    struct frame *first, *last;
    size_t queued;
    bool overrun;  /* too much waits */
    bool compared; /* its clock was, at the beginning */
    struct cluster_clock_figures figures;
};

/* Something that nobody has taken yet: a message, or type 0, a loss. */
struct event {
    struct event *next;
    int from;
    unsigned type;
    size_t n;
    unsigned char bytes[];
};

struct cluster {
    int rank, size;
    char *host;
    _Atomic dur_ns silence;
    struct peer *peer; /* of the leader: by rank, [0] unused; of a member: [0] alone */
    int epoll, wake;
    pthread_t thread;
    _Atomic bool leaving;
    unsigned char *buf; /* CLUSTER_CHUNK bytes: what is being received */
    const struct meet_trial *trial;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct event *first, *last; /* the inbox */
    size_t kept;                /* bytes */

    pthread_mutex_t delivery;
    bool handled;
    struct cluster_handler handler;

    /* a member's, on the link's thread */
    struct skew skew;
    int burst; /* pings that are still to be sent without a pause */
    mono_ns next_ping;
    int again; /* pings of this second that are still to be sent */
    _Atomic(struct cluster_clock *) clock;
};

static inline struct peer *cluster_peer(const struct cluster *c, int rank)
{
    return &c->peer[rank];
}

/* The peers of this rank: all but itself, or the leader. */
#define FOR_PEERS(c, p)                                                                            \
    for (struct peer *p = (c)->peer + ((c)->rank == 0 ? 1 : 0);                                    \
         p < (c)->peer + ((c)->rank == 0 ? (c)->size : 1); p++)

/* meet.c: a descriptor that listens on all addresses of this host, IPv6 and IPv4; "0" is any port.
 * port_out: the port, may be NULL. */
int meet_listen(const char *port, unsigned *port_out, struct err *e);
/* The leader: waits until all members have come.  Closes the descriptor in any case. */
int meet_lead(int listener, const struct cluster_spec *t, struct cluster **out, struct err *e);
/* A member: tries the leader's names or addresses in turn until the time is over. */
int meet_join(const char *const *hosts, size_t n, const char *port, const struct cluster_spec *t,
              struct cluster **out, struct err *e);

/* cluster_state.c: peers have no connection yet; then fill in fd, host and same_clock of each */
struct cluster *cluster_new(const struct cluster_spec *t, const char *host);
/* Closes and frees one that was not started. */
void cluster_drop(struct cluster *c);
/* Starts the link and waits until the clocks of all ranks were compared.  -1: frees it, too. */
int cluster_start(struct cluster *c, dur_ns timeout, struct err *e);
/* The link's thread: to the handler, or kept.  false: too much is kept. */
bool inbox_deliver(struct cluster *c, int from, unsigned type, const void *bytes, size_t n);
/* The link's thread: what was kept goes to the handler, if there is one now. */
void inbox_flush(struct cluster *c);

/* link.c */
int link_start(struct cluster *c, struct err *e);
void link_wake(const struct cluster *c);
/* A frame of the link itself, which is in p->in.  False: it is none, or cannot be read. */
bool link_take(struct cluster *c, struct peer *p, mono_ns now);
/* With the lock held: a frame for that peer; -1: it is lost. */
int queue_add(struct peer *p, unsigned type, const void *bytes, size_t n);
/* Before everything that has not begun to leave. */
void queue_urgent(struct peer *p, unsigned type, const void *bytes, size_t n);
void queue_clear(struct peer *p);

#endif
