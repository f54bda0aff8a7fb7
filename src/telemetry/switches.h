/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The context switches of a process and the time that its threads waited for a CPU, from whatever
 * source this user may read.  There are two; both give cumulative sums that never decrease:
 *
 * switch_sum: one message (taskstats.h) per reading for the whole process.  On some kernels it
 * leaves out the switches of ended threads, but not the number of times that they were given a
 * CPU.  That number equals the number of switches up to one per thread, so it gives the growth,
 * which is divided into voluntary and involuntary in the proportion of the living threads'
 * switches.
 *
 * task_memory: the files of each thread; threads that have ended keep their last values.  What a
 * thread did after its last reading is lost, so the sum is a lower bound.
 *
 * One thread at a time per object.
 */
#ifndef SB_TELEMETRY_SWITCHES_H
#define SB_TELEMETRY_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "telemetry/proc_pid.h"
#include "telemetry/taskstats.h"

struct switch_counts {
    uint64_t vol, invol;
    uint64_t runq_wait_ns;
};

/* {0} is empty. */
struct switch_sum {
    bool any;
    bool estimated; /* an interval's switches had to be divided by proportion */
    struct switch_counts total;
    struct taskstats_process last;
};

/* Adds a reading.  At most `under_way` threads were on a CPU: the count of runs includes their
 * current run, but the switch that will end it has not been counted. */
void switch_sum_add(struct switch_sum *s, const struct taskstats_process *now, bool counts_ended,
                    uint64_t under_way);

/* {0} is empty; task_memory_free releases it. */
struct task_memory {
    struct task_seen *seen; /* the threads of the last reading, ascending tid */
    size_t n, cap;
    struct task_seen *next; /* the same, being built */
    size_t next_cap;
    struct pid_list tids;
    struct switch_counts ended;
    bool any_ended, no_runq;
};

/*
 * Reads all threads of pid; `threads` is their number in stat (if it was 1 and still is, the
 * directory is not listed).  0 and *out, with runq_wait_ns only if *has_runq; or an errno value.
 * E2BIG: there are more than TASK_MEMORY_LIMIT threads, and nothing was read.
 */
int task_memory_read(struct task_memory *m, int root_fd, pid_t pid, uint64_t threads,
                     struct switch_counts *out, bool *has_runq);

/*
 * Reading two files of a thread costs some 5 us; this many threads take 0.4 % of a core at one
 * reading per second.
 */
enum { TASK_MEMORY_LIMIT = 768 };

void task_memory_free(struct task_memory *m);

#endif
