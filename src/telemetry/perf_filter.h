/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts events of whole processes without attaching anything to their threads.  Private to
 * src/telemetry
 *
 * A counter of a thread is saved and restored at every switch to and from that thread: 2 to 5 us on
 * the machines measured, which costs a saturated server 5 to 15 % of its throughput.  Software
 * events and tracepoints do not need that: the event is observed wherever in the system it occurs,
 * a program of a dozen BPF instructions checks its process in the kernel, and counts it in a slot
 * of the CPU when the process is one of ours.  Rare events (migrations, faults) then cost nothing
 * that can be measured, system calls 0.1 us each (those of all processes of the host), a reading 3
 * us whatever the number of threads; threads that exist, begin or end need no care.
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
 * Begins to count those of the n events that can be counted this way, with at most `most`
 * descriptors (a software event needs one for each CPU); bit i of *counted: event i is counted.
 * Descendants of the processes are not included.  NULL when no event can be counted, for any
 * reason.
 */
struct perf_filter *perf_filter_open(const struct perf_spec *spec, size_t n, const pid_t *pids,
                                     size_t npids, size_t most, uint32_t *counted);
void perf_filter_close(struct perf_filter *f); /* NULL is allowed */

/* Adds the counts of these events to *out. */
void perf_filter_read(struct perf_filter *f, struct perf_reading *out);

#endif
