/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: from this host's time to the leader's and back.
 *
 * slew_note: an estimate that is better than the one before it must not make time jump.  The map
 * goes on from where it is; until `turn` it runs faster or slower than the drift demands, by at
 * most CLOCK_MAP_SLEW, and from then on it agrees with the estimate.
 *
 * Pure functions.  clock_map_at() never decreases, and clock_map_steer() leaves the present and the
 * past as they were.
 */
#ifndef SB_CLUSTER_CLOCK_MAP_H
#define SB_CLUSTER_CLOCK_MAP_H

#include "base/clock.h"

#define CLOCK_MAP_SLEW    500e-6
#define CLOCK_MAP_HORIZON (2 * NS_PER_SEC) /* a small error is gone after that */

struct clock_map {
    mono_ns own, theirs; /* where it begins */
    double rate;         /* a second of ours is 1 + rate seconds of theirs, until `turn` */
    mono_ns turn, theirs_at_turn;
    double settled; /* the rate from then on */
};

struct clock_map clock_map_make(mono_ns own, dur_ns offset, double drift);

mono_ns clock_map_at(const struct clock_map *m, mono_ns own);

/* The first instant of ours at which theirs is at least that. */
mono_ns clock_map_own(const struct clock_map *m, mono_ns theirs);

/* From `own` on, towards the estimate of that instant. */
void clock_map_steer(struct clock_map *m, mono_ns own, dur_ns offset, double drift);

#endif
