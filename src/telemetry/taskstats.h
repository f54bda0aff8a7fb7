/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel's taskstats (Documentation/accounting/taskstats.rst): for a whole process, in one
 * message (60 us for 2,000 threads), the context switches and the time that its threads waited for
 * a CPU, which /proc has only per thread.  The protocol is generic netlink; two messages need no
 * library.
 *
 * It needs CAP_NET_ADMIN in the initial user namespace.  Run-queue wait and the number of times
 * that threads were given a CPU always include ended threads.  Voluntary and involuntary switches
 * include them only on kernels with the fix "taskstats: retain dead thread stats in TGID queries"
 * (6.18.44 has it); taskstats_open finds out with a short-lived thread.  One thread at a time.
 */
#ifndef SB_TELEMETRY_TASKSTATS_H
#define SB_TELEMETRY_TASKSTATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct taskstats_link {
    int fd; /* -1: closed */
    uint16_t family;
    uint32_t seq;
    bool counts_ended; /* switches of ended threads stay in the sum */
    bool counts_runs;  /* it counts how often a thread was given a CPU */
};

struct taskstats_process {
    uint64_t vol_switches, invol_switches; /* living threads, and ended ones if counts_ended */
    uint64_t runs; /* times given a CPU, ended threads included; 0: this kernel does not count */
    uint64_t runq_wait_ns; /* ended threads included; meaningless when runs is 0 */
    /*
     * CPU time, ended threads included; of running threads up to their last tick or switch.  For a
     * moment an exiting thread is counted both as living and as ended: then this exceeds the
     * process's CPU-time clock, read afterwards, and the whole message is useless.
     */
    int64_t run_ns;
    uint64_t user_us, sys_us; /* the timer's raw counts, ended threads only if counts_ended */
};

/* 0; or -1 with the reason as a clause in `why` ("taskstats needs CAP_NET_ADMIN"). */
int taskstats_open(struct taskstats_link *t, char *why, size_t why_size);

/*
 * The same without that test: t->counts_ended is false.  For a single reading of processes that
 * never had a second thread, or of which only `runs` is needed.
 */
int taskstats_open_quick(struct taskstats_link *t, char *why, size_t why_size);

/* Our own process, once: opens, reads and closes.  0, or -1 with the reason. */
int taskstats_self(struct taskstats_process *out, char *why, size_t why_size);

/* The whole process `pid`.  0 or an errno value; ESRCH: no such process. */
int taskstats_read(struct taskstats_link *t, pid_t pid, struct taskstats_process *out);

void taskstats_close(struct taskstats_link *t);

#endif
