/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens counters: finds which events can be counted on a target, why others cannot, and which ones
 * fit into one group.  All state belongs to the caller; one thread at a time.  Private to
 * src/telemetry
 */
#ifndef SB_TELEMETRY_PERF_OPEN_H
#define SB_TELEMETRY_PERF_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "telemetry/perf.h"

/* The target: a thread on all CPUs (cpu -1), a control group's descriptor on one CPU, or all that
 * runs on one CPU. */
struct perf_target {
    int id; /* thread id or descriptor; -1: all */
    int cpu;
    bool cgroup;
};

/* The countable events in the order in which they are opened; group g is at [begin[g], begin[g +
 * 1]). */
struct perf_plan {
    size_t event[PERF_MAX_EVENTS]; /* index into the specs */
    size_t begin[PERF_MAX_EVENTS + 1];
    size_t groups;
    size_t events;
};

/*
 * Tries each event and each group on the target.  An event that cannot be counted is left out of
 * the plan, with the reason in spec[i].why.  Events in the mask `skip` are left out, too: they are
 * counted in another way.
 */
void perf_plan_make(struct perf_plan *p, struct perf_spec *spec, size_t n, uint32_t skip,
                    const struct perf_target *t);

/* True for the name of a CPU's counters in /sys/bus/event_source/devices:  "cpu", "cpu_core",
 * "armv8_pmuv3_0", and what a device tree calls them: "armv8_cortex_a72". */
bool perf_is_cpu_pmu(const char *name);

/* Opens the whole plan on a target into fd[0..events).  Returns 0; or an errno value, with
 * nothing left open. */
int perf_open_plan(const struct perf_plan *p, const struct perf_spec *spec,
                   const struct perf_target *t, int *fd);

/* --- software events and tracepoints, filtered in the kernel --------------------------------- */

/*
 * Counts events of whole processes without attaching anything to their threads.  Private to
 * src/telemetry
 *
 * The kernel saves and restores a thread's counters at every switch: 2 to 5 us on the machines
 * measured, which costs a saturated server 5 to 15 % of its throughput.  Software events and
 * tracepoints can do without.  A BPF program of a dozen instructions runs wherever in the system
 * the event occurs, tests the current process, and increments a per-CPU slot if the process is one
 * of ours.  Rare events (migrations, faults) then have no measurable cost; a system call costs 0.1
 * us, in every process of the host; a reading takes 3 us whatever the number of threads.  Threads
 * may start and end at any time.
 *
 * Needs root, or CAP_BPF and CAP_PERFMON, in the host's pid namespace; elsewhere it accepts no
 * event, and perf_count.c uses another way.  One thread at a time.
 */

struct perf_filter; /* opaque */

enum { PERF_FILTER_MAX_PIDS = 16 };

/*
 * Starts to count those of the n events, less the mask `skip`, that can be counted this way, using
 * at most `most` descriptors (a software event needs one per CPU).  Sets bit i of *counted if event
 * i is counted. Descendants of the processes are not included.  NULL if no event can be counted,
 * for whatever reason.
 */
struct perf_filter *perf_filter_open(const struct perf_spec *spec, size_t n, uint32_t skip,
                                     const pid_t *pids, size_t npids, size_t most,
                                     uint32_t *counted);
void perf_filter_close(struct perf_filter *f); /* NULL is allowed */

/* Adds the counts of these events to *out. */
void perf_filter_read(struct perf_filter *f, struct perf_reading *out);

#endif
