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
#include <sys/types.h>

#include "telemetry/perf_names.h"

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

/* Removes events from the end of the user's list until at most `most` are left; each removed one
 * gets the reason. */
void perf_plan_cut(struct perf_plan *p, struct perf_spec *spec, size_t most, const char *why);

/* True for the name of a CPU's counters in /sys/bus/event_source/devices:  "cpu", "cpu_core",
 * "armv8_pmuv3_0", and what a device tree calls them: "armv8_cortex_a72". */
bool perf_is_cpu_pmu(const char *name);

/* Opens one event; group -1 makes it a leader.  Returns a descriptor, or -1 with errno. */
int perf_open_event(const struct perf_spec *s, const struct perf_target *t, int group);

/* Opens the whole plan on a target into fd[0..events).  Returns 0; or an errno value, with
 * nothing left open. */
int perf_open_plan(const struct perf_plan *p, const struct perf_spec *spec,
                   const struct perf_target *t, int *fd);

#endif
