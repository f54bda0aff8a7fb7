/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of countable events into what perf_event_open wants.  The kernel's generic events
 * (hardware, caches, software) are built in, tracepoints are looked up in tracefs, and what a
 * particular CPU counts beyond that is known to libpfm4, where the program was built with it.
 *
 *     instructions  cycles:u  L1-icache-load-misses:u  context-switches      generic
 *     syscalls:sys_enter_read  sched:sched_switch  syscalls                  tracepoints; the last
 * one is raw_syscalls:sys_enter r01c2:u raw, hexadecimal skl::UOPS_RETIRED:ALL:u libpfm4
 *
 * A suffix :u counts in user mode only, :k in the kernel only.  A name nobody knows is an error
 * with the nearest names, so that it is found before the run and not as a column of n/a.
 *
 * One thread at a time; nothing is counted here.
 */
#ifndef SB_TELEMETRY_PERF_NAMES_H
#define SB_TELEMETRY_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PERF_MAX_EVENTS 32
#define PERF_NAME_MAX   80

/* What `default` stands for in a list of events.  `syscalls` is not among them: counting them costs
 * a saturated server 3 % of its throughput. */
#define PERF_DEFAULT_EVENTS                                                                        \
    "instructions:u,cycles:u,L1-icache-load-misses:u,iTLB-load-misses:u,branch-misses:u,"          \
    "branches:u,context-switches,cpu-migrations,page-faults"

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

struct perf_names {
    int tracefs_fd; /* -1: */
    char tracefs_why[120];
};

/* `tracefs` names a folder (a test's); NULL: the system's, wherever it is mounted, else a mount of
 * our own that nobody else sees. */
void perf_names_open(struct perf_names *p, const char *tracefs);
void perf_names_close(struct perf_names *p);

/*
 * A comma-separated list into at most PERF_MAX_EVENTS specs; *n is how many.  An event that is
 * named twice counts once.  -1: one sentence about the first name that cannot be.
 */
int perf_names_parse(const struct perf_names *p, const char *list, struct perf_spec *out, size_t *n,
                     struct err *e);

/* Generic names in order of their table; NULL after the last.  For help and tests. */
const char *perf_name_at(size_t i);

/* "yes", or "no" when the program was built without libpfm4. */
const char *perf_names_libpfm(void);

#endif
