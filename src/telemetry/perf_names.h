/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Translates names of countable events for perf_event_open.  The kernel's generic events (hardware,
 * caches, software) are built in, tracepoints are looked up in tracefs, and libpfm4 knows the
 * further events of a particular CPU, where the program was built with it.
 *
 *     instructions  cycles:u  L1-icache-load-misses:u  generic
 *     syscalls:sys_enter_read  sched:sched_switch      tracepoints
 *     syscalls                                         short for raw_syscalls:sys_enter
 *     r01c2:u                                          raw, hexadecimal
 *     skl::UOPS_RETIRED:ALL:u                          libpfm4
 *
 * A suffix :u counts in user mode only, :k in the kernel only.  An unknown name is an error that
 * suggests the nearest names: the user learns of it before the run, not from a column of n/a.
 *
 * One thread at a time; nothing is counted here.
 */
#ifndef SB_TELEMETRY_PERF_NAMES_H
#define SB_TELEMETRY_PERF_NAMES_H

#include <stddef.h>

#include "base/err.h"
#include "telemetry/perf_spec.h"

#define PERF_MAX_EVENTS 32

/* What `default` stands for in a list of events.  It omits `syscalls`, which costs a saturated
 * server 3 % of its throughput. */
#define PERF_DEFAULT_EVENTS                                                                        \
    "instructions:u,cycles:u,L1-icache-load-misses:u,iTLB-load-misses:u,branch-misses:u,"          \
    "branches:u,context-switches,cpu-migrations,page-faults"

struct perf_names {
    int tracefs_fd; /* -1: */
    char tracefs_why[120];
};

/* `tracefs` names a test's folder; NULL: the system's mount or, if there is none, a private
 * mount. */
void perf_names_open(struct perf_names *p, const char *tracefs);
void perf_names_close(struct perf_names *p);

/*
 * Reads a comma-separated list into at most PERF_MAX_EVENTS specs; *n is their number.  An event
 * that is named twice counts once.  -1: one sentence about the first invalid name.
 */
int perf_names_parse(const struct perf_names *p, const char *list, struct perf_spec *out, size_t *n,
                     struct err *e);

/* Generic names in order of their table; NULL after the last.  For help and tests. */
const char *perf_name_at(size_t i);

/* "yes", or "no" when the program was built without libpfm4. */
const char *perf_names_libpfm(void);

#endif
