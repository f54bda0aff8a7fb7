/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The trend of a window of readings against lines and noise whose slope and standard error are
 * known, and which of them count as steady.
 */
#include "engine/steady.h"

#include <math.h>

#include "base/test.h"

/* A second each. */
static struct steady series(const double *value, size_t n)
{
    struct steady s = {0};

    for (size_t i = 0; i < n; i++)
        steady_add(&s, (double)i + 0.5, value[i]);
    return s;
}

static struct steady line(double from, double step, size_t n)
{
    struct steady s = {0};

    for (size_t i = 0; i < n; i++)
        steady_add(&s, (double)i + 0.5, from + step * (double)i);
    return s;
}

static void a_window_must_be_full(void)
{
    struct steady s = line(100, 0, STEADY_READINGS - 1);
    struct steady_trend t;

    CHECK(!steady_trend(&s, &t));
    steady_add(&s, STEADY_READINGS - 0.5, 100);
    CHECK(steady_trend(&s, &t));
    s.readings = 0;
    CHECK(!steady_trend(&s, &t));
}

static void lines_have_no_error(void)
{
    struct steady s = line(1000, 0, 10), up = line(955, 10, 10), down = line(1045, -10, 10);
    struct steady_trend t;

    CHECK(steady_trend(&s, &t));
    CHECK_NEAR(t.change_pct, 0, 1e-9);
    CHECK_NEAR(t.error_pct, 0, 1e-9);
    CHECK(steady_within(&t, 0.001));
    CHECK(steady_trend(&up, &t)); /* 10 in a second, 100 in the window, mean 1000 */
    CHECK_NEAR(t.change_pct, 10, 1e-9);
    CHECK_NEAR(t.error_pct, 0, 1e-6);
    CHECK(!steady_within(&t, 9.99));
    CHECK(steady_within(&t, 10.01));
    CHECK(steady_trend(&down, &t));
    CHECK_NEAR(t.change_pct, -10, 1e-9);
    CHECK(!steady_within(&t, 9.99));
}

/* Slope 15/82.5, residuals' squares 1000 - 15*15/82.5. */
static void noise_is_an_error(void)
{
    static const double v[] = {1010, 990, 1010, 990, 1010, 1010, 990, 1010, 990, 990};
    struct steady s = series(v, 10);
    struct steady_trend t;
    double sxy = 0, rest;

    for (int i = 0; i < 10; i++)
        sxy += (i - 4.5) * (v[i] - 1000);
    rest = 1000 - sxy * sxy / 82.5;
    CHECK(steady_trend(&s, &t));
    CHECK_NEAR(t.change_pct, 100 * sxy / 82.5 * 10 / 1000, 1e-9);
    CHECK_NEAR(t.error_pct, 100 * sqrt(rest / 8 / 82.5) * 10 / 1000, 1e-9);
    CHECK(steady_within(&t, fabs(t.change_pct) + t.error_pct + 1e-9));
    CHECK(!steady_within(&t, fabs(t.change_pct) + t.error_pct - 1e-9));
}

/* A flat line through noise that would hide a drift as large as the bound. */
static void noise_hides_a_drift(void)
{
    static const double v[] = {1200, 800, 1200, 800, 1000, 1000, 800, 1200, 800, 1200};
    struct steady s = series(v, 10);
    struct steady_trend t;

    CHECK(steady_trend(&s, &t));
    CHECK_NEAR(t.change_pct, 0, 1e-9);
    CHECK(!steady_within(&t, 5));
}

/* Only the latest ten count, and readings need not be a second apart. */
static void a_window_moves(void)
{
    struct steady s = line(100, 100, 10), gap = {0};
    struct steady_trend t, u;

    for (int i = 0; i < 10; i++)
        steady_add(&s, 10.5 + i, 2000);
    CHECK(steady_trend(&s, &t));
    CHECK_NEAR(t.change_pct, 0, 1e-9);
    for (int i = 0; i < 10; i++)
        steady_add(&gap, i < 5 ? i : 2 * i, i < 5 ? 955 + 10 * i : 955 + 20 * i);
    CHECK(steady_trend(&gap, &u));
    CHECK_NEAR(u.error_pct, 0, 1e-6);
    CHECK_NEAR(u.change_pct, 100 * 10 * 20 / (955 + 10 * 8.0), 1e-6);
}

/* Nothing was done: there is no percentage of it. */
static void nothing_is_not_steady(void)
{
    struct steady s = line(0, 0, 10);
    struct steady_trend t;

    CHECK(!steady_trend(&s, &t));
}

TEST_MAIN(steady_test)
{
    a_window_must_be_full();
    lines_have_no_error();
    noise_is_an_error();
    noise_hides_a_drift();
    a_window_moves();
    nothing_is_not_steady();
    return test_done("steady_test");
}
