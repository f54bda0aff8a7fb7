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
    enum course_state from, to;
    mono_ns wake; /* in the state reached; s */
    mono_ns signalled, overloaded;
    struct course_view v;
#define ROW(name, from, to, wake, signalled, overloaded, ...)                                      \
    {                                                                                              \
        name, COURSE_##from, COURSE_##to, wake, signalled, overloaded,                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
} cases[] = {
    ROW("warming", WARMING, WARMING, 100, 0, 0, .now = 99 * S, .looping = 2, .alive = 2),
    ROW("the warm-up ends", WARMING, MEASURING, 110, 0, 0, .now = 100 * S, .looping = 2,
        .alive = 2),
    ROW("noticed late", WARMING, MEASURING, 110, 0, 0, .now = 101 * S, .looping = 2, .alive = 2),
    ROW("all loops have ended behind the warm-up, which is noticed now", WARMING, CLOSING, 110, 0,
        0, .now = 101 * S, .looping = 0, .alive = 2),
    ROW("all have ended before it", WARMING, OVER, 110, 0, 0, .now = 90 * S, .ended_warming = true,
        .looping = 0, .alive = 0),
    ROW("stopped in the warm-up", WARMING, DRAINING, 92, 90, 0, .now = 90 * S,
        .stopped = STOP_SIGNAL, .ended_warming = true, .looping = 2, .alive = 2),
    ROW("stopped just behind it: that comes first", WARMING, WARMING, 100, 0, 0, .now = 100 * S - 1,
        .stopped = STOP_ERROR, .looping = 2, .alive = 2),
    ROW("measuring", MEASURING, MEASURING, 110, 0, 0, .now = 105 * S, .looping = 2, .alive = 2),
    ROW("a client fails", MEASURING, DRAINING, 115, 0, 0, .now = 105 * S, .stopped = STOP_ERROR,
        .looping = 2, .alive = 2),
    ROW("the time limit", MEASURING, DRAINING, 115, 0, 0, .now = 110 * S, .looping = 2, .alive = 2),
    ROW("the time limit, and everything else, is noticed late", MEASURING, ABANDONED, 115, 0, 0,
        .now = 115 * S, .looping = 1, .alive = 1),
    ROW("one loop has ended", MEASURING, MEASURING, 110, 0, 0, .now = 105 * S, .looping = 1,
        .alive = 2),
    ROW("all loops have ended", MEASURING, CLOSING, 110, 0, 0, .now = 105 * S, .looping = 0,
        .alive = 2),
    ROW("all clients have ended", MEASURING, OVER, 110, 0, 0, .now = 105 * S, .looping = 0,
        .alive = 0),
    ROW("draining", DRAINING, DRAINING, 115, 0, 0, .now = 114 * S, .stopped = STOP_TIME,
        .looping = 1, .alive = 1),
    ROW("drained", DRAINING, CLOSING, 115, 0, 0, .now = 114 * S, .stopped = STOP_TIME, .looping = 0,
        .alive = 1),
    ROW("patience ends", DRAINING, ABANDONED, 115, 0, 0, .now = 115 * S, .stopped = STOP_TIME,
        .looping = 1, .alive = 1),
    ROW("the grace after a signal", DRAINING, DRAINING, 107, 105, 0, .now = 107 * S - 1,
        .stopped = STOP_SIGNAL, .looping = 1, .alive = 1),
    ROW("is over", DRAINING, ABANDONED, 107, 105, 0, .now = 107 * S, .stopped = STOP_SIGNAL,
        .looping = 1, .alive = 1),
    ROW("the same of an overload", DRAINING, ABANDONED, 107, 0, 105, .now = 107 * S,
        .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1),
    ROW("a signal after an overload begins it anew", DRAINING, DRAINING, 108, 106, 105,
        .now = 107 * S, .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1),
    ROW("a signal late in the drain does not prolong it", DRAINING, ABANDONED, 115, 114, 0,
        .now = 115 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1),
    ROW("closing", CLOSING, CLOSING, 115, 0, 0, .now = 114 * S, .stopped = STOP_TIME, .alive = 1),
    ROW("closing before the time limit", CLOSING, CLOSING, 110, 0, 0, .now = 104 * S, .alive = 1),
    ROW("closing takes too long", CLOSING, ABANDONED, 115, 0, 0, .now = 115 * S,
        .stopped = STOP_TIME, .alive = 1),
    ROW("closed", CLOSING, OVER, 115, 0, 0, .now = 114 * S, .stopped = STOP_TIME, .alive = 0),
    ROW("over remains over", OVER, OVER, 115, 0, 0, .now = 200 * S, .looping = 1, .alive = 1),
    ROW("abandoned remains abandoned", ABANDONED, ABANDONED, 115, 0, 0, .now = 114 * S),
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
        c.signalled = cases[i].signalled * S;
        c.overloaded = cases[i].overloaded * S;
        while (course_step(&c, &cases[i].v))
            ;
        CHECK_INT(c.state, cases[i].to);
        CHECK_INT(course_wake(&c, &cases[i].v), cases[i].wake * S);
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
