/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Changes of the rate while it is in use.  A change says: from `at` on the rate is constant.  The
 * changes form a list, the latest one first, in front of the schedule that the run began with.
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
#ifndef SB_PACE_RATE_CHANGE_H
#define SB_PACE_RATE_CHANGE_H

#include "pace/rates.h"

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

#endif
