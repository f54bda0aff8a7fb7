/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profile of the server's threads over a window of time: where they ran (a clock on each CPU
 * looks at what is running) and where they waited (the stacks at which threads left a CPU, weighted
 * by how long they stayed away).
 *
 * What flows through: the kernel's rings (rings.h) are drained on a beat by a thread of the
 * profile's own, which passes over other processes' records, turns a sample into frames (unwind.h)
 * and adds it to a tree (tree.h).  At the end frames get their names and the trees become folded
 * stacks.
 *
 * off_cpu_note: every switch of the server's threads is seen, so how long each thread was off its
 * CPU is exact. Stacks are taken of all switches, too, while there are few; beyond rings_config.hz
 * * 10 a second the kernel takes every n-th, and tells n.  A thread's exact time is then shared out
 * among its stacks in the proportions of (time away * n); a thread of which no stack was taken is
 * shown as that.
 *
 * Processes are followed with their threads as those come and go; with `tree`, forked processes
 * too.
 *
 * Threads: the main thread opens, starts, finishes and closes; profile_curtain may come from any.
 */
#ifndef SB_PROFILE_PROFILE_H
#define SB_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "profile/folded.h"
#include "profile/unwind.h"

struct profile; /* opaque */

struct profile_config {
    bool cpu, off_cpu;
    int hz;
};

struct profile_result {
    struct folded cpu;     /* samples */
    struct folded off_cpu; /* microseconds */
    dur_ns window;         /* how long it was watched; 0: never */
    uint64_t samples;      /* of the clock, in the server's processes */
    uint64_t switches;     /* times that the server's threads left a CPU */
    uint64_t preempted;    /* of them without wanting to */
    uint64_t taken;        /* of them with a stack */
    dur_ns off_cpu_time;   /* sum over threads */
    uint64_t lost;         /* records that the kernel had no room for */
    uint64_t hurried; /* stacks made from frame pointers alone because the profiler had used up its
                         share of CPU */
    uint64_t crowded; /* frames left out because there were millions already */
    size_t threads;   /* that were seen running or waiting */
    struct unwind_counts unwound;
    dur_ns cost;                    /* CPU time that taking it and naming it took */
    bool no_kernel_names, no_names; /* the kernel's, the server's code cannot be told */
};

/* Opens the events, which do not count yet: from here on nothing can be refused any more.  -1: one
 * sentence. */
int profile_open(struct profile **out, const struct profile_config *c, struct err *e);
void profile_close(struct profile *p); /* NULL is allowed */

/* Watches from `begin` until `end` (MONO_NEVER: until the curtain). */
void profile_start(struct profile *p, const pid_t *pids, size_t n, bool tree, mono_ns begin,
                   mono_ns end);

/* What happens after `now` is not watched. */
void profile_curtain(struct profile *p, mono_ns now);

/* Ends it if it has not ended, and gives names to everything.  The result lives as long as the
 * profile. */
const struct profile_result *profile_finish(struct profile *p);

#endif
