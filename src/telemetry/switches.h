/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The context switches of a process and the time that its threads waited for a CPU, from whatever
 * source this user may read.  There are two; both give cumulative sums that never decrease:
 *
 * taskstats (Documentation/accounting/taskstats.rst), with CAP_NET_ADMIN in the initial user
 * namespace: one message for the whole process, 60 us for 2,000 threads, which one by one would
 * take 10 to 40 ms.  The protocol is generic netlink; two messages need no library.  Run-queue wait
 * always includes ended threads; switches do on kernels with the fix "taskstats: retain dead thread
 * stats in TGID queries" (6.18.44 has it), elsewhere they are a lower bound.
 *
 * A thread that is ending is counted twice by some messages: early in its exit the kernel adds it
 * to the ended ones, and it counts as a living one until the exit is complete, microseconds later,
 * or milliseconds when it waits for a CPU.  The message has a CPU time, too, which is then too
 * large: the process's CPU-time clock less that time is what exits themselves took, which no
 * message includes and which only grows.  A message for which it has shrunk is refused.  What may
 * go unnoticed is a thread that used less CPU time in its life than the exits since the last
 * reading.
 *
 * task_memory: the files of each thread; threads that have ended keep their last values.  What a
 * thread did after its last reading is lost, so the sum is a lower bound.  A thread that is missing
 * from the list is asked once more before it counts as ended: when another one ends meanwhile, the
 * kernel's list may omit living threads, which would be counted a second time when they are back.
 *
 * One thread at a time per object.
 */
#ifndef SB_TELEMETRY_SWITCHES_H
#define SB_TELEMETRY_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "telemetry/proc.h"

struct switch_counts {
    uint64_t vol, invol;
    uint64_t runq_wait_ns;
    int64_t run_ns; /* CPU time; of taskstats only */
};

struct taskstats_link {
    int fd; /* -1: closed */
    uint16_t family;
    uint32_t seq;
    bool keeps_ended; /* switches of ended threads stay in the sum */
    bool has_runq;    /* this kernel counts run-queue wait, as a process that has run shows */
};

/* 0; or -1 with the reason as a clause in `why` ("taskstats needs CAP_NET_ADMIN"). `probe`: finds
 * out with a thread that ends whether it keeps_ended; otherwise that is false. */
int taskstats_open(struct taskstats_link *t, bool probe, char *why, size_t why_size);
void taskstats_close(struct taskstats_link *t);

/* The whole process; all 0 if it has not run yet or has just ended.  0 or an errno value (ESRCH: no
 * such process). */
int taskstats_read(struct taskstats_link *t, pid_t pid, struct switch_counts *out);

/* The sum of such readings; {0} is empty. */
struct switch_sum {
    bool any;
    struct switch_counts total, last;
    int64_t left_out; /* at least so much CPU time is in no message */
};

/* cpu_*: the process's CPU-time clock before and after the message.  False: it counts a thread that
 * is ending twice, and nothing was added. */
bool switch_sum_add(struct switch_sum *s, const struct switch_counts *now, int64_t cpu_before,
                    int64_t cpu_after, bool keeps_ended);

/* {0} is empty; task_memory_free releases it. */
struct task_memory {
    struct task_seen *seen; /* the threads of the last reading, ascending tid */
    size_t n;
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
