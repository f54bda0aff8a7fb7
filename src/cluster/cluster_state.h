/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: what a cluster is made of.
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

#include "cluster/cluster.h"
#include "cluster/cluster_clock.h"
#include "cluster/frame.h"
#include "cluster/meet.h"
#include "cluster/skew.h"

#define CLUSTER_CHUNK (64 << 10)

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
    bool deaf;           /* sending failed; what it sent may still be read */
    bool blocked;        /* its socket is full */
    bool finished;       /* we have said everything */

    /* under the lock: frames on their way out */
    struct frame *first, *last;
    size_t queued;
    bool flooded; /* too much waits */
    bool settled; /* its clock was compared at the beginning */
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
static inline int cluster_first_peer(const struct cluster *c)
{
    return c->rank == 0 ? 1 : 0;
}

static inline int cluster_end_of_peers(const struct cluster *c)
{
    return c->rank == 0 ? c->size : 1;
}

#define FOR_PEERS(c, p)                                                                            \
    for (struct peer *p = cluster_peer(c, cluster_first_peer(c));                                  \
         p < (c)->peer + cluster_end_of_peers(c); p++)

/* star.c: peers have no connection yet; then fill in fd, host and same_clock of each */
struct cluster *cluster_new(const struct meet_terms *t, const char *host);
/* Closes and frees one that was not started. */
void cluster_drop(struct cluster *c);
/* The clocks of all ranks were compared?  Waits for it. */
int cluster_settle(struct cluster *c, mono_ns until, struct err *e);

/* link.c */
int link_start(struct cluster *c, struct err *e);
void link_wake(const struct cluster *c);

/* queue.c: with the lock held */
int queue_add(struct peer *p, unsigned type, const void *bytes, size_t n, bool latest);
/* Before everything that has not begun to leave. */
void queue_urgent(struct peer *p, unsigned type, const void *bytes, size_t n);
void queue_clear(struct peer *p);
/* queue.c, the link's thread, without the lock: sends what the socket takes */
void queue_send(struct cluster *c, struct peer *p);

/* inbox.c */
/* The link's thread: to the handler, or kept.  false: too much is kept. */
bool inbox_deliver(struct cluster *c, int from, unsigned type, const void *bytes, size_t n);
/* The link's thread: what was kept goes to the handler, if there is one now. */
void inbox_flush(struct cluster *c);
/* With the lock held; NULL: there is none.  free() it. */
struct event *inbox_take(struct cluster *c, int from, unsigned type);
void inbox_clear(struct cluster *c);

/* pings.c, the link's thread.  False: that is no ping or pong. */
bool pings_take(struct cluster *c, struct peer *p, mono_ns now);
/* A member: sends one when it is time; returns the time of the next. */
mono_ns pings_send(struct cluster *c, mono_ns now);

#endif
