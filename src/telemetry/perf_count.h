/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counting events of running processes through perf_event_open(2), in counting mode: nothing is
 * sampled, nothing interrupts the server.  Two ways, the first where it is possible:
 *
 *     by cgroup    the processes have a control group of their own (a systemd unit, a container):
 * one counter per event and CPU, however many threads there are; every thread and child, now and
 * later, is in it.  Needs CAP_PERFMON or root. by thread    one counter per event and thread that
 * exists now, inherited by whatever it starts from then on.  What a thread does that is born while
 * this is being set up may be missed; `strays` tells how many such threads were seen.
 *
 * Events of one kind are opened in groups that the CPU can count together, so that ratios compare
 * like with like and one system call reads a group.  What cannot be counted gets its reason in
 * spec[i].why; that alone is no failure.  One thread at a time.
 */
#ifndef SB_TELEMETRY_PERF_COUNT_H
#define SB_TELEMETRY_PERF_COUNT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "telemetry/perf_figures.h"
#include "telemetry/perf_names.h"

struct perf_count; /* opaque */

/*
 * Begins to count.  The specs are copied.  With `tree` the pids stand for all their descendants
 * too. Never fails as a whole: in the worst case no event can be counted and each says why.
 */
struct perf_count *perf_count_open(const struct perf_spec *spec, size_t n, const pid_t *pids,
                                   size_t npids, bool tree);
void perf_count_close(struct perf_count *c); /* NULL is allowed */

/* 10 us by cgroup; by thread some 1.5 us for each thread and group. */
void perf_count_read(struct perf_count *c, struct perf_reading *out);

/* The specs with the reasons that opening found; valid until close. */
const struct perf_spec *perf_count_spec(const struct perf_count *c, size_t *n);

/* "by thread, 2057 threads", "by control group /system.slice/mariadb.service"; valid until close.
 */
const char *perf_count_how(const struct perf_count *c);

#endif
