/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All time in one place.  Durations and instants come from CLOCK_MONOTONIC in nanoseconds; the
 * wall clock is a label for people and files, never subtracted.  This module is the only caller
 * of clock_gettime for time of day; functions that decide something take `now` as an argument.
 * Any thread may call.
 */
#ifndef SB_BASE_CLOCK_H
#define SB_BASE_CLOCK_H

#include <pthread.h>
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

/* A clock of the kernel, also one of CPU time; -1: it cannot be read. */
static inline int64_t clock_read(clockid_t clock)
{
    struct timespec ts;
    return clock_gettime(clock, &ts) ? -1 : (int64_t)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static inline mono_ns clock_mono(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

wall_ns clock_wall(void);

/* The time since the system was started, that in which it was suspended included. */
dur_ns clock_boot(void);

/* The wall clock at that instant, past or future: the instant plus the present offset of the wall
 * clock from the monotonic clock. */
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
 * first; the word is a futex, and clock_wake() wakes its sleepers.  Returns true when the instant
 * was reached, false when the word had changed.  No wake-up is lost: the kernel compares the word
 * under the lock that clock_wake takes to look for sleepers.
 */
bool clock_sleep_until(mono_ns until, _Atomic uint32_t *word, uint32_t expect);

/* Wakes every thread that sleeps on the word; change the word first. */
void clock_wake(_Atomic uint32_t *word);

/* Asks the kernel to let this thread's sleeps end within 1 ns instead of 50 us of slack. */
void clock_precise_sleeps(void);

/*
 * The clock of a run.  A test can replace it by one that it holds (base/test_clock.h), a rank by
 * one that shows another host's time (cluster/clock.h).  NULL stands for CLOCK_MONOTONIC
 * and costs one test of a pointer.  Code that follows a clock reads it, sleeps, waits and starts
 * threads only through the functions below.
 */
struct clock {
    mono_ns (*now)(struct clock *c); /* also in a signal handler */
    bool (*sleep_until)(struct clock *c, mono_ns until, _Atomic uint32_t *word, uint32_t expect);
    /* Where others than the clock's own functions wait: when to wake by CLOCK_MONOTONIC, not later
     * than `until`; look at the clock then, and wait again. */
    mono_ns (*wake_at)(struct clock *c, mono_ns until);
    void (*spin)(struct clock *c, mono_ns until); /* one turn of a loop that waits for `until` */
    /* NULL: as without a clock */
    void (*wake)(struct clock *c, _Atomic uint32_t *word);
    int (*thread_create)(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                         void *(*fn)(void *), void *arg);
    int (*thread_join)(struct clock *c, pthread_t thread);
    dur_ns wall_ahead; /* of the wall clock */
    bool held;         /* by a test: it does not go on by itself */
};

static inline mono_ns clock_now(struct clock *c)
{
    return __builtin_expect(c != NULL, 0) ? c->now(c) : clock_mono();
}

/* True when time stands still while threads work. */
static inline bool clock_held(const struct clock *c)
{
    return c && c->held;
}

/* When to wake by CLOCK_MONOTONIC for that instant of a clock that is not held. */
static inline mono_ns clock_wake_at(struct clock *c, mono_ns until)
{
    return c ? c->wake_at(c, until) : until;
}

/* As clock_sleep_until, clock_wake and clock_wall_at. */
bool clock_await(struct clock *c, mono_ns until, _Atomic uint32_t *word, uint32_t expect);
void clock_notify(struct clock *c, _Atomic uint32_t *word);
wall_ns clock_label(struct clock *c, mono_ns at);

/* As pthread_create and pthread_join, for threads that follow the clock. */
int clock_thread_create(struct clock *c, pthread_t *thread, const pthread_attr_t *attr,
                        void *(*fn)(void *), void *arg);
int clock_thread_join(struct clock *c, pthread_t thread);

#endif
