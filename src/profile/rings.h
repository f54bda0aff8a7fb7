/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/profile: the kernel's side of a profile: on each CPU a clock and/or the context
 * switches, all of a CPU's records in one ring buffer, and all rings read as one stream in the
 * order of time.
 *
 * Events are opened per CPU, not per thread: a per-thread clock is reprogrammed at every context
 * switch, which in a virtual machine can double the server's CPU time, and it needs a descriptor
 * per thread.  So the records of other processes arrive, too; the reader skips them.
 *
 * A switch is sampled with its stack when it is the n-th on its CPU.  n is 1 while switches are
 * few.  Else it is drawn anew, and odd, at each reading, for at most 10 * hz stacks a second: a
 * kernel that adapts n by itself (attr.freq) takes few stacks where switches come in bursts, and a
 * constant n would always meet the same wait of a load that repeats itself.  The kernel numbers
 * nothing, so the records are counted here: a sample stands for the switches since the one before
 * it.
 *
 * Opening needs CAP_PERFMON or kernel.perf_event_paranoid <= 0.  One thread at a time.
 */
#ifndef SB_PROFILE_RINGS_H
#define SB_PROFILE_RINGS_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/err.h"
#include "profile/record.h"

struct profile_config {
    bool cpu, off_cpu; /* a clock on each CPU; every switch */
    int hz;            /* of the clock */
};

struct rings; /* opaque */

/* Creates everything, starts nothing; n is 1 up to 25 * c->hz switches a second on a CPU.  -1: one
 * sentence with the reason and a remedy. */
int rings_open(struct rings **out, const struct profile_config *c, struct err *e);
void rings_close(struct rings *r); /* NULL is allowed */

void rings_enable(struct rings *r, bool on);

/* The next record older than `until`, good until the next call; false: none, and each n is adapted
 * to the rate of switches. */
bool rings_next(struct rings *r, mono_ns until, struct record *out);

#endif
