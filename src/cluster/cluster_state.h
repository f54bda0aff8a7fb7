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
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/err.h"
#include "cluster/clock.h"
#include "cluster/cluster.h"
#include "cluster/codec.h"
#include "cluster/mpi/protocol.h"

#define CLUSTER_CHUNK (64 << 10)

/* Types of frames of our own, below CLUSTER_TYPE_FIRST. */
enum frame_type {
    FRAME_PING = 1, /* a member: its time, and what it thinks of its clock */
    FRAME_PONG,     /* the leader: that time, and when the ping came and went back */
    FRAME_BYE,      /* nothing follows: this rank leaves */
    FRAME_HELLO,    /* from here on: how ranks meet */
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
    char *host, *name;
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
    TAILQ_HEAD(, frame) out;
    size_t queued;
    bool overrun;  /* too much waits */
    bool compared; /* its clock was, at the beginning */
    struct cluster_clock_figures figures;
};

/* Something that nobody has taken yet: a message, or type 0, a loss. */
struct event {
    TAILQ_ENTRY(event) entry;
    int from;
    unsigned type;
    size_t n;
    unsigned char bytes[];
};

struct cluster {
    int rank, size;
    char *host, *name;
    _Atomic dur_ns silence;
    struct peer *peer; /* of the leader: by rank, [0] unused; of a member: [0] alone */
    int epoll, wake;
    pthread_t thread;
    _Atomic bool leaving;
    unsigned char *buf; /* CLUSTER_CHUNK bytes: what is being received */
    const struct meet_trial *trial;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    TAILQ_HEAD(, event) inbox;
    size_t kept; /* bytes */

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

/* --- how ranks meet (handshake.c) ---
 *
 * Private to src/cluster: the messages by which ranks meet, as bytes and over non-blocking sockets,
 * and how each side proves that it knows the secret.
 *
 *     leader                                     member
 *     meet_listen(), accept
 *     HELLO    magic, protocol, nonce  ------>
 *              <------  JOIN     rank, size, host, nonce, boot id, HMAC(secret, ...)
 *     ACCEPT   the leader's host, HMAC  ------->   or REJECT with a sentence
 *     ... when all have come:  READY  ---------->
 *              <------  32 pings, then three each second
 *
 * The secret itself is never sent.  A proof is an HMAC over everything that the message says and
 * over the nonce of the other side, with a word in front that tells whose it is: so no message can
 * stand for another, and none can be used again.
 */

#define HANDSHAKE_PROTOCOL 3
#define HANDSHAKE_NONCE    32
#define HANDSHAKE_NAME     256
#define HANDSHAKE_LONGEST  2048 /* bytes of a payload */
#define HANDSHAKE_PLACE    80

struct handshake_join {
    int protocol, rank, size;
    char host[HANDSHAKE_NAME];
    char clock[HANDSHAKE_NAME]; /* the name of the clock that CLOCK_MONOTONIC is */
    unsigned char nonce[HANDSHAKE_NONCE];
};

struct handshake_accept {
    char host[HANDSHAKE_NAME]; /* the leader's */
    bool same_clock;
};

void handshake_nonce(unsigned char nonce[HANDSHAKE_NONCE]);
/* This host, and its clock: the same text means the same CLOCK_MONOTONIC; "": not known. */
void handshake_host(char out[HANDSHAKE_NAME]);
void handshake_clock(char out[HANDSHAKE_NAME]);

/* Keys for what leader and member send after the handshake: each knows both. */
void handshake_seal(struct frame_seal *leader, struct frame_seal *member, const char *secret,
                    const unsigned char leader_nonce[HANDSHAKE_NONCE],
                    const unsigned char member_nonce[HANDSHAKE_NONCE]);

void handshake_put_hello(struct str *p, const unsigned char nonce[HANDSHAKE_NONCE]);
bool handshake_get_hello(const struct str *s, unsigned char nonce[HANDSHAKE_NONCE]);
/* The reader returns false for what cannot be one; `right` tells whether the proof is. */
void handshake_put_join(struct str *p, const struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE]);
bool handshake_get_join(const struct str *s, struct handshake_join *j, const char *secret,
                        const unsigned char leader_nonce[HANDSHAKE_NONCE], bool *right);
void handshake_put_accept(struct str *p, const struct handshake_accept *a, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE]);
bool handshake_get_accept(const struct str *s, struct handshake_accept *a, const char *secret,
                          const unsigned char member_nonce[HANDSHAKE_NONCE]);

/* "10.0.0.7:4711", "[::1]:4711" */
void handshake_place(const struct sockaddr *a, socklen_t n, char out[HANDSHAKE_PLACE]);
/* No delay, and the kernel's probes of a connection that is silent. */
void handshake_prepare(int fd);
/* Sends a frame whole: the socket of a handshake has room.  False: it does not. */
bool handshake_send(int fd, unsigned type, const void *payload, size_t n);
/* Receives into `in`.  1: a frame is whole; 0: not yet; -1: the connection ended, errno tells why
 * (0: closed); -2: that is no frame. */
int handshake_receive(int fd, struct frame_in *in);
/* Waits until `fd` has one of the events of poll().  False: it was too late. */
bool handshake_wait(int fd, short events, mono_ns until);
/* For poll(): milliseconds until then, at least 0. */
int handshake_timeout(mono_ns until);

/* --- how ranks that mpirun or srun started find each other (mpirun.c) ---
 *
 * Private to src/cluster: how ranks that mpirun or srun started find each other.  MPI tells each
 * rank who it is, and carries one note from rank 0 to the others:
 *
 *     PORT SECRET ADDRESS ADDRESS...
 *
 * Then MPI is over, and the ranks meet over TCP as with --cluster=HOST:PORT.
 */

/* As cluster_join, for CLUSTER_MPI. */
int mpirun_join(struct cluster **out, const struct cluster_spec *s, struct err *e);

/* Which program has started this one as one rank of several.  Launchers say so in the environment
 * of each rank.  They differ in the names they use, and in which MPI library can talk to them. */
#define MPI_LIBRARIES 2
struct mpi_launcher {
    const char *name; /* for messages: "Open MPI's mpirun" */
    int rank, size;   /* size 0: it does not say */
    /* the libraries that can talk to it, the likelier one first; NULL: there is no second */
    const char *libraries[MPI_LIBRARIES];
};

/* False: no launcher has started this program. */
bool mpi_launcher_find(struct mpi_launcher *out);

/* Runs a program sysbench-mpi-LIBRARY (mpi/main.c), which calls MPI for us: gives it rank 0's note,
 * a line, or "" on the other ranks, and reads all that it says until it ends.  It ends with this
 * process, and when the time is over, so a rank that never comes costs a message and not a hang. */
#define MPI_SAID_MAX (2 * MPI_NOTE_MAX)
int mpi_program_run(const char *path, const char *note, char said[MPI_SAID_MAX], dur_ns timeout,
                    struct err *e);
/* Where the program for a library is installed: beside this one (in a build directory), in
 * ../libexec/sysbench from there (an installation that was moved), or in $(libexecdir)/sysbench.
 * False: nowhere. */
bool mpi_program_find(const char *library, char *path, size_t room);

/*
 * A guard: a process between the launcher and a rank, so that a rank that is killed does not end
 * the others.
 *
 * A launcher watches the processes that it has started.  When one of them is killed, or fails, it
 * ends all others: Open MPI's mpirun with SIGTERM, MPICH's mpiexec at once with SIGKILL and without
 * a report.  But a benchmark goes on without the share of the rank that was lost, and rank 0
 * reports it.  So the process that the launcher knows does nothing but wait, and what it has
 * started goes on as sysbench:
 *
 *     mpirun -- sysbench (guard) -- sysbench (the rank)
 *
 * Signals are passed on.  The rank ends when its guard is killed.  Once the ranks have met, the
 * guard of a member ends with status 0 whatever became of the rank, so the launcher's exit status
 * is that of rank 0, who knows of all failures.
 */
struct guard {
    int rank;
    bool linger;      /* the launcher kills all ranks as soon as one has gone */
    _Atomic int *met; /* shared by both processes; NULL: there is no guard */
};

/* Returns in the process that goes on; while the program has one thread.  With more there is no
 * guard. */
int guard_start(struct guard *g, struct err *e);
/* The ranks have met. */
void guard_met(struct guard *g);

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
/* With the lock held: a frame for that peer; `urgent`: before everything that has not begun to
 * leave.  -1: the peer is lost, or will be: too much waits for it, be it messages or answers to its
 * pings. */
int queue_add(struct peer *p, bool urgent, unsigned type, const void *bytes, size_t n);
void queue_clear(struct peer *p);

#endif
