/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rates that change: planned starts to the ns against numbers that tests/data/rates/values.py
 * computes another way, and that counting and planning agree at every start.
 */
#include "pace/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/test.h"

static const struct rates_play as_it_is = {1, 1};

static struct rates *parse(const char *spec)
{
    struct err e = {0};
    struct rates *r = rates_parse(spec, &as_it_is, &e);

    CHECK_STR(e.msg, "");
    return r;
}

/* clang-format off */
static const struct {
    const char *spec;
    uint64_t k;
    int64_t at;
} values[] = {
#include "pace/rates_values.inc"
};
/* clang-format on */

static void test_values(void)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct rates *r = parse(values[i].spec);
        CHECK_INT(rates_start(r, values[i].k), values[i].at);
        rates_free(r);
    }
}

/* At each start one more is due than just before it; starts never go back. */
static void check_inverse(const struct rates *r, uint64_t from, uint64_t n, uint64_t step)
{
    dur_ns before = -1;
    int bad = 0;

    for (uint64_t k = from; k < from + n * step; k += step) {
        dur_ns at = rates_start(r, k);
        bad += at < before || rates_due(r, at) < k + 1 || (at > 0 && rates_due(r, at - 1) > k);
        before = at;
    }
    CHECK_INT(bad, 0);
}

static void test_inverse(void)
{
    static const struct {
        const char *spec;
        uint64_t n, step;
    } t[] = {
        {"0-1000:60s", 30000, 1},
        {"1000-0:60s", 30000, 1},
        {"0-1000000:2s,0:1s,1000000-0:2s", 100000, 20},
        {"500:60s,500-2000:5m,2000:60s,0:10s,500:60s", 60000, 9},
        {"sine(1000,1000,60s)", 100000, 7},
        {"0.1:1h,sine(0.5,0.5,100s):10h,1000000", 30000, 3},
        {"square(0,1000,1s,20%)", 10000, 1},
        {"spike(10,1000,60s,5s):1h,0:1h,3", 30000, 7},
        {"0:10s,3.7:1h,0.000001-1:1h,0:10s", 15000, 1},
        {"999999.999999:1h,333.333333:10h,sine(1000,999.5,7s)", 100000, 36011},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct rates *r = parse(t[i].spec);
        check_inverse(r, 0, t[i].n, t[i].step);
        rates_free(r);
    }
}

/* Stages begin with a start of their own where the integral is whole; a pause has none. */
static void test_stages(void)
{
    struct rates *r = parse("500:60s,500-2000:5m,0:10s,500:60s");

    CHECK_INT(rates_stages(r), 4);
    CHECK_INT(rates_stage(r, 1)->from, 60 * NS_PER_SEC);
    CHECK_INT(rates_stage(r, 1)->until, 360 * NS_PER_SEC);
    CHECK_NEAR(rates_stage(r, 1)->first, 500, 1e-9);
    CHECK_NEAR(rates_stage(r, 1)->last, 2000, 1e-9);
    CHECK_STR(rates_stage(r, 1)->text, "500-2000");
    CHECK_INT(rates_end(r), 430 * NS_PER_SEC);
    CHECK_INT(rates_due(r, 60 * NS_PER_SEC - 1), 30000);
    CHECK_INT(rates_due(r, 60 * NS_PER_SEC), 30001);
    CHECK_INT(rates_due(r, 360 * NS_PER_SEC - 1), 405000);
    CHECK_INT(rates_due(r, 370 * NS_PER_SEC - 1), 405000);
    CHECK_INT(rates_start(r, 405000), 370 * NS_PER_SEC);
    CHECK_INT(rates_due(r, MONO_NEVER), 435000);
    CHECK_INT(rates_start(r, 435000), RATES_FAR);
    CHECK_INT(rates_due(r, -1), 0);
    CHECK_NEAR(rates_at(r, 210 * NS_PER_SEC), 1250, 1e-9);
    CHECK_NEAR(rates_at(r, 365 * NS_PER_SEC), 0, 1e-9);
    CHECK_NEAR(rates_mean(r, 120 * NS_PER_SEC), 575, 1e-9);
    CHECK_NEAR(rates_most(r), 2000, 1e-9);
    rates_free(r);
    r = parse("500:60s,0");
    CHECK_INT(rates_start(r, 29999), 59998 * NS_PER_MS);
    CHECK_INT(rates_start(r, 30000), RATES_FAR);
    CHECK_INT(rates_due(r, MONO_NEVER), 30000);
    rates_free(r);
}

/* A square that is never high, or never low, is a constant: also of 0. */
static void test_empty_parts(void)
{
    struct rates *r = parse("square(0,1000,1s,0%):3s,square(1000,0,1s,100%):1s,5:1s");

    CHECK_INT(rates_start(r, 0), 4 * NS_PER_SEC);
    CHECK_INT(rates_due(r, MONO_NEVER), 5);
    CHECK_NEAR(rates_most(r), 5, 0);
    rates_free(r);
    r = parse("square(0,1000,1s,100%):1s,spike(0,10,1s,1s):1s");
    CHECK_INT(rates_start(r, 1), NS_PER_MS);
    CHECK_INT(rates_due(r, MONO_NEVER), 1010);
    rates_free(r);
}

static void test_rounding(void)
{
    struct rates *r = parse("300:30s,300");

    CHECK_NEAR(rates_round(300.00000000000006), 300, 0);
    CHECK_NEAR(rates_round(0.0000014), 0.000001, 0);
    CHECK_NEAR(rates_round(1e9), 1e9, 0);
    CHECK_NEAR(rates_mean(r, 1000068026), 300, 0);
    rates_free(r);
}

static void test_refused(void)
{
    static const struct {
        const char *spec, *why;
    } t[] = {
        {"500:0s", "stage 1, \"500:0s\": \"0s\" is no time"},
        {"500-2000,4", "stage 1, \"500-2000\": a ramp needs its length: 500-2000:60s"},
        {"50-20", "stage 1, \"50-20\": a ramp needs its length: 50-20:60s"},
        {"50-x",
         "stage 1, \"50-x\": \"x\" is not a rate: a number such as 500, 0.5 or 10k, with at "
         "most six digits after the point"},
        {"500:1s,,3",
         "stage 2, \"\": \"\" is not a rate: a number such as 500, 0.5 or 10k, with at "
         "most six digits after the point"},
        {"500:60s;100:5s",
         "stage 1, \"500:60s;100:5s\": \"60s;100:5s\" is not a duration: a number, "
         "optionally with ns, us, ms, s, m, h or d"},
        {"500:60s, 100:5s",
         "stage 2, \" 100:5s\": \" 100\" is not a rate: a number such as 500, 0.5 "
         "or 10k, with at most six digits after the point"},
        {"60s:500",
         "stage 1, \"60s:500\": \"60s\" is not a rate: a number such as 500, 0.5 or 10k"},
        {"60s:x", "stage 1, \"60s:x\": \"x\" is not a duration: a number, optionally with ns, us, "
                  "ms, s, m, h or d"},
        {"1,000", "stage 1, \"1\": only the last stage may lack its length"},
        {"sine(1000,500)", "stage 1, \"sine(1000,500)\": it takes sine(MEAN,AMPLITUDE,PERIOD)"},
        {"1e3:60s",
         "stage 1, \"1e3:60s\": \"1e3\" is not a rate: a number such as 500, 0.5 or 10k"},
        {"@", "@ needs the name of a file: @trace.csv"},
        {"@/nowhere/noon.csv", "/nowhere/noon.csv: No such file or directory"},
        {"500,3", "stage 1, \"500\": only the last stage may lack its length"},
        {"2G:1s", "stage 1, \"2G:1s\": \"2G\" is more than 1000000000 per second"},
        {"5x:1s", "stage 1, \"5x:1s\": \"5x\" is not a rate: a number such as 500, 0.5 or 10k"},
        {"5:1y",
         "stage 1, \"5:1y\": \"1y\" is not a duration: a number, optionally with ns, us, ms, "
         "s, m, h or d"},
        {"5:9000h", "stage 1, \"5:9000h\": \"9000h\" is longer than a year"},
        {"sine(1,2,3s)", "stage 1, \"sine(1,2,3s)\": the amplitude 2 is more than the mean 1"},
        {"sine(1,2)", "stage 1, \"sine(1,2)\": it takes sine(MEAN,AMPLITUDE,PERIOD)"},
        {"sine(1,1,2s", "stage 1, \"sine(1,1,2s\": its bracket is not closed"},
        {"sine(1,1,2s)x", "stage 1, \"sine(1,1,2s)x\": after its bracket only :LENGTH may follow"},
        {"saw(1,1,2s)",
         "stage 1, \"saw(1,1,2s)\": there is no shape \"saw\": sine, square or spike"},
        {"spike(1,2,3s,4s)",
         "stage 1, \"spike(1,2,3s,4s)\": the width 4s is more than the period 3s"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        CHECK(!rates_parse(t[i].spec, &as_it_is, &e));
        CHECK_STR(e.msg, t[i].why);
    }
}

/* --- traces --- */

static char trace[] = "/tmp/sb-trace-XXXXXX";

static struct rates *play(const char *text, double scale, double speed, struct err *e)
{
    struct rates_play p = {scale, speed};
    char spec[64];
    FILE *f = fopen(trace, "w");

    fputs(text, f);
    fclose(f);
    snprintf(spec, sizeof spec, "@%s", trace);
    return rates_parse(spec, &p, e);
}

static void test_rows_of_rates(void)
{
    static const char text[] = "seconds,rate\n# noon\n1, 100\r\n\n2,300.5\n3,0\n";
    struct err e = {0};
    struct rates *r = play(text, 1, 1, &e);

    CHECK_STR(e.msg, "");
    CHECK_INT(rates_stages(r), 1);
    CHECK_INT(rates_start(r, 0), NS_PER_SEC);
    CHECK_INT(rates_start(r, 100), 2 * NS_PER_SEC);
    CHECK_INT(rates_end(r), 3 * NS_PER_SEC);
    CHECK_INT(rates_due(r, MONO_NEVER), 401);
    rates_free(r);
    r = play(text, 2, 10, &e);
    CHECK_INT(rates_start(r, 0), NS_PER_SEC / 10);
    CHECK_INT(rates_end(r), 3 * NS_PER_SEC / 10);
    CHECK_NEAR(rates_most(r), 601, 1e-9);
    rates_free(r);
}

static void test_rows_of_starts(void)
{
    static const dur_ns want[] = {0, 500, 500, 1500};
    static const char text[] = "0\n.5\n0.5\n1.5\n";
    struct err e = {0};
    struct rates *r = play(text, 1, 1, &e);

    CHECK_STR(e.msg, "");
    CHECK(rates_are_starts(r));
    for (uint64_t k = 0; k < 4; k++)
        CHECK_INT(rates_start(r, k), want[k] * NS_PER_MS);
    CHECK_INT(rates_start(r, 4), RATES_FAR);
    CHECK_INT(rates_due(r, NS_PER_SEC), 3);
    CHECK_INT(rates_due(r, 500 * NS_PER_MS - 1), 1);
    CHECK_INT(rates_due(r, MONO_NEVER), 4);
    CHECK_INT(rates_end(r), 2 * NS_PER_SEC);
    rates_free(r);
    r = play("0\n0\n", 1, 1, &e); /* several at once, where measuring begins */
    CHECK_INT(rates_due(r, -1), 0);
    CHECK_INT(rates_due(r, 0), 2);
    CHECK_INT(rates_start(r, 1), 0);
    rates_free(r);
    r = play(text, 2.5, 2, &e);
    CHECK_INT(rates_due(r, MONO_NEVER), 10);
    CHECK_INT(rates_start(r, 2), 0);
    CHECK_INT(rates_start(r, 3), 250 * NS_PER_MS);
    rates_free(r);
}

static void test_bad_traces(void)
{
    static const struct {
        const char *text, *why;
    } t[] = {
        {"", "it has no rows"},
        {"a\nb\n", "line 2: \"b\" does not begin with seconds: digits, and at most nine after the "
                   "point"},
        {"0,1\n0,2\n", "line 2: it is not later than the row before it"},
        {"1\n0\n", "line 2: it is earlier than the row before it"},
        {"0,1\n1\n", "line 2: it has 1 column, the rows before it have 2"},
        {"0,-1\n", "line 1: \"-1\" is not a rate: digits, and at most six after the point"},
        {"0,1e9\n", "line 1: \"1e9\" is not a rate: digits, and at most six after the point"},
        {"0;1\n", "line 1: \";1\" follows the seconds"},
        {"0,2000000000\n", "line 1: \"2000000000\" is more than 1000000000 per second"},
        {"0,0\n", "it plans nothing"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        char want[300];
        CHECK(!play(t[i].text, 1, 1, &e));
        snprintf(want, sizeof want, "%s: %s", trace, t[i].why);
        CHECK_STR(e.msg, want);
    }
}

TEST_MAIN(rates_test)
{
    close(mkstemp(trace));
    test_values();
    test_inverse();
    test_stages();
    test_empty_parts();
    test_rounding();
    test_refused();
    test_rows_of_rates();
    test_rows_of_starts();
    test_bad_traces();
    unlink(trace);
    return test_done("rates_test");
}
