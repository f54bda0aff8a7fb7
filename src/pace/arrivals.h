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
 * (aligned.h).
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

#include <stdint.h>

#include "base/clock.h"
#include "base/rng.h"
#include "pace/rates.h"

#define ARRIVALS_FAR RATES_FAR

enum arrival_shape { ARRIVAL_EVEN, ARRIVAL_POISSON, ARRIVAL_ALIGNED };

struct arrivals_spec {
    enum arrival_shape shape;
    double rate;   /* transactions per second, finite and > 0 */
    dur_ns jitter; /* width J of the window, 0 .. ARRIVALS_FAR; 0 = none (aligned: a tenth of a
                      client's period) */
    int clients;   /* aligned only: n > 0 */
    uint64_t seed;
    const struct rates *rates; /* NULL: `rate`, always; not with aligned */
};

struct arrivals {
    struct arrivals_spec spec;
    uint64_t k; /* index of the next arrival */
    dur_ns
        next; /* its planned start without jitter; Poisson: the whole ns of the running sum ... */
    double fraction; /* ... and the fraction of a ns, so that hours of gaps add up without loss */
    rate_pos sum;    /* Poisson: the same at a rate of 1, as a position */
    struct rng gaps;
};

void arrivals_init(struct arrivals *a, const struct arrivals_spec *spec);

/* Planned start of arrival a->k in ns after t0, jitter included; advances the cursor. */
dur_ns arrivals_next(struct arrivals *a);

/* Where the integral of the rate is at the next arrival: not in time but in arrivals. */
rate_pos arrivals_pos(const struct arrivals *a);

/* Even shape only: moves the cursor to arrival k at once. */
void arrivals_skip_even(struct arrivals *a, uint64_t k);

/* As arrivals_next without the jitter, and the cursor stays: the next arrival of the schedule. */
dur_ns arrivals_peek(const struct arrivals *a);

/* The width of the window in effect: the spec's, or aligned's default. */
dur_ns arrivals_jitter_window(const struct arrivals_spec *spec);

/* The jitter of arrival k, in [-J/2, +J/2): a function of (seed, k) alone, so any thread may
 * compute it. 0 in aligned's first round. */
dur_ns arrivals_jitter(const struct arrivals_spec *spec, uint64_t k);

/* Even shape only: planned start of arrival k without jitter, the first whole ns at or after k/R.
 * Exact (integer arithmetic on the double's mantissa) as long as k < 2^63. */
dur_ns arrivals_even(double rate, uint64_t k);

/* Aligned shape only: planned start of arrival k without jitter. */
dur_ns arrivals_aligned(const struct arrivals_spec *spec, uint64_t k);

/* Even shape only: the same with either kind of rate, and how many are due. */
dur_ns arrivals_start(const struct arrivals_spec *spec, uint64_t k);
uint64_t arrivals_due(const struct arrivals_spec *spec, dur_ns t);

/* How many even arrivals have k/R <= t: the inverse, arrivals_even(rate, k) <= t exactly for the k
 * below the result, as long as t < ARRIVALS_FAR.  0 when t < 0. */
uint64_t arrivals_due_even(double rate, dur_ns t);

#endif
