/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many context switches a process has made and how long its threads waited for a CPU, from the
 * sources that this user may read.  Two ways, both cumulative and never falling:
 *
 * switch_sum: one process-wide message (taskstats.h) per reading.  On kernels whose taskstats
 * forgets the switches of ended threads, the number of times a thread was given a CPU, which is not
 * forgotten and equals the number of switches up to one per thread, gives the growth; it is divided
 * into voluntary and involuntary as the living threads' switches are divided.
 *
 * task_memory: the files of every thread, remembering the last values of threads that have ended.
 * What a thread did between the last reading and its end is lost, so this is a lower bound.
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

/* Adds a reading; `under_way` is how many threads at most can have been found on a CPU: their
 * present run is counted already, the switch that ends it is not. */
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
 * Reads all threads of pid, which has `threads` by its stat (with 1 after 1 the directory is not
 * listed).  0 and *out (its runq_wait_ns only where *has_runq), or an errno value; E2BIG when there
 * are more than TASK_MEMORY_LIMIT threads and nothing was read.
 */
int task_memory_read(struct task_memory *m, int root_fd, pid_t pid, uint64_t threads,
                     struct switch_counts *out, bool *has_runq);

/*
 * Two files of each thread cost some 5 us; this many take 0.4 % of a core at one reading per
 * second.
 */
enum { TASK_MEMORY_LIMIT = 768 };

void task_memory_free(struct task_memory *m);

#endif
