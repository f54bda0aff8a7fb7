/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which seconds of a run lead to the report that workers are near their limit.
 */
#include "engine/busy.h"

#include <string.h>

#include "base/test.h"

#define MS NS_PER_MS

/* One reading a second: CPU time of two workers, idle time of the machine, in ms of that second. */
struct second {
    int cpu[2], idle, found;
};

static void course(const struct second *s, size_t n, dur_ns step, bool knows_idle)
{
    int64_t cpu[2] = {700 * MS, 5 * MS};
    struct busy_reading r = {.at = 1000, .idle = knows_idle ? 9 : -1, .cpu = cpu};
    int in_a_row = 0;
    double most;

    for (size_t i = 0; i < n; i++) {
        int64_t was[2] = {cpu[0], cpu[1]};
        struct busy_reading before = {.at = r.at, .idle = r.idle, .cpu = was};
        r.at += step;
        r.idle += knows_idle ? s[i].idle * MS : 0;
        cpu[0] += s[i].cpu[0] * MS;
        cpu[1] += s[i].cpu[1] * MS;
        CHECK_INT(busy_step(&in_a_row, 2, &before, &r, &most), s[i].found);
    }
}

static void says_once(void)
{
    static const struct second always[] = {{{950, 100}, 500, 0}, {{950, 100}, 500, 0},
                                           {{950, 100}, 500, 1}, {{950, 100}, 500, 0},
                                           {{950, 100}, 500, 0}, {{950, 100}, 500, 0}};
    static const struct second both[] = {
        {{910, 990}, 400, 0}, {{910, 990}, 400, 0}, {{910, 990}, 400, 2}};

    course(always, 6, 1000 * MS, true);
    course(both, 3, 1000 * MS, true);
    course(both, 3, 1000 * MS, false);
}

static void is_silent(void)
{
    static const struct second pauses[] = {{{950, 0}, 500, 0}, {{950, 0}, 500, 0},
                                           {{400, 0}, 900, 0}, {{950, 0}, 500, 0},
                                           {{950, 0}, 500, 0}, {{950, 0}, 500, 1}};
    static const struct second turns[] = {
        {{950, 0}, 500, 0}, {{0, 950}, 500, 0}, {{950, 0}, 500, 1}};
    static const struct second no_cpu_left[] = {
        {{950, 950}, 100, 0}, {{950, 950}, 100, 0}, {{950, 950}, 100, 0}, {{950, 950}, 0, 0}};
    static const struct second below[] = {
        {{890, 890}, 200, 0}, {{890, 890}, 200, 0}, {{890, 890}, 200, 0}, {{890, 890}, 200, 0}};
    static const struct second late[] = {
        {{950, 0}, 500, 0}, {{950, 0}, 500, 0}, {{950, 0}, 500, 0}, {{950, 0}, 500, 0}};

    course(pauses, 6, 1000 * MS, true);
    course(turns, 3, 1000 * MS, true);
    course(no_cpu_left, 4, 1000 * MS, true);
    course(below, 4, 1000 * MS, true);
    course(late, 4, 1500 * MS, true);
}

static void unknown(void)
{
    int64_t before[2] = {-1, 5}, now[2] = {1000 * MS, -1};
    double most = 7;

    CHECK_INT(busy_workers(2, &(struct busy_reading){.at = 0, .cpu = before},
                           &(struct busy_reading){.at = 1000 * MS, .cpu = now}, 80, &most),
              0);
    CHECK(most == 0);
}

static void advice(void)
{
    CHECK_INT(busy_advice(1, 1), 0);
    CHECK_INT(busy_advice(1, 2), 2);
    CHECK_INT(busy_advice(1, 8), 2);
    CHECK_INT(busy_advice(3, 8), 6);
    CHECK_INT(busy_advice(6, 8), 8);
    CHECK_INT(busy_advice(8, 8), 0);
    CHECK_INT(busy_advice(9, 8), 0);
}

static void sentence(void)
{
    char text[BUSY_TEXT] = "";

    CHECK(busy_describe(text, 1, 2, false, 1, 97.4));
    CHECK_STR(text,
              "1 of 1 workers were nearly saturated (97 % of a CPU at most): raise --workers.");
    CHECK(busy_describe(text, 2, 2, false, 1, 97.4));
    CHECK_STR(text,
              "1 of 2 workers were nearly saturated (97 % of a CPU at most): each CPU that this "
              "process may use has a worker already.");
    CHECK(busy_describe(text, 6, 8, true, 6, 100));
    CHECK_STR(text,
              "6 of 6 workers were nearly saturated (100 % of a CPU at most): try --workers=8");
    CHECK(!busy_describe(text, 1, 1, true, 1, 99));
}

TEST_MAIN(busy_test)
{
    says_once();
    is_silent();
    unknown();
    advice();
    sentence();
    return test_done("busy");
}
