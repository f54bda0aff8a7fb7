/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's clock and the one that a test holds, through the same functions.
 */
#include "base/test_clock.h"

#include <pthread.h>
#include <signal.h>

#include "base/test.h"

/* --- the machine's --- */

static void sleeps(void)
{
    _Atomic uint32_t word = 7;
    mono_ns now = clock_mono(), until = now + 3 * NS_PER_MS;

    CHECK(!clock_await(NULL, MONO_NEVER, &word, 8)); /* it has changed already */
    CHECK(clock_await(NULL, now - NS_PER_SEC, &word, 7));
    CHECK(clock_await(NULL, until, &word, 7));
    CHECK(clock_now(NULL) >= until);
}

static _Atomic uint32_t woken;

static void *sleep_for_ever(void *arg)
{
    bool *timed_out = arg;

    *timed_out = clock_await(NULL, MONO_NEVER, &woken, 0);
    return NULL;
}

static void wakes(void)
{
    bool timed_out = true;
    pthread_t t;

    CHECK_INT(clock_thread_create(NULL, &t, NULL, sleep_for_ever, &timed_out), 0);
    atomic_store(&woken, 1);
    clock_notify(NULL, &woken);
    CHECK_INT(clock_thread_join(NULL, t), 0);
    CHECK(!timed_out);
}

/* The label lies between two readings of the wall clock, unless the clock is set in between. */
/* A handler changes the word of the thread that it interrupts, which then sleeps no longer. */
static _Atomic uint32_t handled;

static void handle(int sig)
{
    (void)sig;
    atomic_store(&handled, 1);
}

static void *send_signals(void *sleeper)
{
    clock_await(NULL, clock_mono() + 20 * NS_PER_MS, &handled, 0); /* until it sleeps */
    while (atomic_load(&handled) == 0) {
        pthread_kill(*(pthread_t *)sleeper, SIGUSR1);
        clock_await(NULL, clock_mono() + NS_PER_MS, &handled, 0);
    }
    return NULL;
}

static void signals(void)
{
    const struct sigaction sa = {.sa_handler = handle, .sa_flags = SA_RESTART};
    pthread_t self = pthread_self(), sender;

    CHECK_INT(sigaction(SIGUSR1, &sa, NULL), 0);
    CHECK_INT(pthread_create(&sender, NULL, send_signals, &self), 0);
    CHECK(!clock_await(NULL, MONO_NEVER, &handled, 0));
    pthread_join(sender, NULL);
}

static void label(void)
{
    wall_ns before = clock_wall(), at = clock_label(NULL, clock_mono()), after = clock_wall();

    CHECK(at >= before - NS_PER_MS && at <= after + NS_PER_MS);
    before = clock_wall();
    at = clock_wall_at(clock_mono() + NS_PER_SEC) - NS_PER_SEC;
    after = clock_wall();
    CHECK(at >= before - NS_PER_MS && at <= after + NS_PER_MS);
}

/* --- the held one --- */

static struct held_clock *held;
static char trace[64];
static size_t traced;
static _Atomic uint32_t gate;

static void note(char c)
{
    trace[traced++] = c;
    trace[traced] = '\0';
}

static void begin_trace(void)
{
    traced = 0;
    trace[0] = '\0';
}

/* Sleeps 3 times, 10 ns each from `first` on. */
static void *sleeper(void *arg)
{
    const char *name = arg;

    held_clock_sleep(held, *name - 'a');
    for (int i = 0; i < 3; i++) {
        note(*name);
        held_clock_sleep(held, 10);
    }
    return NULL;
}

static void takes_turns(void)
{
    struct clock *c = held_clock(held);
    mono_ns began = clock_now(c);
    pthread_t t[3];

    begin_trace();
    for (int i = 0; i < 3; i++)
        clock_thread_create(c, &t[i], NULL, sleeper, (void *)(uintptr_t)("cab" + i));
    note('-'); /* no other thread runs before this one sleeps or waits */
    for (int i = 0; i < 3; i++)
        clock_thread_join(c, t[i]);
    CHECK_STR(trace, "-abcabcabc");
    CHECK_INT(clock_now(c) - began, 32);
}

static void *at_the_gate(void *arg)
{
    const char *name = arg;

    CHECK(!clock_await(held_clock(held), clock_now(held_clock(held)) + 100, &gate, 0));
    note(*name);
    return NULL;
}

static void wakes_in_order(void)
{
    struct clock *c = held_clock(held);
    mono_ns began = clock_now(c);
    _Atomic uint32_t other = 0;
    pthread_t t[3];

    begin_trace();
    for (int i = 0; i < 3; i++)
        clock_thread_create(c, &t[i], NULL, at_the_gate, (void *)(uintptr_t)("xyz" + i));
    held_clock_sleep(held, 5); /* the others sleep */
    clock_notify(c, &gate);    /* it has not changed: no thread wakes */
    held_clock_sleep(held, 5);
    CHECK_STR(trace, "");
    atomic_store(&gate, 1);
    CHECK(clock_await(c, clock_now(c) + 5, &other, 0)); /* changed, but no thread was woken */
    CHECK_STR(trace, "");
    clock_notify(c, &gate);
    for (int i = 0; i < 3; i++)
        clock_thread_join(c, t[i]);
    CHECK_STR(trace, "xyz");
    CHECK_INT(clock_now(c) - began, 15);
}

static void passes_by(void)
{
    struct clock *c = held_clock(held);
    mono_ns began = clock_now(c);
    _Atomic uint32_t word = 1;

    CHECK(!clock_await(c, MONO_NEVER, &word, 0));
    CHECK(clock_await(c, began - 1, &word, 1));
    CHECK_INT(clock_now(c), began);
    c->spin(c, MONO_NEVER);
    CHECK_INT(clock_now(c) - began, HELD_CLOCK_SPIN);
    c->spin(c, began + HELD_CLOCK_SPIN + 1);
    CHECK_INT(clock_now(c) - began, HELD_CLOCK_SPIN + 1);
    held_clock_stall(held, 1000);
    CHECK_INT(clock_now(c) - began, HELD_CLOCK_SPIN + 1001);
    CHECK_INT(clock_label(c, began) - began, HELD_CLOCK_AHEAD);
}

TEST_MAIN(clock_test)
{
    sleeps();
    wakes();
    signals();
    label();
    held = held_clock_new();
    CHECK_INT(clock_now(held_clock(held)), HELD_CLOCK_START);
    takes_turns();
    wakes_in_order();
    passes_by();
    held_clock_free(held);
    return test_done("clock_test");
}
