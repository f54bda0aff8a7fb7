/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a client waits: for its planned start, for the start line, for the final reading.  This code
 * does not depend on what runs the client: sched_sleep_until() puts a client's thread to sleep on a
 * futex and parks a fiber (fiber/sched.h).  A run on a clock that a test holds has no workers:
 * there the client sleeps on that clock.
 */
#include "engine/client_state.h"

#include <ck_pr.h>

#include "engine/run_state.h"
#include "fiber/sched.h"

static bool await_once(const struct client *c, mono_ns until, _Atomic uint32_t *word)
{
    struct clock *clock = c->run->clock;

    if (__builtin_expect(!clock, 1))
        return sched_sleep_until(until, word, 0);
    if (clock->held)
        return clock_await(clock, until, word, 0);
    do /* on the clock of another host: its instants are looked up, and may move a little */
        if (!sched_sleep_until(clock_wake_at(clock, until), word, 0))
            return false;
    while (until != MONO_NEVER && clock_now(clock) < until);
    return true;
}

bool client_look_again(struct client *c)
{
    uint32_t look = WORD_LOOK;

    return LOAD(c->word) == WORD_LOOK && atomic_compare_exchange_strong(&c->word, &look, WORD_NONE);
}

bool client_await(struct client *c, mono_ns until, _Atomic uint32_t *word)
{
    while (!await_once(c, until, word))
        if (word != &c->word || !client_look_again(c))
            return false;
    return true;
}

bool client_await_change(struct client *c, mono_ns until)
{
    return await_once(c, until, &c->word);
}

/* A pause shorter than a trip through the scheduler is cheaper to spin than to sleep. */
#define SHORT_PAUSE (10 * NS_PER_US)

bool client_sleep(struct client *c, mono_ns until)
{
    dur_ns spin = c->run->plan->spin, pause = until - run_now(c->run);

    if (sched_current)
        return client_await_change(c, until);
    if (pause > SHORT_PAUSE && pause > spin) {
        if (!client_await_change(c, until - spin))
            return false;
        if (!spin)
            return true;
    }
    while (run_now(c->run) < until) {
        if (atomic_load_explicit(&c->word, memory_order_acquire))
            return false;
        if (c->run->clock)
            c->run->clock->spin(c->run->clock, until);
        else
            ck_pr_stall();
    }
    return true;
}
