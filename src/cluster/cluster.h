/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ranks of one benchmark and the messages between them.  A rank is one sysbench process with a
 * share of the load; rank 0 is the leader, the others are members.  The connections form a star:
 * members talk to the leader only.
 *
 *     cluster_send(c, 0, MY_READING, p, n);                           a member, any thread
 *     cluster_await(c, 2, MY_HELLO, clock_mono() + NS_PER_SEC, &text, e);    before and after a run
 *     cluster_handle(c, &(struct cluster_handler){run, message, lost});      during a run
 *
 * One thread per rank serves the connections and calls the handler.  It sleeps in epoll; a rank
 * that has nothing to say sends three pings of some 40 bytes each second.  A rank is lost when
 * its connection is closed or a frame of it is damaged, when nothing came from it for
 * --cluster=silence seconds, or when too much waits for it to read (CLUSTER_QUEUE_MAX).  A lost
 * rank never comes back.
 *
 * Message types from CLUSTER_TYPE_FIRST on belong to the callers; the link keeps those below to
 * itself.  A payload is made and read with codec.h and begins with a version of its own.
 */
#ifndef SB_CLUSTER_CLUSTER_H
#define SB_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

#define CLUSTER_TYPE_FIRST 16u
#define CLUSTER_TYPE_LAST  255u
#define CLUSTER_FRAME_MAX  ((16u << 20) - 1) /* bytes of a payload */
#define CLUSTER_QUEUE_MAX  (64u << 20)       /* bytes that wait for one rank to read */
#define CLUSTER_RANKS_MAX  1000

struct cluster;

/* --- the options --cluster*, and the meeting of the ranks --- */

#define CLUSTER_SECRET_VARIABLE "SYSBENCH_CLUSTER_SECRET"
#define CLUSTER_PORT            8

enum cluster_way {
    CLUSTER_OFF, /* alone */
    CLUSTER_TCP, /* --cluster=HOST:PORT */
    CLUSTER_MPI,
};

struct cluster_spec {
    enum cluster_way way;
    /* of the leader; CLUSTER_MPI: --cluster=address, either may be "" */
    char host[256], port[CLUSTER_PORT];
    int rank, size; /* CLUSTER_MPI: the size is 0, the rank what the launcher says */
    dur_ns timeout, silence;
    const char *secret; /* the environment's; NULL: none */
    bool asked;         /* --cluster=mpi was given; false: the environment is one of MPI */
    const struct meet_trial *trial; /* for tests: another clock; NULL: it is as it is */
};

struct opts;

void cluster_options(struct opts *o);
/* Once, before anything is opened. */
int cluster_options_read(struct cluster_spec *s, const struct opts *o, struct err *e);
/* Of a command line that was refused, with the defaults for what cannot be read: CLUSTER_MPI, if
 * MPI has started this program as one of several ranks, and CLUSTER_OFF for everything else. */
void cluster_options_guess(struct cluster_spec *s, const struct opts *o);
/* The ranks have met, so the secret is needed no more: takes it out of the environment, which
 * programs that are started later inherit.  While the program has one thread that looks there. */
void cluster_options_forget(struct cluster_spec *s);

/* Connects to the other ranks, for at most --cluster=timeout seconds.  A rank that joined has a
 * connection, knows that the other side knows the secret, and has compared the clocks.  *out is
 * NULL when the program is alone (CLUSTER_OFF, or one rank). */
int cluster_join(struct cluster **out, const struct cluster_spec *s, struct err *e);

/* The libraries that --cluster=mpi was built for, as "Open MPI 4.1.4, MPICH 4.0.2", or "no". */
const char *cluster_mpi_libraries(void);

/* --- a cluster whose ranks have met --- */

/* Both are called on the link's thread, one at a time, and must not block. */
struct cluster_handler {
    void *arg;
    void (*message)(void *arg, int from, unsigned type, const void *p, size_t n);
    void (*lost)(void *arg, int rank, const char *why); /* once per rank; a member's: rank 0 */
};

struct cluster_clock_figures {
    dur_ns offset;      /* the leader's clock minus the rank's, now */
    dur_ns uncertainty; /* the true offset is within +- this of it */
    double drift_ppm;   /* how much faster the leader's clock is; 0 until it is known */
    dur_ns round_trip;  /* the shortest one of the last minutes */
    unsigned samples;
    bool same_clock; /* both are one clock: offset, uncertainty and drift are 0 */
};

int cluster_rank(const struct cluster *c);
int cluster_size(const struct cluster *c);
/* A member knows itself and rank 0.  For messages: "rank 2 (load2)". */
const char *cluster_host(const struct cluster *c, int rank);
const char *cluster_name(const struct cluster *c, int rank);

/* A clock that shows the leader's CLOCK_MONOTONIC: continuous, never backwards.  NULL where no
 * other clock is needed: on the leader, and where both read the same one.  The cluster owns it. */
struct clock *cluster_clock(struct cluster *c);

/* The leader: of any rank; a member: its own.  False: not known. */
bool cluster_clock_figures(struct cluster *c, int rank, struct cluster_clock_figures *out);

/* From now on, messages and losses go to the handler, those that came before first.  NULL: they are
 * kept again; no call of the old handler is under way when this returns.  Not from a handler. */
void cluster_handle(struct cluster *c, const struct cluster_handler *h);

/* Copies the payload, never blocks; any thread.  -1: that rank is lost. */
int cluster_send(struct cluster *c, int to, unsigned type, const void *p, size_t n);

/* Waits for a message of that rank and type and takes it; others are kept.  While no handler is
 * set.  `until` is an instant of this host's CLOCK_MONOTONIC.  -1: the rank is lost (ERR_FAILED)
 * or it took too long (ERR_TIMEOUT). */
int cluster_await(struct cluster *c, int from, unsigned type, mono_ns until, struct str *out,
                  struct err *e);

/* Whether it is not lost; true of oneself. */
bool cluster_alive(const struct cluster *c, int rank);

/* Sends what waits, at most for some seconds, closes and frees.  NULL: nothing. */
void cluster_leave(struct cluster *c);

#endif
