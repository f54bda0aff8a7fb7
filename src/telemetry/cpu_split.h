/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How much of a CPU time that is known to the nanosecond was user and how much was system time.
 *
 * The kernel knows the sum exactly (the CPU-time clock) but the two parts only from its timer tick, and
 * /proc/PID/stat cuts both to whole hundredths of a second.  Before it prints them it scales them so that
 * utime + stime is the exact sum and neither ever falls (cputime_adjust in kernel/sched/cputime.c).
 * So, with U and S the printed parts and C the sum, the truth about user time lies in
 * [U, U + 10 ms) and, because the rest is system time, also in (C - S - 10 ms, C - S]: the middle of both,
 * U + (C - U - S) / 2, is at most 5 ms off, whatever the length of the interval, and the error does not
 * add up from reading to reading.  Dividing the interval's CPU time by the interval's ticks instead
 * would be off by 10 ms each time.
 *
 * Where the printed parts do not add up to the clock (architectures that account at every entry to the
 * kernel and leave out what interrupts took), the rest is divided in proportion.
 *
 * Pure arithmetic; any thread may call.
 */
#ifndef SB_TELEMETRY_CPU_SPLIT_H
#define SB_TELEMETRY_CPU_SPLIT_H

#include <stdint.h>

/* Clock ticks of tick_ns in ns; huge values stop at INT64_MAX. */
int64_t cpu_ticks_ns(uint64_t ticks, int64_t tick_ns);

/* The user part of cpu_ns, given the printed utime and stime: 0 <= result <= cpu_ns. */
int64_t cpu_split_user(int64_t cpu_ns, uint64_t utime, uint64_t stime, int64_t tick_ns);

/* A running division: each part only grows, and together they are cpu_ns. */
struct cpu_split {
    int64_t cpu_ns, user_ns;
};

/*
 * Moves to the sum cpu_ns, of which user_ns is the best estimate; where the estimate would make one of the
 * parts shrink, that part stands still until the estimate has caught up.  A smaller cpu_ns changes nothing.
 */
void cpu_split_advance(struct cpu_split *s, int64_t cpu_ns, int64_t user_ns);

#endif
