/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The results of --server-profile: one record, filled once when the profile has ended.
 * text_profile.c and json_profile.c render it.
 */
#ifndef SB_REPORT_PROFILE_RECORD_H
#define SB_REPORT_PROFILE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

/* Texts are borrowed. */
struct report_profile {
    bool ended;           /* everything below is known */
    bool cpu, off_cpu;    /* the kinds that the user chose */
    int hz;               /* samples per second and CPU */
    dur_ns start, length; /* the window; length 0: to the end of the run */
    const char *why;      /* why nothing was watched; NULL: the figures below are valid */
    const char *name;     /* the processes that were watched */
    dur_ns watched;
    uint64_t samples, stacks; /* on CPU; stacks: distinct ones */
    dur_ns off_cpu_time;      /* sum over threads */
    uint64_t threads, off_cpu_stacks;
    const char *estimate; /* what the stacks' times are estimated from; "": exact */
    uint64_t switches, involuntary, sampled; /* sampled: switches with a stack */
    uint64_t by_cfi, by_pointers;            /* stacks, by how they were unwound */
    uint64_t partial;                        /* stacks that do not reach the start of a thread */
    const char *no_cfi; /* why no stack could be unwound by_cfi; NULL: it was possible */
    uint64_t degraded;  /* stacks by frame pointers alone: the profiler had used up its CPU share */
    uint64_t lost;      /* records that the kernel dropped for lack of room */
    uint64_t truncated; /* frames left out: too many different stacks */
    bool no_names, no_kernel_names; /* the server's code, the kernel's cannot be named */
    dur_ns cost;                    /* CPU time of the profiler */
    const char *prefix;             /* of the files' names */
    const char *file[4];            /* written completely */
    size_t files;
    bool files_incomplete; /* others could not be written */
};

#endif
