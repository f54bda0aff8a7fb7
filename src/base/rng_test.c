/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Streams and seeds: the generator against its published definition, the seeder against libc's own
 * random(), and the independence of our own streams.  dist_test and uniq_test have the values that
 * sysbench 1.0.20 draws with them.
 */
#include "base/rng.h"

#include <stdlib.h>

#include "base/test.h"

/* A private state gives random()'s own sequence, and random() does not disturb it. */
static void test_seeder_is_libc(void)
{
    static const unsigned seeds[] = {0, 1, 2, 42, 1700000000, 4294967295u};
    struct rng_seeder s;

    rng_seeder_init(&s, 1);
    /* as a process begins, unless a library has drawn already: OpenResty's LuaJIT does when it
     * is loaded */
    srandom(1);
    for (int i = 0; i < 1000; i++)
        CHECK_INT(rng_seeder_draw(&s), random());
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        srandom(seeds[k]);
        rng_seeder_init(&s, seeds[k]);
        for (int i = 0; i < 1000; i++)
            CHECK_INT(rng_seeder_draw(&s), random());
    }
    rng_seeder_init(&s, 1);
    srandom(99);
    for (int i = 0; i < 5; i++)
        random();
    CHECK_INT(rng_seeder_draw(&s), 1804289383); /* the familiar first value of rand() */
    CHECK_INT(rng_seeder_draw(&s), 846930886);
    CHECK_INT(rng_seeder_draw(&s), 1681692777);
    CHECK_INT(rng_seeder_draw(&s), 1714636915);
    CHECK_INT(rng_seeder_draw(&s), 1957747793);
}

static uint64_t rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

/* The published step: sum of the two words, then the linear engine with 55, 14, 36. */
static void test_generator(void)
{
    uint64_t a = 1, b = 2;
    struct rng r = {{1, 2}};
    int bad = 0;

    for (int i = 0; i < 10000; i++) {
        uint64_t want = a + b, x = a ^ b;
        a = rotate(a, 55) ^ x ^ x << 14;
        b = rotate(x, 36);
        bad += rng_next(&r) != want;
    }
    CHECK_INT(bad, 0);
}

static void test_double(void)
{
    struct rng highest = {{UINT64_MAX, 0}}, lowest = {{0xfff, 0}}, r;
    double sum = 0, squares = 0, product = 0, before = 0.5;
    enum { N = 200000 };

    CHECK_NEAR(rng_double(&highest), 1 - 0x1.0p-52, 0);
    CHECK(1 - 0x1.0p-52 < 1);
    CHECK_NEAR(rng_double(&lowest), 0, 0);
    rng_seed_pair(&r, 1, 1);
    for (int i = 0; i < N; i++) {
        double u = rng_double(&r);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        product += (u - 0.5) * (before - 0.5);
        before = u;
    }
    CHECK_NEAR(sum / N, 0.5, 4 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(squares / N, 1.0 / 12, 4 * sqrt(1.0 / 180 / N));
    CHECK_NEAR(product / N, 0, 4.0 / 12 / sqrt(N));
}

/* Streams of neighbouring seeds and purposes: repeatable, different, uncorrelated from the first
 * value on. */
static void test_seed_pair(void)
{
    enum { N = 50000 };
    double sum = 0, neighbours = 0, purposes = 0;
    int same = 0;

    for (uint64_t i = 0; i < N; i++) {
        struct rng a, again, b, c;
        double u;
        rng_seed_pair(&a, i, 3);
        rng_seed_pair(&again, i, 3);
        rng_seed_pair(&b, i + 1, 3);
        rng_seed_pair(&c, i, 4);
        same += a.s[0] == b.s[0] || a.s[0] == c.s[0];
        u = rng_double(&a) - 0.5;
        same += u != rng_double(&again) - 0.5;
        sum += u;
        neighbours += u * (rng_double(&b) - 0.5);
        purposes += u * (rng_double(&c) - 0.5);
    }
    CHECK_INT(same, 0);
    CHECK_NEAR(sum / N, 0, 4 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(neighbours / N, 0, 4.0 / 12 / sqrt(N));
    CHECK_NEAR(purposes / N, 0, 4.0 / 12 / sqrt(N));
}

static void check_skip(const struct rng_skip *s, struct rng r, unsigned draws)
{
    struct rng walked = r;

    for (unsigned i = 0; i < draws; i++)
        rng_next(&walked);
    rng_skip(s, &r);
    CHECK(r.s[0] == walked.s[0] && r.s[1] == walked.s[1]);
}

/* A skip is as many draws as it says, for every bit of a state. */
static void test_skip(void)
{
    static const unsigned draws[] = {0, 1, 2, 55, 165, 1000};
    static struct rng_skip s;
    struct rng r;

    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        rng_skip_init(&s, draws[i]);
        check_skip(&s, (struct rng){{0, 0}}, draws[i]);
        check_skip(&s, (struct rng){{UINT64_MAX, UINT64_MAX}}, draws[i]);
        for (unsigned bit = 0; bit < 128; bit++)
            check_skip(&s,
                       (struct rng){{bit < 64 ? UINT64_C(1) << bit : 0,
                                     bit < 64 ? 0 : UINT64_C(1) << (bit - 64)}},
                       draws[i]);
        rng_seed_pair(&r, 42, draws[i]);
        for (int n = 0; n < 100; n++) {
            check_skip(&s, r, draws[i]);
            rng_next(&r);
        }
    }
}

TEST_MAIN(rng_test)
{
    test_seeder_is_libc(); /* first: libc's default state exists only once */
    test_generator();
    test_double();
    test_seed_pair();
    test_skip();
    return test_done("rng_test");
}
