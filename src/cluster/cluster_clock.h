/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: a struct clock that shows the leader's CLOCK_MONOTONIC on this host.  The
 * link's thread steers it; any thread and any signal handler reads it, but none that runs on the
 * link's thread.
 */
#ifndef SB_CLUSTER_CLUSTER_CLOCK_H
#define SB_CLUSTER_CLUSTER_CLOCK_H

#include "base/clock.h"

struct cluster_clock;

struct cluster_clock *cluster_clock_new(dur_ns offset, double drift);
void cluster_clock_free(struct cluster_clock *k);

struct clock *cluster_clock_of(struct cluster_clock *k);

/* Towards an estimate that was made for the instant `own`, a moment ago.  One thread. */
void cluster_clock_steer(struct cluster_clock *k, mono_ns own, dur_ns offset, double drift);

/* What it shows at that instant. */
mono_ns cluster_clock_at(struct cluster_clock *k, mono_ns own);

#endif
