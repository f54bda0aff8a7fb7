/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profile of the server's threads over a window of time: where they ran (a clock samples each
 * CPU) and where they waited (the stacks at which threads left a CPU, weighted by the time until
 * they were back).
 *
 * A thread of the profile drains the kernel's ring buffers (rings.h) at intervals, skips the
 * records of other processes, unwinds each sample into frames (unwind.h) and adds them to a tree
 * (tree.h).  At the end, frames are symbolized and the trees become folded stacks.
 *
 * off_cpu_note: every switch of the server's threads is seen, so the duration d of each wait is
 * exact, sampled or not.  While switches are few, each has a stack; else the kernel samples every
 * n-th, which stands for w switches (rings.h).  The waits form classes: threads of one name,
 * preempted or not, d between two powers of 2 of ns.  With T, the exact sum of d in a class, the
 * estimate of a stack's time in that class is
 *
 *     T * (sum of w d over the stack's sampled waits) / (sum of w d over all sampled waits)
 *
 * Sums of w d are unbiased, since a wait is sampled with a probability of 1/w (Horvitz and
 * Thompson); T makes the known sum of the class exact (a ratio estimate in strata: Cochran,
 * Sampling Techniques, chapters 5A and 6).  As d varies by less than 2 in a class, what a ratio is
 * biased by is small even with one sample, and no time of a long wait becomes that of a short one.
 * The time of a class without a sample appears as such.
 *
 * Threads that start later are included; with `tree`, forked processes too.
 *
 * Threads: the main thread opens, starts, finishes and closes; profile_stop_at may come from
 * any.
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
#include "profile/rings.h"
#include "profile/unwind.h"

struct profile; /* opaque */

/* The version of libdwfl; "no": built without, and there are no profiles. */
const char *profile_library(void);

struct profile_result {
    struct folded cpu;         /* samples */
    struct folded off_cpu;     /* microseconds */
    dur_ns window;             /* length of the window; 0: never watched */
    uint64_t samples;          /* of the clock, in the server's processes */
    uint64_t switches;         /* times that the server's threads left a CPU */
    uint64_t preempted;        /* of them involuntary */
    uint64_t sampled_switches; /* of them with a stack */
    dur_ns off_cpu_time;       /* sum over threads */
    uint64_t lost;             /* records dropped because the ring buffers were full */
    /* stacks unwound by frame pointers alone, because the profiler had used up its CPU budget */
    uint64_t degraded;
    uint64_t truncated; /* frames dropped because the tree was full */
    size_t threads;     /* that were seen running or waiting */
    struct unwind_counts unwound;
    dur_ns cost;                    /* CPU time spent on sampling and symbolizing */
    const char *no_cfi;             /* why call frame information cannot be used; NULL: it can */
    bool no_kernel_names, no_names; /* symbols of the kernel, of the server cannot be read */
};

/* Opens the events, which do not count yet.  Nothing after this needs permission.  -1:
 * one sentence. */
int profile_open(struct profile **out, const struct profile_config *c, struct err *e);
void profile_close(struct profile *p); /* NULL is allowed */

/* Watches from `begin` until `end` (MONO_NEVER: until profile_stop_at). */
void profile_start(struct profile *p, const pid_t *pids, size_t n, bool tree, mono_ns begin,
                   mono_ns end);

/* Ends the window at `now`, unless it has ended before. */
void profile_stop_at(struct profile *p, mono_ns now);

/* Ends the window if it has not ended, and symbolizes all frames.  The result lives as long as the
 * profile. */
const struct profile_result *profile_finish(struct profile *p);

#endif
