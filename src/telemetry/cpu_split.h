/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Splits a CPU time that is known to the nanosecond into user and system time.
 *
 * The kernel knows the sum exactly (the CPU-time clock), but samples the two parts at its timer
 * tick.  It scales the samples so that utime + stime is the exact sum and neither ever decreases
 * (cputime_adjust in kernel/sched/cputime.c); then /proc/PID/stat truncates both to hundredths of a
 * second.  Let U and S be the printed parts, C the sum and t = 10 ms.  The remainder r = C - U - S
 * has to be divided; its user part is at least r - t and at most t.  A part that is not 0 lost t /
 * 2 to truncation on average, so each of two such parts gets r / 2.  A part that reads 0 lost all
 * that it was, at most t.  Its estimate is the likely share of r: the share of this process so far,
 * or of the whole tree if the process has hardly run (a thousand PostgreSQL backends with 1 ms
 * each).  The error is below 10 ms, on average below 3 ms, whatever the length of the interval, and
 * it does not accumulate from reading to reading.  Dividing each interval's CPU time in proportion
 * to that interval's ticks would be off by 10 ms each time.
 *
 * Some architectures account at every entry to the kernel and leave out interrupts.  There the
 * printed parts do not add up to the clock, and the remainder is divided in proportion to them.
 *
 * Pure arithmetic; any thread may call.
 */
#ifndef SB_TELEMETRY_CPU_SPLIT_H
#define SB_TELEMETRY_CPU_SPLIT_H

#include <stdint.h>

/* Clock ticks of tick_ns each, in ns; INT64_MAX if that would overflow. */
int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns);

/*
 * The user part of cpu_ns, given the printed utime and stime: 0 <= result <= cpu_ns.  `share` (0 to
 * 1) is the likely user share of the time that utime and stime do not show; pass 0.5 if it is
 * unknown.
 */
int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share);

/* The division of a growing sum: neither part ever decreases, and together they are cpu_ns. */
struct cpu_split {
    int64_t cpu_ns, user_ns;
};

/*
 * Advances to the sum cpu_ns with the estimate user_ns.  If the estimate would make a part
 * decrease, that part keeps its value until the estimate has caught up.  A smaller cpu_ns changes
 * nothing.
 */
void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns);

#endif
