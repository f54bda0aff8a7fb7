/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts events of running processes; nothing is sampled, and nothing interrupts the server.  There
 * are four ways, the cheapest for the server and for us first.  Each event uses the first that
 * works for it:
 *
 *     by kernel    what the kernel counts for every process anyway: context switches, from the
 *                  reading of the processes (sample.h) at the same instant.  Costs nothing.
 *     by process   software events and tracepoints, filtered by process id where they occur
 *                  (perf_filter.h).  Nothing is attached to threads.  Needs root, and a fixed set
 *                  of processes: not for a tree.
 *     by cgroup    perf_event_open(2): if the processes have a control group of their own (a
 *                  systemd unit, a container), one counter per event and CPU, however many threads
 *                  there are; present and future threads and children are included.  Needs
 *                  CAP_PERFMON or root.
 *     by thread    perf_event_open(2): one counter per event and existing thread; whatever that
 *                  thread starts later inherits it.  Threads that start while the counters are
 *                  being opened may be missed; `how` says how many such threads were seen.
 *
 * Counters of the last two ways are saved and restored at every switch of a thread.  Between
 * threads that inherited their counters from one parent the kernel only swaps two pointers; so open
 * the counters before the server starts its threads, if possible.
 *
 * Instead of processes, all CPUs can be counted, as `perf stat -a` does: one counter per event and
 * CPU (perf_whom.system).
 *
 * With perf_event_open(2), events of one type are opened in groups that the CPU can count at the
 * same time: their ratios then cover the same instructions, and one system call reads a group.  An
 * event that cannot be counted gets its reason in spec[i].why; that is not a failure.  One thread
 * at a time.
 */
#ifndef SB_TELEMETRY_PERF_COUNT_H
#define SB_TELEMETRY_PERF_COUNT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "telemetry/perf_figures.h"
#include "telemetry/perf_names.h"
#include "telemetry/sample.h"

struct perf_count; /* opaque */

enum { PERF_BY_KERNEL = 1, PERF_BY_PROCESS = 2, PERF_BY_CGROUP = 4, PERF_BY_THREAD = 8 };

/* The processes to count, and the ways to use. */
struct perf_whom {
    const pid_t *pids;
    size_t n;
    bool tree;      /* the pids stand for all their descendants too */
    unsigned exact; /* SAMPLE_* that readings of these processes hold whole, see server_exact */
    unsigned ways;  /* PERF_BY_*; 0: all */
    size_t keep;    /* descriptors that others of this program will still open */
    bool system;    /* all CPUs; of this struct only `keep` is used */
};

/*
 * Starts to count.  Copies the specs.  Never fails: at worst no event can be counted, and each has
 * its reason.
 */
struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n,
                                   const struct perf_whom *whom);
void perf_count_close(struct perf_count *c); /* NULL is allowed */

/*
 * Counts other processes from now on, those of a restarted server.  Counts so far stay in the sum.
 * `spec` and `n` as at the first time.  What the processes did before this call is missing; `how`
 * says so.
 */
void perf_count_again(struct perf_count **c, const struct perf_spec *spec, size_t n,
                      const struct perf_whom *whom);

/*
 * `kernel` is a reading of the same processes made just before, or NULL.  Costs 1 us for each event
 * by process, 10 us for each by cgroup, and 1.5 us for each thread and group by thread.
 */
void perf_count_read(struct perf_count *c, const struct sample *kernel, struct perf_reading *out);

/* The specs with the reasons that opening found; valid until close. */
const struct perf_spec *perf_count_spec(const struct perf_count *c, size_t *n);

/*
 * "by thread, 2057 threads and what they start", "by control group /system.slice/mariadb.service",
 * "by the kernel's own accounts: context-switches; by process: syscalls", "of the whole system, 2
 * CPUs"; valid until close.
 */
const char *perf_count_how(const struct perf_count *c);

#endif
