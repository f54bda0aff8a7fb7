/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All time in one place.  Durations and instants come from CLOCK_MONOTONIC in nanoseconds; the
 * wall clock is a label for people and files, never subtracted.  This module is the only caller
 * of clock_gettime for time of day; functions that decide something take `now` as an argument.
 * Any thread may call.
 */
#ifndef SB_BASE_CLOCK_H
#define SB_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef int64_t mono_ns; /* an instant of CLOCK_MONOTONIC */
typedef int64_t wall_ns; /* an instant of CLOCK_REALTIME, ns since the epoch */
typedef int64_t dur_ns;  /* a difference of two mono_ns */

#define NS_PER_US  INT64_C(1000)
#define NS_PER_MS  INT64_C(1000000)
#define NS_PER_SEC INT64_C(1000000000)
#define MONO_NEVER INT64_MAX

static inline mono_ns clock_mono(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (mono_ns)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

wall_ns clock_wall(void);

/* The wall clock as it was, or will be, at that instant: its present offset from the monotonic
 * clock added to it. */
wall_ns clock_wall_at(mono_ns at);

static inline double dur_sec(dur_ns d)
{
    return (double)d / 1e9;
}

static inline double dur_ms(dur_ns d)
{
    return (double)d / 1e6;
}

/*
 * Sleeps until `until` (MONO_NEVER: for ever) or until *word differs from `expect`, whichever is
 * first; the word is a futex that clock_wake() announces.  Returns true when the instant was
 * reached, false when the word had changed.  No wake-up is lost: the kernel compares the word
 * under the same lock under which clock_wake looks for sleepers.
 */
bool clock_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect);

/* Wakes everybody who sleeps on the word; change it first. */
void clock_wake(_Atomic uint32_t *word);

/* Asks the kernel to let this thread's sleeps end within 1 ns instead of 50 us of slack. */
void clock_precise_sleeps(void);

#endif
