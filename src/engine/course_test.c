/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The states of a run: tables of observations, the states that they lead to, and when to look
 * again.
 */
#include "engine/course.h"

#include "base/test.h"

#define NEVER MONO_NEVER
#define S     NS_PER_SEC

/* Warm-up until 100 s, time limit at 110 s, forced shutdown 5 s later. */
static const struct {
    const char *name;
    enum course_state from;
    struct course_view v;
    mono_ns signalled, overloaded;
    enum course_state to;
    mono_ns wake; /* in the state reached */
} cases[] = {
    {"warming",
     COURSE_WARMING,
     {.now = 99 * S, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_WARMING,
     100 * S},
    {"the warm-up ends",
     COURSE_WARMING,
     {.now = 100 * S, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_MEASURING,
     110 * S},
    {"noticed late",
     COURSE_WARMING,
     {.now = 101 * S, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_MEASURING,
     110 * S},
    {"all loops have ended behind the warm-up, which is noticed now",
     COURSE_WARMING,
     {.now = 101 * S, .looping = 0, .alive = 2},
     0,
     0,
     COURSE_CLOSING,
     110 * S},
    {"all have ended before it",
     COURSE_WARMING,
     {.now = 90 * S, .ended_warming = true, .looping = 0, .alive = 0},
     0,
     0,
     COURSE_OVER,
     110 * S},
    {"stopped in the warm-up",
     COURSE_WARMING,
     {.now = 90 * S, .stopped = STOP_SIGNAL, .ended_warming = true, .looping = 2, .alive = 2},
     90 * S,
     0,
     COURSE_DRAINING,
     92 * S},
    {"stopped just behind it: that comes first",
     COURSE_WARMING,
     {.now = 100 * S - 1, .stopped = STOP_ERROR, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_WARMING,
     100 * S},
    {"measuring",
     COURSE_MEASURING,
     {.now = 105 * S, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_MEASURING,
     110 * S},
    {"a client fails",
     COURSE_MEASURING,
     {.now = 105 * S, .stopped = STOP_ERROR, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_DRAINING,
     115 * S},
    {"the time limit",
     COURSE_MEASURING,
     {.now = 110 * S, .looping = 2, .alive = 2},
     0,
     0,
     COURSE_DRAINING,
     115 * S},
    {"the time limit, and everything else, is noticed late",
     COURSE_MEASURING,
     {.now = 115 * S, .looping = 1, .alive = 1},
     0,
     0,
     COURSE_ABANDONED,
     115 * S},
    {"one loop has ended",
     COURSE_MEASURING,
     {.now = 105 * S, .looping = 1, .alive = 2},
     0,
     0,
     COURSE_MEASURING,
     110 * S},
    {"all loops have ended",
     COURSE_MEASURING,
     {.now = 105 * S, .looping = 0, .alive = 2},
     0,
     0,
     COURSE_CLOSING,
     110 * S},
    {"all clients have ended",
     COURSE_MEASURING,
     {.now = 105 * S, .looping = 0, .alive = 0},
     0,
     0,
     COURSE_OVER,
     110 * S},
    {"draining",
     COURSE_DRAINING,
     {.now = 114 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1},
     0,
     0,
     COURSE_DRAINING,
     115 * S},
    {"drained",
     COURSE_DRAINING,
     {.now = 114 * S, .stopped = STOP_TIME, .looping = 0, .alive = 1},
     0,
     0,
     COURSE_CLOSING,
     115 * S},
    {"patience ends",
     COURSE_DRAINING,
     {.now = 115 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1},
     0,
     0,
     COURSE_ABANDONED,
     115 * S},
    {"the grace after a signal",
     COURSE_DRAINING,
     {.now = 107 * S - 1, .stopped = STOP_SIGNAL, .looping = 1, .alive = 1},
     105 * S,
     0,
     COURSE_DRAINING,
     107 * S},
    {"is over",
     COURSE_DRAINING,
     {.now = 107 * S, .stopped = STOP_SIGNAL, .looping = 1, .alive = 1},
     105 * S,
     0,
     COURSE_ABANDONED,
     107 * S},
    {"the same of an overload",
     COURSE_DRAINING,
     {.now = 107 * S, .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1},
     0,
     105 * S,
     COURSE_ABANDONED,
     107 * S},
    {"a signal after an overload begins it anew",
     COURSE_DRAINING,
     {.now = 107 * S, .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1},
     106 * S,
     105 * S,
     COURSE_DRAINING,
     108 * S},
    {"a signal late in the drain does not prolong it",
     COURSE_DRAINING,
     {.now = 115 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1},
     114 * S,
     0,
     COURSE_ABANDONED,
     115 * S},
    {"closing",
     COURSE_CLOSING,
     {.now = 114 * S, .stopped = STOP_TIME, .alive = 1},
     0,
     0,
     COURSE_CLOSING,
     115 * S},
    {"closing before the time limit",
     COURSE_CLOSING,
     {.now = 104 * S, .alive = 1},
     0,
     0,
     COURSE_CLOSING,
     110 * S},
    {"closing takes too long",
     COURSE_CLOSING,
     {.now = 115 * S, .stopped = STOP_TIME, .alive = 1},
     0,
     0,
     COURSE_ABANDONED,
     115 * S},
    {"closed",
     COURSE_CLOSING,
     {.now = 114 * S, .stopped = STOP_TIME, .alive = 0},
     0,
     0,
     COURSE_OVER,
     115 * S},
    {"over remains over",
     COURSE_OVER,
     {.now = 200 * S, .looping = 1, .alive = 1},
     0,
     0,
     COURSE_OVER,
     115 * S},
    {"abandoned remains abandoned",
     COURSE_ABANDONED,
     {.now = 114 * S},
     0,
     0,
     COURSE_ABANDONED,
     115 * S},
};

static void table(void)
{
    const struct plan p = {.warmup = S, .forced = FORCED_ON, .forced_grace = 5 * S};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int failures = test_failures;
        struct course c;

        course_begin(&c, &p, 100 * S, 110 * S);
        CHECK_INT(c.state, COURSE_WARMING);
        c.state = cases[i].from;
        c.signalled = cases[i].signalled;
        c.overloaded = cases[i].overloaded;
        while (course_step(&c, &cases[i].v))
            ;
        CHECK_INT(c.state, cases[i].to);
        CHECK_INT(course_wake(&c, &cases[i].v), cases[i].wake);
        CHECK_INT(course_has_ended(&c),
                  cases[i].to == COURSE_OVER || cases[i].to == COURSE_ABANDONED);
        if (test_failures != failures)
            printf("in the case \"%s\"\n", cases[i].name);
    }
}

/* Nothing ends such a run but its clients. */
static void without_limits(void)
{
    const struct plan p = {.forced = FORCED_ON, .forced_grace = 5 * S};
    const struct course_view v = {.now = 1000 * S, .looping = 1, .alive = 1};
    struct course c;

    course_begin(&c, &p, 100 * S, NEVER);
    CHECK_INT(c.state, COURSE_MEASURING);
    CHECK(!course_step(&c, &v));
    CHECK_INT(course_wake(&c, &v), NEVER);
}

/* Without --forced-shutdown transactions may take as long as they like after the time limit. */
static void without_forced_shutdown(void)
{
    const struct plan p = {.forced = FORCED_OFF};
    const struct course_view v = {.now = 1000 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1};
    struct course c;

    course_begin(&c, &p, 100 * S, 110 * S);
    CHECK(course_step(&c, &v));
    CHECK_INT(c.state, COURSE_DRAINING);
    CHECK(!course_step(&c, &v));
    CHECK_INT(course_wake(&c, &v), NEVER);
}

/* The grace after an error, and what shortens or renews it. */
static void after_an_error(void)
{
    const struct plan p = {.forced = FORCED_OFF};
    struct course_view v = {.now = 107 * S - 1, .stopped = STOP_ERROR, .looping = 1, .alive = 1};
    struct course c;

    course_begin(&c, &p, 100 * S, 110 * S);
    c.failed = 105 * S;
    CHECK(course_step(&c, &v));
    CHECK_INT(c.state, COURSE_DRAINING);
    CHECK(!course_step(&c, &v));
    CHECK_INT(course_wake(&c, &v), 107 * S);
    c.signalled = 106 * S;
    CHECK_INT(course_wake(&c, &v), 108 * S);
    c.signalled = 0;
    v.now = 107 * S;
    CHECK(course_step(&c, &v));
    CHECK_INT(c.state, COURSE_ABANDONED);
}

TEST_MAIN(course_test)
{
    table();
    after_an_error();
    without_limits();
    without_forced_shutdown();
    return test_done("course_test");
}
