/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Splits a CPU time that is known to the nanosecond into user and system time.
 *
 * The kernel knows the sum exactly (the CPU-time clock) but the two parts only from its timer tick,
 * and /proc/PID/stat cuts both to whole hundredths of a second.  Before it prints them it scales
 * them so that utime + stime is the exact sum and neither ever falls (cputime_adjust in
 * kernel/sched/cputime.c).  So, with U and S the printed parts, C the sum and t = 10 ms, the rest r
 * = C - U - S has to be divided, and at least r - t and at most t of it is user time.  Of numbers
 * greater than t, t / 2 was cut off on average: both get r / 2.  Of a number smaller than t
 * everything was cut off; the best guess is the likely share, from what is known about this process
 * and, for one that has hardly run (a thousand PostgreSQL backends with 1 ms each), about its whole
 * tree, but at most t, since more would have shown.  The error is below 10 ms, on average below 3,
 * whatever the length of the interval, and does not add up from reading to reading.  Dividing each
 * interval's CPU time by the interval's ticks instead would be off by 10 ms each time.
 *
 * Where the printed parts do not add up to the clock (architectures that account at every entry to
 * the kernel and leave out the time of interrupts), the rest is divided in proportion.
 *
 * Pure arithmetic; any thread may call.
 */
#ifndef SB_TELEMETRY_CPU_SPLIT_H
#define SB_TELEMETRY_CPU_SPLIT_H

#include <stdint.h>

/* Clock ticks of tick_ns in ns; huge values stop at INT64_MAX. */
int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns);

/*
 * The user part of cpu_ns, given the printed utime and stime: 0 <= result <= cpu_ns.  `share` (0 to
 * 1) is the likely user part of the time that the two do not show; 0.5 when nothing is known.
 */
int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns,
                       double share);

/* A running division: each part only grows, and together they are cpu_ns. */
struct cpu_split {
    int64_t cpu_ns, user_ns;
};

/*
 * Moves to the sum cpu_ns, of which user_ns is the best estimate; where the estimate would make one
 * of the parts shrink, that part stays until the estimate has caught up.  A smaller cpu_ns changes
 * nothing.
 */
void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns);

#endif
