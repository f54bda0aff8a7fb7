/* SPDX-License-Identifier: GPL-2.0-or-later
 *
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
 * event, and perf_count.h uses another way.  One thread at a time.
 */
#ifndef SB_TELEMETRY_PERF_FILTER_H
#define SB_TELEMETRY_PERF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "telemetry/perf_figures.h"
#include "telemetry/perf_names.h"

struct perf_filter; /* opaque */

enum { PERF_FILTER_MAX_PIDS = 16 };

/*
 * Starts to count those of the n events that can be counted this way, using at most `most`
 * descriptors (a software event needs one per CPU).  Sets bit i of *counted if event i is counted.
 * Descendants of the processes are not included.  NULL if no event can be counted, for whatever
 * reason.
 */
struct perf_filter *perf_filter_open(const struct perf_spec *spec, size_t n, const pid_t *pids,
                                     size_t npids, size_t most, uint32_t *counted);
void perf_filter_close(struct perf_filter *f); /* NULL is allowed */

/* Adds the counts of these events to *out. */
void perf_filter_read(struct perf_filter *f, struct perf_reading *out);

#endif
