/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The trend of a window of readings against lines and noise whose slope and standard error are
 * known, and which of them count as steady.
 */
#include "engine/steady.h"

#include <math.h>

#include "base/test_golden.h"

/* A reading each second. */
static void tell(const char *name, const double *value, size_t n)
{
    struct steady s = {0};
    struct steady_trend t;

    for (size_t i = 0; i < n; i++)
        steady_add(&s, (double)i + 0.5, value[i]);
    if (!steady_trend(&s, &t)) {
        golden_line("%s: no trend", name);
        return;
    }
    /* what a bound allows is the change and its error */
    const double bound = fabs(t.change_pct) + t.error_pct;
    golden_line("%s: %+.6f %% +- %.6f %%", name, round(t.change_pct * 1e6) / 1e6 + 0.0,
                t.error_pct);
    CHECK(steady_within(&t, bound + 1e-6) && (bound < 1e-6 || !steady_within(&t, bound - 1e-6)));
    s.readings = 0;
    CHECK(!steady_trend(&s, &t));
}

static void line(const char *name, double from, double step, size_t n)
{
    double v[20];

    for (size_t i = 0; i < n; i++)
        v[i] = from + step * (double)i;
    tell(name, v, n);
}

/* Readings need not be a second apart. */
static void gaps(void)
{
    struct steady s = {0};
    struct steady_trend t;

    for (int i = 0; i < 10; i++)
        steady_add(&s, i < 5 ? i : 2 * i, i < 5 ? 955 + 10 * i : 955 + 20 * i);
    CHECK(steady_trend(&s, &t));
    CHECK_NEAR(t.error_pct, 0, 1e-6);
    CHECK_NEAR(t.change_pct, 100 * 10 * 20 / (955 + 10 * 8.0), 1e-6);
}

TEST_MAIN(steady_test)
{
    static const double noise[] = {1010, 990, 1010, 990, 1010, 1010, 990, 1010, 990, 990},
                        hidden[] = {1200, 800, 1200, 800, 1000, 1000, 800, 1200, 800, 1200},
                        moved[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,    10,
                                   2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000};

    line("a window that is not full", 100, 0, STEADY_READINGS - 1);
    line("flat", 1000, 0, 10);
    line("up by 100 of 1000", 955, 10, 10);
    line("down by 100", 1045, -10, 10);
    tell("slope 15/82.5, residuals' squares 1000 - 15*15/82.5", noise, 10);
    tell("flat, but a drift as large could hide in the noise", hidden, 10);
    tell("only the latest ten count", moved, 20);
    line("nothing was done: there is no percentage of it", 0, 0, 10);
    gaps();
    golden_done("steady_test");
    return test_done("steady_test");
}
