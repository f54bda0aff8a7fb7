/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The states of a run: tables of observations, the states that they lead to, and when to look
 * again.
 */
#include "engine/course.h"

#include "base/test_golden.h"

#define NEVER MONO_NEVER
#define S     NS_PER_SEC

/* Warm-up until 100 s, time limit at 110 s, forced shutdown 5 s later. */
static const struct {
    const char *name;
    enum course_state from;
    mono_ns signalled, overloaded; /* s */
    struct course_view v;
} cases[] = {
    {"warming", COURSE_WARMING, 0, 0, {.now = 99 * S, .looping = 2, .alive = 2}},
    {"the warm-up ends", COURSE_WARMING, 0, 0, {.now = 100 * S, .looping = 2, .alive = 2}},
    {"noticed late", COURSE_WARMING, 0, 0, {.now = 101 * S, .looping = 2, .alive = 2}},
    {"all loops have ended behind the warm-up, which is noticed now",
     COURSE_WARMING,
     0,
     0,
     {.now = 101 * S, .alive = 2}},
    {"all have ended before it", COURSE_WARMING, 0, 0, {.now = 90 * S, .ended_warming = true}},
    {"stopped in the warm-up",
     COURSE_WARMING,
     90,
     0,
     {.now = 90 * S, .stopped = STOP_SIGNAL, .looping = 2, .alive = 2, .ended_warming = true}},
    {"stopped just behind it: that comes first",
     COURSE_WARMING,
     0,
     0,
     {.now = 100 * S - 1, .stopped = STOP_ERROR, .looping = 2, .alive = 2}},
    {"measuring", COURSE_MEASURING, 0, 0, {.now = 105 * S, .looping = 2, .alive = 2}},
    {"a client fails",
     COURSE_MEASURING,
     0,
     0,
     {.now = 105 * S, .stopped = STOP_ERROR, .looping = 2, .alive = 2}},
    {"the time limit", COURSE_MEASURING, 0, 0, {.now = 110 * S, .looping = 2, .alive = 2}},
    {"the time limit, and everything else, is noticed late",
     COURSE_MEASURING,
     0,
     0,
     {.now = 115 * S, .looping = 1, .alive = 1}},
    {"one loop has ended", COURSE_MEASURING, 0, 0, {.now = 105 * S, .looping = 1, .alive = 2}},
    {"all loops have ended", COURSE_MEASURING, 0, 0, {.now = 105 * S, .alive = 2}},
    {"all clients have ended", COURSE_MEASURING, 0, 0, {.now = 105 * S}},
    {"draining",
     COURSE_DRAINING,
     0,
     0,
     {.now = 114 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1}},
    {"drained", COURSE_DRAINING, 0, 0, {.now = 114 * S, .stopped = STOP_TIME, .alive = 1}},
    {"patience ends",
     COURSE_DRAINING,
     0,
     0,
     {.now = 115 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1}},
    {"the grace after a signal",
     COURSE_DRAINING,
     105,
     0,
     {.now = 107 * S - 1, .stopped = STOP_SIGNAL, .looping = 1, .alive = 1}},
    {"is over",
     COURSE_DRAINING,
     105,
     0,
     {.now = 107 * S, .stopped = STOP_SIGNAL, .looping = 1, .alive = 1}},
    {"the same of an overload",
     COURSE_DRAINING,
     0,
     105,
     {.now = 107 * S, .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1}},
    {"a signal after an overload begins it anew",
     COURSE_DRAINING,
     106,
     105,
     {.now = 107 * S, .stopped = STOP_OVERLOAD, .looping = 1, .alive = 1}},
    {"a signal late in the drain does not prolong it",
     COURSE_DRAINING,
     114,
     0,
     {.now = 115 * S, .stopped = STOP_TIME, .looping = 1, .alive = 1}},
    {"closing", COURSE_CLOSING, 0, 0, {.now = 114 * S, .stopped = STOP_TIME, .alive = 1}},
    {"closing before the time limit", COURSE_CLOSING, 0, 0, {.now = 104 * S, .alive = 1}},
    {"closing takes too long",
     COURSE_CLOSING,
     0,
     0,
     {.now = 115 * S, .stopped = STOP_TIME, .alive = 1}},
    {"closed", COURSE_CLOSING, 0, 0, {.now = 114 * S, .stopped = STOP_TIME}},
    {"over remains over", COURSE_OVER, 0, 0, {.now = 200 * S, .looping = 1, .alive = 1}},
    {"abandoned remains abandoned", COURSE_ABANDONED, 0, 0, {.now = 114 * S}},
};

/* The state that each leads to, and when to look again. */
static void table(void)
{
    static const char *const names[] = {
        [COURSE_WARMING] = "warming",   [COURSE_MEASURING] = "measuring",
        [COURSE_DRAINING] = "draining", [COURSE_CLOSING] = "closing",
        [COURSE_OVER] = "over",         [COURSE_ABANDONED] = "abandoned"};
    const struct plan p = {.warmup = S, .forced = FORCED_ON, .forced_grace = 5 * S};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct course c;
        course_begin(&c, &p, 100 * S, 110 * S);
        CHECK_INT(c.state, COURSE_WARMING);
        c.state = cases[i].from;
        c.signalled = cases[i].signalled * S;
        c.overloaded = cases[i].overloaded * S;
        while (course_step(&c, &cases[i].v))
            ;
        golden_line("%s: %s until %g s", cases[i].name, names[c.state],
                    dur_sec(course_wake(&c, &cases[i].v)));
        CHECK_INT(course_has_ended(&c), c.state == COURSE_OVER || c.state == COURSE_ABANDONED);
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
    golden_done("course_test");
    return test_done("course_test");
}
