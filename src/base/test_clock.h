/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Simulated time for tests: the clock stands still while any thread works.  Only *_test.c files use
 * it.
 *
 *     struct held_clock *h = held_clock_new();
 *     plan.clock = held_clock(h);
 *     ... run; held_clock_sleep() where a transaction would take time ...
 *     held_clock_free(h);
 *
 * Of all threads that follow the clock exactly one runs at a time; it goes on until it sleeps,
 * waits for a thread, or ends.  Then the thread that was woken first runs.  When none was woken,
 * the clock jumps to the earliest instant for which a thread sleeps; threads with equal instants
 * run in the order in which they went to sleep.  So a run is the same each time, to the nanosecond,
 * and takes no longer than its work.
 *
 * The thread that calls held_clock_new() is the first one; the others are those that
 * clock_thread_create() starts.  When all of them sleep for ever the test hangs: the program says
 * so and aborts.  A thread may also be woken by a signal handler that runs on the running thread
 * (raise()).
 */
#ifndef SB_BASE_TEST_CLOCK_H
#define SB_BASE_TEST_CLOCK_H

#include "base/clock.h"

/* The first instant, and how far the wall clock is ahead of it.  They are not round numbers, so
 * that no result is right by accident. */
#define HELD_CLOCK_START INT64_C(7777777777)
#define HELD_CLOCK_AHEAD INT64_C(1700000000123456789)

/* The duration of one turn of a loop that spins. */
#define HELD_CLOCK_SPIN INT64_C(100)

struct held_clock;

struct held_clock *held_clock_new(void);

/* Threads that have not ended sleep for ever, and keep the clock. */
void held_clock_free(struct held_clock *h);

struct clock *held_clock(struct held_clock *h);

/* The running thread sleeps; no event wakes it early. */
void held_clock_sleep(struct held_clock *h, dur_ns d);

/* Stops the running thread for that long: what other threads had to do meanwhile happens late. */
void held_clock_stall(struct held_clock *h, dur_ns d);

#endif
