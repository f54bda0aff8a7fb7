/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: how far the leader's clock is ahead of this host's, and how fast the
 * difference changes, from pings that went there and back.
 *
 * bounds_note: the answer bears the leader's time, so its clock was ahead by at least
 * (answered - back) and at most (received - sent).  Nothing is assumed about how the way there
 * compares with the way back.  Bounds of different times bind the drift; then all of them, carried
 * along with the drift to one instant, bind the offset at that instant.  The estimates are the
 * middles of what is left, and the uncertainty is half of it, so it holds as long as the drift is
 * constant over the samples (two minutes).  When it was not, the bounds contradict each other; then
 * the uncertainty is what they disagree by, or that of the best sample.
 *
 * Pure functions; times come in as arguments.
 */
#ifndef SB_CLUSTER_SKEW_H
#define SB_CLUSTER_SKEW_H

#include "base/clock.h"

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

#endif
