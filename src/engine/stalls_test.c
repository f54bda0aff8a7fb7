/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which silences are standstills, and from when to when: the rule, without clients.
 */
#include "engine/collect.h"

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

/* The first is cold, ten are usual: a jump is three times the largest, and 5 more. */
static void test_jumps(void)
{
    struct jump j = {0};

    CHECK(!jump_see(&j, 900, 5));
    for (int i = 0; i < 10; i++)
        CHECK(!jump_see(&j, i == 4 ? 20 : 8, 5));
    CHECK(!jump_see(&j, 59, 5));
    CHECK(!jump_see(&j, 177, 119));
    CHECK(jump_see(&j, 531, 5));
    CHECK_NEAR(j.before, 177, 0);
    CHECK(!jump_see(&j, 531, 5)); /* it is usual now */
    j = (struct jump){0};
    for (int i = 0; i < 11; i++)
        CHECK(!jump_see(&j, i ? i : 100, 5));
    CHECK(!jump_see(&j, 29, 10) && jump_see(&j, 87, 10));
}

TEST_MAIN(stalls_test)
{
    test_jumps();
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
