/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which silences are standstills, and from when to when: the rule, without clients.
 */
#include "engine/collect.h"

#include <math.h>

#include "base/rng.h"
#include "base/test.h"

#define MS NS_PER_MS

/* Looks every 50 ms at 1,000 s and later; the latest end stays, and one begun at `earliest` is
 * under way, until one ends at `end`, which is seen at the next look. */
static struct stalls see(uint64_t ended, dur_ns earliest, dur_ns end, unsigned under_way,
                         bool *told)
{
    const mono_ns zero = 1000 * NS_PER_SEC;
    struct stalls s = {0};
    struct stall_look v = {.began = zero - 100 * NS_PER_SEC,
                           .latest = zero,
                           .earliest = zero + earliest,
                           .under_way = under_way,
                           .ended = ended,
                           .first = MONO_NEVER};

    *told = false;
    for (v.now = zero + 30 * MS; v.now < zero + end; v.now += 50 * MS)
        *told |= stalls_see(&s, &v);
    v.latest = v.now;
    v.first = zero + end;
    *told |= stalls_see(&s, &v);
    *told |= stalls_see(&s, &v);
    s.begin -= s.begin ? zero : 0;
    s.end -= s.end ? zero : 0;
    return s;
}

/* The first is cold, ten are usual: a jump is four times the third largest, and 5 more. */
static void test_jumps(void)
{
    struct jump j = {0};

    CHECK(!jump_see(&j, 900, 5));
    for (int i = 0; i < 10; i++)
        CHECK(!jump_see(&j, i == 4 ? 20 : 8, 5));
    CHECK(!jump_see(&j, 31, 5));
    CHECK(!jump_see(&j, 9, 100));
    CHECK(jump_see(&j, 900, 5));
    CHECK_NEAR(j.before, 9, 0);
    CHECK(jump_see(&j, 80, 5)); /* none hides the next */
    CHECK_NEAR(j.before, 20, 0);
    CHECK(!jump_see(&j, 123, 5)); /* until it is usual */
    CHECK_NEAR(j.before, 31, 0);
    CHECK(jump_see(&j, 500, 5));
    CHECK_NEAR(j.before, 80, 0);
    CHECK(!jump_see(&j, 491, 5));
}

/* p99 of 200, of a queue with one server that is busy for `busy` of the time; 0: without a queue.
 * See jump_note: none in steady runs. */
static void test_steady_runs(double busy)
{
    struct rng rng;
    double waits = 0, took = 0;

    rng_seed_pair(&rng, 42, 0);
    for (int run = 0; run < 30; run++) {
        struct jump j = {0};
        for (int i = 0; i < 200; i++) {
            double most[3] = {0};
            for (int k = 0; k < 200; k++) {
                waits = busy > 0 ? fmax(waits + took + log(1 - rng_double(&rng)) / busy, 0) : 0;
                took = -log(1 - rng_double(&rng));
                double v = waits + took;
                for (int m = 0; m < 3; m++) {
                    double more = fmax(v, most[m]);
                    v = fmin(v, most[m]);
                    most[m] = more;
                }
            }
            CHECK(!jump_see(&j, most[2], 0));
        }
    }
}

TEST_MAIN(stalls_test)
{
    test_jumps();
    test_steady_runs(0);
    test_steady_runs(0.9);
    static const struct {
        const char *name;
        uint64_t ended; /* in the 100 s before */
        int earliest, end;
        unsigned under_way;
        bool told;
    } t[] = {
        {"1,000 a second, half a second", 100000, -9, 500, 8, true},
        {"short", 100000, -9, 190, 8, false},
        {"nothing under way", 100000, -9, 500, 0, false},
        {"it began later", 100000, 250, 500, 8, true},
        {"and was short", 100000, 350, 500, 8, false},
        {"20 a second, 0.85 s may be chance", 2000, -9, 850, 8, false},
        {"0.9 s may not", 2000, -9, 900, 8, true},
        {"nothing has ended before: what is usual is not known", 0, -9, 900, 8, false},
    };
    bool told;

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct stalls s = see(t[i].ended, t[i].earliest * MS, t[i].end * MS, t[i].under_way, &told);
        TEST_REPORT(told == t[i].told, "%s", t[i].name);
        if (told) {
            CHECK_INT(s.begin, t[i].earliest > 0 ? t[i].earliest * MS : 0);
            CHECK_INT(s.end, t[i].end * MS);
        }
    }
    /* the run ends meanwhile: it lasted until the last look */
    struct stalls s = {0};
    struct stall_look v = {.now = 1300 * MS, .latest = 1000 * MS, .under_way = 1, .ended = 1000000};
    CHECK(!stalls_see(&s, &v));
    v.over = true;
    CHECK(stalls_see(&s, &v));
    CHECK_INT(s.end - s.begin, 300 * MS);
    return test_done("stalls");
}
