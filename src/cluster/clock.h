/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The leader's time on this host, in three steps.
 *
 *     pings -> skew_add() -> skew_at()      how far the leader's clock is ahead, and how sure that
 * is
 *           -> clock_map_steer()            from this host's time to the leader's, without a jump
 *           -> struct cluster_clock         a struct clock that shows it (cluster_clock() of
 * cluster.h)
 *
 * Skews and maps are plain data, their functions pure; times come in as arguments.
 */
#ifndef SB_CLUSTER_CLOCK_H
#define SB_CLUSTER_CLOCK_H

#include "base/clock.h"

/*
 * A skew.  The answer to a ping bears the leader's time, so its clock was ahead by at least
 * (answered - back) and at most (received - sent).  Nothing is assumed about how the way there
 * compares with the way back.  Bounds of different times bind the drift; then all of them, carried
 * along with the drift to one instant, bind the offset at that instant.  The estimates are the
 * middles of what is left, and the uncertainty is half of it, so it holds as long as the drift is
 * constant over the samples (two minutes).  When it was not, the bounds contradict each other; then
 * the uncertainty is what they disagree by.  A jump that no drift explains (a host was suspended)
 * makes all earlier samples void.
 */
#define SKEW_SAMPLES   64
#define SKEW_SPACING   (2 * NS_PER_SEC) /* one sample is kept for each such time, the best */
#define SKEW_DRIFT_MAX 500e-6           /* what a clock can do that is steered by NTP */

struct skew_sample {
    mono_ns at; /* this host's time */
    dur_ns low, high;
};

struct skew {
    struct skew_sample sample[SKEW_SAMPLES]; /* a ring */
    size_t n, next;
    unsigned taken;
};

struct skew_estimate {
    dur_ns offset, uncertainty; /* at the instant asked for */
    double drift;               /* a second here is 1 + drift seconds there */
    double drift_error;
    dur_ns round_trip;
};

/* All times as read: `sent` and `back` here, the others there. */
void skew_add(struct skew *s, mono_ns sent, mono_ns received, mono_ns answered, mono_ns back);
/* False: there is no sample yet. */
bool skew_at(const struct skew *s, mono_ns now, struct skew_estimate *out);

/*
 * A map.  An estimate that is better than the one before it must not make time jump.  The map goes
 * on from where it is; until `turn` it runs faster or slower than the drift demands, by at most
 * CLOCK_MAP_SLEW, and from then on it agrees with the estimate.
 */
#define CLOCK_MAP_SLEW    500e-6
#define CLOCK_MAP_HORIZON (2 * NS_PER_SEC) /* a small error is gone after that */

struct clock_map {
    mono_ns own, theirs; /* where it begins */
    double rate;         /* a second of ours is 1 + rate seconds of theirs, until `turn` */
    mono_ns turn, theirs_at_turn;
    double settled; /* the rate from then on */
};

struct clock_map clock_map_make(mono_ns own, dur_ns offset, double drift);
/* Never decreases. */
mono_ns clock_map_at(const struct clock_map *m, mono_ns own);
/* The first instant of ours at which theirs is at least that. */
mono_ns clock_map_own(const struct clock_map *m, mono_ns theirs);
/* From `own` on, towards the estimate of that instant; the present and the past stay as they were.
 */
void clock_map_steer(struct clock_map *m, mono_ns own, dur_ns offset, double drift);

/* A clock.  The link's thread steers it; any thread and any signal handler reads it, but none that
 * runs on the link's thread. */

/* It begins with a struct clock; freed by free(). */
struct cluster_clock *cluster_clock_new(dur_ns offset, double drift);
/* As free, but not before the next one is retired: clients that a run has abandoned may still look
 * at it while the program ends.  NULL: nothing. */
void cluster_clock_retire(struct cluster_clock *k);
/* Towards an estimate that was made for the instant `own`, a moment ago.  One thread. */
void cluster_clock_steer(struct cluster_clock *k, mono_ns own, dur_ns offset, double drift);
/* What it shows at that instant. */
mono_ns cluster_clock_at(struct cluster_clock *k, mono_ns own);

#endif
