/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One countable event: what perf_event_open() needs for it, and which derived figures use it.
 */
#ifndef SB_TELEMETRY_PERF_SPEC_H
#define SB_TELEMETRY_PERF_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#define PERF_NAME_MAX 80

/* The events that derived figures are made of. */
enum perf_role {
    PERF_OTHER,
    PERF_INSTRUCTIONS,
    PERF_CYCLES,
    PERF_ICACHE_MISSES,
    PERF_ITLB_MISSES,
    PERF_BRANCHES,
    PERF_BRANCH_MISSES
};

struct perf_spec {
    char name[PERF_NAME_MAX]; /* as the user wrote it */
    enum perf_role role;
    uint32_t type; /* PERF_TYPE_* or a PMU's number */
    uint64_t config, config1, config2;
    bool no_user, no_kernel;
    char why[160]; /* not "": it exists but cannot be counted, and this is why */
};

#endif
