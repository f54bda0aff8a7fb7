/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The clock of another host, read by many threads while it is steered, and slept on.
 */
#include "cluster/clock.h"

#include <sched.h>

#include <stdlib.h>

#include "base/test.h"

#define READERS 3
#define AHEAD   (1000000 * NS_PER_SEC)

static struct clock *clock_there;
static _Atomic mono_ns latest;
static _Atomic bool over;
static _Atomic uint64_t backwards, readings;

/* Whatever any thread has read before, this reading is not less. */
static void *reader(void *arg)
{
    while (!over) {
        mono_ns before = atomic_load(&latest), now = clock_now(clock_there);

        backwards += now < before;
        readings++;
        while (before < now && !atomic_compare_exchange_weak(&latest, &before, now))
            ;
    }
    return arg;
}

static void check_readers(void)
{
    struct cluster_clock *k = cluster_clock_new(AHEAD, 0);
    pthread_t t[READERS];

    clock_there = (struct clock *)k;
    for (int i = 0; i < READERS; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    while (readings == 0)
        sched_yield();
    for (int i = 0; i < 20000; i++) {
        double sign = i % 2 ? 1 : -1;

        cluster_clock_steer(k, clock_mono(), AHEAD + (dur_ns)(sign * 5e6), sign * 450e-6);
    }
    over = true;
    for (int i = 0; i < READERS; i++)
        pthread_join(t[i], NULL);
    CHECK_INT(backwards, 0);
    free(k);
}

/* A sleep ends at its instant or later, and the alarm of others is for no later one. */
static void check_sleep(dur_ns d, double drift)
{
    struct cluster_clock *k = cluster_clock_new(AHEAD, drift);
    struct clock *c = (struct clock *)k;
    _Atomic uint32_t word = 0;
    mono_ns begin = clock_mono(), until = clock_now(c) + d;
    dur_ns slept;

    CHECK(c->wake_at(c, until) <= clock_mono() + d + d / 1000);
    CHECK(clock_await(c, until, &word, 0));
    slept = clock_mono() - begin;
    CHECK(clock_now(c) >= until);
    CHECK((double)slept >= (double)d * (1 - 2e-3));
    word = 1;
    CHECK(!clock_await(c, MONO_NEVER, &word, 0));
    CHECK(!clock_await(c, until + NS_PER_SEC, &word, 0));
    CHECK(c->wake_at(c, MONO_NEVER) == MONO_NEVER);
    free(k);
}

/* It is no clock of a test, and its label is the wall clock. */
static void check_label(void)
{
    struct cluster_clock *k = cluster_clock_new(AHEAD, 0);
    struct clock *c = (struct clock *)k;
    wall_ns before = clock_wall(), label = clock_label(c, clock_now(c)), after = clock_wall();

    CHECK(!clock_held(c));
    CHECK(label >= before - NS_PER_MS && label <= after + NS_PER_MS);
    free(k);
}

TEST_MAIN(cluster_clock_test)
{
    check_readers();
    check_sleep(NS_PER_MS, 0);
    check_sleep(700 * NS_PER_MS, 400e-6);
    check_sleep(20 * NS_PER_MS, -400e-6);
    check_label();
    return test_done("cluster_clock_test");
}
