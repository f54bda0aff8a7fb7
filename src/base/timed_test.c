/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Timed checks (test_timed.h), each case in a child: what it prints and how it exits, on a machine
 * that is quiet and on one that stalls.  Nothing is measured here; the test sets the stall.
 */
#include "base/test_timed.h"

#include "base/test_capture.h"

static void nothing_fails(void)
{
    CHECK(true);
    CHECK_TIMED(true);
    CHECK_TIMED_INT(3, 3);
    CHECK_TIMED_NEAR(1.0, 1.1, 0.2);
}

static void condition_fails(void)
{
    CHECK_TIMED(1 > 2);
}

static void number_fails(void)
{
    CHECK_TIMED_INT(3, 4);
}

static void distance_fails(void)
{
    CHECK_TIMED_NEAR(1.0, 1.3, 0.2);
}

static void exact_fails(void)
{
    CHECK(1 > 2);
}

static void both_fail(void)
{
    CHECK_TIMED(1 > 2);
    CHECK(1 > 2);
}

static const struct {
    void (*fn)(void);
    int quiet, stalled; /* exit status */
} cases[] = {
    {nothing_fails, 0, 0},   {condition_fails, 1, 75}, {number_fails, 1, 75},
    {distance_fails, 1, 75}, {exact_fails, 1, 1},      {both_fail, 1, 1},
};

/* In the child. */
static void (*checks)(void);
static bool stalled;

static int run_checks(void)
{
    test_checks = test_failures = 0;
    atomic_store(&timed_worst, stalled ? TIMED_STALL_NS : TIMED_STALL_NS - 1);
    checks();
    return timed_done("child");
}

TEST_MAIN(timed_test)
{
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        int status;
        checks = cases[i / 2].fn;
        stalled = i % 2;
        const int want = stalled ? cases[i / 2].stalled : cases[i / 2].quiet;
        const char *out = captured_child(&status, STDOUT_FILENO, run_checks);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == want);
        CHECK_INT(strstr(out, "\nINCONCLUSIVE: child: ") != NULL, want == 75);
        CHECK(want != 75 || strstr(out, "stood still for 100 ms") != NULL);
    }
    return test_done("timed_test");
}
