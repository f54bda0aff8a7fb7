/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counting events of running processes, in counting mode: nothing is sampled, nothing interrupts
 * the server.  Four ways; each event uses the first way that works for it, which is the cheapest
 * for the server and for us:
 *
 *     by kernel    what the kernel counts for every process anyway: context switches, from the
 *                  reading of the processes (sample.h) of the same instant.  Costs nothing.
 *     by process   software events and tracepoints, filtered by the process's id where they occur
 *                  (perf_filter.h). Threads are left alone.  Needs root, and processes that keep
 *                  their ids: not for a tree.
 *     by cgroup    perf_event_open(2): the processes have a control group of their own (a systemd
 *                  unit, a container): one counter per event and CPU, however many threads there
 *                  are; every thread and child, now and later, is in it.  Needs CAP_PERFMON or
 *                  root.
 *     by thread    perf_event_open(2): one counter per event and thread that exists now, inherited
 *                  by whatever it starts from then on.  What a thread does that is born while this
 *                  is being set up may be missed; `how` has the number of such threads that were
 * seen.
 *
 * The last two are saved and restored at every switch of a thread.  Threads that inherited their
 * counters from one parent cost less, because the kernel then swaps two pointers; so open before
 * the server starts its threads, if possible.
 *
 * Of the last two ways, events of one kind are opened in groups that the CPU can count together, so
 * that ratios compare like with like and one system call reads a group.  An event that cannot be
 * counted gets its reason in spec[i].why; that is no failure.  One thread at a time.
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
};

/*
 * Begins to count.  The specs are copied.  Never fails as a whole: in the worst case no event can
 * be counted and each has its reason.
 */
struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n,
                                   const struct perf_whom *whom);
void perf_count_close(struct perf_count *c); /* NULL is allowed */

/*
 * `kernel` is a reading of the same processes made just before, NULL: none.  Costs 1 us
 * for each event by process, 10 us by cgroup; by thread some 1.5 us for each thread and group.
 */
void perf_count_read(struct perf_count *c, const struct sample *kernel, struct perf_reading *out);

/* The specs with the reasons that opening found; valid until close. */
const struct perf_spec *perf_count_spec(const struct perf_count *c, size_t *n);

/*
 * "by thread, 2057 threads and what they start", "by control group /system.slice/mariadb.service",
 * "by the kernel's own accounts: context-switches; by process: syscalls"; valid until close.
 */
const char *perf_count_how(const struct perf_count *c);

#endif
