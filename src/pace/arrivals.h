/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When the k-th transaction should begin: a pure function of rate, shape and seed, in ns after the
 * start line.  No clock, no threads, no queue: even arrivals are k/R, computed (never summed), so
 * they do not drift; Poisson arrivals are the running sum of exponential gaps -ln(1-u)/R; `aligned`
 * is the schedule of the steady-rate patch of 2009 (see docs/rate.md); a jitter moves every planned
 * start by a uniform draw in [-J/2, +J/2), and mirrors at the start line those that would come
 * before it (clamping them would begin every run with a burst of R*J/8 when the window is wide).
 *
 * aligned_note: the patch gave each of n clients the period P = round(n*1e9/R) ns.  As one list for
 * the whole program: a first round staggered by P/n, arrival i at i*P/n, exactly; then all n
 * arrivals of a round together, at 2P, 3P, ... (P is skipped, which keeps the count right in the
 * long run), each moved within its own window of J, by default P/10.  The list is in order of the
 * instants without jitter; start j of client i is arrival j*n + i, and no other client may take it
 * (see below).
 *
 * struct arrivals is one cursor over one schedule.  Two cursors with the same parameters walk the
 * same schedule: the ticket counter uses one to issue starts and one to count those due.  A cursor
 * belongs to one thread at a time; it may be copied by assignment.
 *
 * A rate that changes (rates.h) stretches time: an even arrival is where the integral of the rate
 * reaches k, a Poisson one where it reaches a sum of gaps at a rate of 1.
 *
 * Instants beyond 146 years are ARRIVALS_FAR, so that adding a jitter or a start time never
 * overflows.
 */
#ifndef SB_PACE_ARRIVALS_H
#define SB_PACE_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"
#include "pace/rates.h"
#include "pace/share.h"

#define ARRIVALS_FAR RATES_FAR

enum arrival_shape { ARRIVAL_EVEN, ARRIVAL_POISSON, ARRIVAL_ALIGNED };

struct arrivals_spec {
    enum arrival_shape shape;
    double rate;   /* transactions per second, finite and > 0 */
    dur_ns jitter; /* width J of the window, 0 .. ARRIVALS_FAR; 0 = none (aligned: a tenth of a
                      client's period) */
    int clients;   /* aligned only: n > 0 */
    uint64_t seed;
    /* NULL: `rate`, always, and exactly; even arrivals need it, aligned ones have none */
    const struct rates *rates;
};

struct arrivals {
    struct arrivals_spec spec;
    uint64_t k; /* index of the next arrival */
    /* its planned start without jitter; Poisson: the whole ns of the running sum ... */
    dur_ns next;
    double fraction; /* ... and the fraction of a ns, so that hours of gaps add up without loss */
    rate_pos sum;    /* Poisson: the same at a rate of 1, as a position */
    struct rng gaps;
};

void arrivals_init(struct arrivals *a, const struct arrivals_spec *spec);

/* Planned start of arrival a->k in ns after t0, jitter included; advances the cursor. */
dur_ns arrivals_next(struct arrivals *a);

/* Where the integral of the rate is at the next arrival: not in time but in arrivals. */
rate_pos arrivals_pos(const struct arrivals *a);

/* The width of the window in effect: the spec's, or aligned's default. */
dur_ns arrivals_jitter_window(const struct arrivals_spec *spec);

/* The jitter of arrival k, in [-J/2, +J/2): a function of (seed, k) alone, so any thread may
 * compute it. 0 in aligned's first round. */
dur_ns arrivals_jitter(const struct arrivals_spec *spec, uint64_t k);

/* Aligned shape only: planned start of arrival k without jitter. */
dur_ns arrivals_aligned(const struct arrivals_spec *spec, uint64_t k);

/* --- changes of the rate while it is in use ---
 *
 * A change says: from `at` on the rate is constant.  The changes form a list, the latest one first,
 * in front of the schedule that the run began with.
 *
 * change_note: a start that lay before `at` stays where it was, because a client may have begun it.
 * All others move: start k lies where the integral reaches its position, and the integral goes on
 * from where it stood at `at`.  Positions are in RATE_ONE-ths: k for even arrivals, a sum of
 * exponential draws for Poisson's, so each start keeps its place in the order.  At `at` the
 * integral is known to the rounding of the schedule before it; so of starts within one of it, their
 * own instants decide.
 *
 * A change never changes but for `end`, and lives as long as the schedule: no reader needs a lock.
 */

struct rate_change {
    const struct rate_change *before; /* NULL: the schedule that the run began with */
    dur_ns at;                        /* later than that of `before` */
    rate_pos base;                    /* the integral there */
    uint64_t micro;                   /* the rate, in millionths */
    uint64_t due;                     /* even arrivals: starts before `at` */
    dur_ns end; /* of the schedule, for jitter; with a limit of arrivals known late */
};

/* Where the schedule puts a start without jitter: `first` is where it was before all changes. */
dur_ns rate_change_start(const struct rate_change *c, dur_ns first, rate_pos pos);

/* The integral at t >= c->at, and the even starts at or before it. */
rate_pos rate_change_pos(const struct rate_change *c, dur_ns t);
uint64_t rate_change_due(const struct rate_change *c, dur_ns t);

/* --- arrivals in the order of their planned starts ---
 *
 * A jitter wider than the gap
 * lets a later arrival overtake an earlier one; in the order of the schedule, a client would sleep
 * for the one while the time of the other passes, and this program would cause the lateness.
 *
 * queue_note: an arrival moves by at most `half` (half the jitter's window), so nothing that is
 * still in the cursor can begin before cursor - half.  All that lies before that instant is on a
 * heap, and the heap's top is the next planned start.  Without jitter the cursor is the order.
 *
 * end_note: a schedule with a limit ends where the first arrival beyond the limit would be.  For
 * even arrivals that is computed; for the other shapes a second cursor runs half a window ahead, so
 * that the end is known before the first arrival that a jitter could move over it.
 *
 * A queue belongs to one thread at a time.  Memory: the arrivals of one window.
 */

struct ticket {
    uint64_t k;     /* index in the schedule */
    dur_ns base;    /* where the schedule put it before jitter */
    dur_ns planned; /* ns after the start line */
    /* what it is planned again from when the rate changes (change_note) */
    dur_ns first; /* `base` before all changes */
    rate_pos pos;
    uint32_t epoch; /* of the rate that it was planned by (ticket.h) */
    bool owned;     /* it has left the queue for one client */
    bool beyond;    /* ... but lies beyond the end, as if it had not */
    bool warm;      /* it is of the warm-up's schedule (struct ticket_line) */
    mono_ns zero;   /* what `planned` and `base` are counted from */
    mono_ns until;  /* a client that is late for it may begin before that */
};

struct arrival_queue {
    struct arrivals cursor;
    dur_ns horizon;        /* <= ARRIVALS_FAR: arrivals whose base is at or after it do not exist */
    uint64_t limit;        /* nor do those with this index and above; 0 = no limit */
    dur_ns half;           /* 0: no jitter */
    dur_ns end;            /* no planned start is at or after it; see arrival_queue_planned() */
    struct arrivals ahead; /* finds `end` where it cannot be computed (end_note) */
    struct rate_change *change; /* the latest; NULL: none */
    uint64_t left;              /* how many have been popped or skipped */
    uint64_t own;               /* ... that arrival_queue_own() is true of */
    struct share share;
    struct ticket *heap;
    size_t n, capacity;
};

/* Of the whole schedule, all arrivals are in the queue; `share` tells which are this rank's. */
void arrival_queue_init(struct arrival_queue *l, const struct arrivals_spec *spec,
                        struct share share, dur_ns horizon, uint64_t limit);
void arrival_queue_fini(struct arrival_queue *l);

/* The next planned start, which stays in the queue; false when there is none, then
 * arrival_queue_end() says where the schedule would have gone on. */
bool arrival_queue_peek(struct arrival_queue *l, struct ticket *out);
dur_ns arrival_queue_end(const struct arrival_queue *l);

/* Arrival k is this rank's; of aligned arrivals, it belongs to one of its clients. */
static inline bool arrival_queue_own(const struct arrival_queue *l, uint64_t k)
{
    const struct arrivals_spec *a = &l->cursor.spec;

    return share_has(l->share, a->shape == ARRIVAL_ALIGNED ? k % (uint64_t)a->clients : k);
}

/* As arrival_queue_peek(), after those of the other ranks have been popped. */
bool arrival_queue_peek_own(struct arrival_queue *l, struct ticket *out);

/* Removes the arrival that arrival_queue_peek just returned. */
void arrival_queue_pop(struct arrival_queue *l);

/* For even arrivals without jitter only: as if all arrivals before k had been popped.  Returns how
 * many of them are this rank's. */
uint64_t arrival_queue_skip_to(struct arrival_queue *l, uint64_t k);

/* From now on the rate is this one; all that is in the queue is planned again. */
void arrival_queue_change(struct arrival_queue *l, struct rate_change *c);

/* Fills base and planned from k, first and pos, with the changes up to `c`; any thread. */
void arrival_queue_plan(const struct arrival_queue *l, const struct rate_change *c,
                        struct ticket *t);

/* Planned start of arrival k at `base`: jitter moves it, but neither before the start line nor over
 * the end (the horizon or, if earlier, where the limit ends the schedule), so that every arrival
 * can begin; both mirror, so that starts are as dense there as everywhere. */
dur_ns arrival_queue_planned(const struct arrival_queue *l, dur_ns base, uint64_t k);

#endif
