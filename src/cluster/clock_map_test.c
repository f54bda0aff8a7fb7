/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The map of one clock to another: it never jumps, never runs backwards, and reaches what it is
 * steered to.
 */
#include "cluster/clock.h"

#include "base/rng.h"
#include "base/test.h"

#define START (1000 * NS_PER_SEC)

static void check_plain(void)
{
    struct clock_map m = clock_map_make(START, 5 * NS_PER_SEC, 100e-6);

    CHECK_INT(clock_map_at(&m, START), START + 5 * NS_PER_SEC);
    CHECK_INT(clock_map_at(&m, START + NS_PER_SEC), START + 6 * NS_PER_SEC + 100000);
    CHECK_INT(clock_map_own(&m, START + 6 * NS_PER_SEC + 100000), START + NS_PER_SEC);
}

/* The present stays, the rate is within its limits, and the error is gone after the horizon. */
static void check_steer(void)
{
    struct clock_map m = clock_map_make(START, 0, 0);
    mono_ns now = START + NS_PER_SEC;

    clock_map_steer(&m, now, 200 * NS_PER_US, 10e-6);
    CHECK_INT(clock_map_at(&m, now), now);
    CHECK_NEAR(m.rate, 110e-6, 1e-12);
    CHECK_INT(m.turn, now + CLOCK_MAP_HORIZON);
    now += CLOCK_MAP_HORIZON;
    CHECK_NEAR(clock_map_at(&m, now) - now, 200 * NS_PER_US + 20 * NS_PER_US, 2);
    now += NS_PER_SEC;
    CHECK_NEAR(clock_map_at(&m, now) - now, 200 * NS_PER_US + 30 * NS_PER_US, 2);
}

static void check_large_error(void)
{
    struct clock_map m = clock_map_make(START, 0, 0);

    clock_map_steer(&m, START, -NS_PER_SEC, 0);
    CHECK_NEAR(m.rate, -CLOCK_MAP_SLEW, 1e-15);
    CHECK_INT(m.turn, START + 2000 * NS_PER_SEC);
    CHECK_INT(clock_map_at(&m, m.turn), m.turn - NS_PER_SEC);
}

static void check_own(const struct clock_map *m, mono_ns at)
{
    mono_ns own = clock_map_own(m, at);

    CHECK(clock_map_at(m, own) >= at);
    CHECK(clock_map_at(m, own - 1) < at);
}

/* Steered at random, read at random: later is never less. */
static void check_monotonic(void)
{
    struct clock_map m = clock_map_make(START, -(INT64_C(1) << 50), 300e-6);
    mono_ns own = START, before = 0;
    struct rng rng;

    rng_seed_pair(&rng, 17, 5);
    for (int i = 0; i < 100000; i++) {
        own += (mono_ns)(rng_double(&rng) * 5e7);
        if (i)
            CHECK(clock_map_at(&m, own) >= before);
        before = clock_map_at(&m, own);
        CHECK(clock_map_at(&m, own + 1) >= before);
        if (i % 10 == 0) {
            clock_map_steer(&m, own, -(INT64_C(1) << 50) + (dur_ns)(rng_double(&rng) * 1e7),
                            (rng_double(&rng) - 0.5) * 1e-3);
            CHECK_INT(clock_map_at(&m, own), before); /* continuous */
        }
        check_own(&m, before + (mono_ns)(rng_double(&rng) * 1e10));
    }
}

TEST_MAIN(clock_map_test)
{
    check_plain();
    check_steer();
    check_large_error();
    check_monotonic();
    return test_done("clock_map_test");
}
