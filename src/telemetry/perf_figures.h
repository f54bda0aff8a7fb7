/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Arithmetic on readings of counters: the difference of two readings, scaled up for events that
 * shared the CPU's counters with others, and the figures derived from it, such as instructions per
 * cycle.
 *
 * An event that was counted for only part of the interval is scaled by the interval's enabled /
 * running, as perf-stat(1) does for a whole run; the ratio is returned beside the count.  Pure
 * arithmetic; any thread may call.
 */
#ifndef SB_TELEMETRY_PERF_FIGURES_H
#define SB_TELEMETRY_PERF_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "telemetry/perf_names.h"

/* Cumulative, summed over threads or CPUs. */
struct perf_value {
    uint64_t value;
    uint64_t enabled_ns, running_ns;
};

struct perf_reading {
    mono_ns at;
    dur_ns cost_ns;
    uint32_t have;       /* bit i: event i was read */
    unsigned generation; /* counters of another generation were opened anew: no difference */
    struct perf_value v[PERF_MAX_EVENTS];
};

struct perf_figure {
    bool have, lower; /* lower: processes ended or were found meanwhile */
    double count;     /* scaled */
    double ratio;     /* part of the time that it was counted; 1: always */
    const char *why;  /* when not: the reason; lives as long as the counters */
};

/* Derived figures; NaN when one of their events is missing or nothing was counted. */
struct perf_derived {
    double ipc;
    double icache_per_instruction, itlb_per_instruction;
    double branch_miss_pct;
    double cycles; /* of the first event that counts cycles */
};

struct perf_delta {
    dur_ns wall_ns;
    struct perf_figure f[PERF_MAX_EVENTS];
    struct perf_derived d;
};

/*
 * Subtracts two readings of the same counters, n events of `spec`.  An event that was on no counter
 * during the interval, although the server ran, is absent, not 0.
 */
void perf_figures_diff(const struct perf_spec *spec, size_t n, const struct perf_reading *before,
                       const struct perf_reading *after, struct perf_delta *out);

/* Which derived figures a list of events requests: bit per member of struct perf_derived, in
 * order.  PERF_WORK: transactions per billion cycles, which the reports compute. */
enum { PERF_IPC = 1, PERF_ICACHE = 2, PERF_ITLB = 4, PERF_BRANCH = 8, PERF_WORK = 16 };
unsigned perf_figures_derived(const struct perf_spec *spec, size_t n);

#endif
