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

/* The integral of a sine to less than one of its units, wherever in the period. */
static void test_sine(void)
{
    /* clang-format off */
    static const struct {
        const char *spec;
        struct {
            int64_t t;
            uint64_t high, low;
        } at[7];
    } t[] = {
        {"sine(1000,500,60000000000ns)",
         {{INT64_C(1), 0x0, 0x77359400},
          {INT64_C(15000000000), 0x2, 0x24db53b4101d5952},
          {INT64_C(30000000000), 0x4, 0x49b6a768203ab2a4},
          {INT64_C(30000000001), 0x4, 0x49b6a768977046a4},
          {INT64_C(59999999999), 0x6, 0x8155a435ffaa6c00},
          {INT64_C(60000000000), 0x6, 0x8155a43676e00000},
          {INT64_C(200000000000), 0x16, 0x75e658af37d805fb}}},
        {"sine(1000000000,1000000000,31622400000000000ns)",
         {{INT64_C(1), 0x0, 0x71afd498d0000},
          {INT64_C(7905600000000000), 0x1469cd8a442, 0xb99719d7545fad2d},
          {INT64_C(15811200000000000), 0x28d39b14885, 0x732e33aea8bf5a5b},
          {INT64_C(15811200000000001), 0x28d39b14885, 0x73354eabf24c5a5b},
          {INT64_C(31622399999999999), 0x31e42f867a0, 0x8fba124cb6730000},
          {INT64_C(31622400000000000), 0x31e42f867a0, 0x8fc12d4a00000000},
          {INT64_C(105408000000000000), 0xb237163d39f, 0x14fe22133e8f83c4}}},
        {"sine(0.000001,0.000001,7ns)",
         {{INT64_C(1), 0x0, 0x2},
          {INT64_C(1), 0x0, 0x2},
          {INT64_C(3), 0x0, 0xa},
          {INT64_C(4), 0x0, 0xc},
          {INT64_C(6), 0x0, 0xc},
          {INT64_C(7), 0x0, 0xe},
          {INT64_C(23), 0x0, 0x30}}},
        {"sine(999999999.999999,123456789.012345,86399999999999ns)",
         {{INT64_C(1), 0x0, 0x71afd498d0006},
          {INT64_C(21599999999999), 0x968ebbb8, 0x4fc0cf7583060da2},
          {INT64_C(43199999999999), 0x12d1d7770, 0x9f8a0ac1e1c2b9ac},
          {INT64_C(43200000000000), 0x12d1d7770, 0x9f9125bf2b4fb9aa},
          {INT64_C(86399999999998), 0x22e58cf52, 0x4647bc5f4a48000c},
          {INT64_C(86399999999999), 0x22e58cf52, 0x464ed75c93d50002},
          {INT64_C(287999999999996), 0x7559cd43d, 0x324e30fcc2bc830e}}},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct rates *r = parse(t[i].spec);
        for (size_t j = 0; j < 7; j++) {
            rate_pos want = (rate_pos)t[i].at[j].high << 64 | t[i].at[j].low;
            rate_pos got = rates_pos(r, t[i].at[j].t);
            CHECK(got <= want + 1 && want <= got + 1);
        }
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

static void check_stage(const struct rates *r, size_t i, dur_ns from, dur_ns until, double first,
                        double last, const char *text)
{
    const struct rate_stage *s = rates_stage(r, i);

    CHECK_INT(s->from, from);
    CHECK_INT(s->until, until);
    CHECK_NEAR(s->first, first, 1e-9);
    CHECK_NEAR(s->last, last, 1e-9);
    CHECK_STR(s->text, text);
}

/* What is told of each kind of stage: the rate at instants, at its ends, its mean and the most. */
static void test_shapes(void)
{
    static const struct {
        const char *spec, *text;
        double first, last, most, mean; /* mean: over the whole */
        dur_ns until;                   /* s, -1: open */
        struct {
            dur_ns ms;
            double rate;
        } at[4];
    } t[] = {
        {"500", "500", 500, 500, 500, 500, -1, {{0, 500}, {1, 500}, {100000, 500}, {-1, 0}}},
        {"0.5:8s", "0.5", 0.5, 0.5, 0.5, 0.5, 8, {{0, 0.5}, {7999, 0.5}, {8000, 0}, {-1, 0}}},
        {"100-500:8s",
         "100-500",
         100,
         500,
         500,
         300,
         8,
         {{0, 100}, {2000, 200}, {7980, 499}, {8000, 0}}},
        {"500-100:8s",
         "500-100",
         500,
         100,
         500,
         300,
         8,
         {{0, 500}, {2000, 400}, {7980, 101}, {-1, 0}}},
        {"sine(300,200,8s)",
         "sine(300,200,8s)",
         300,
         300,
         500,
         300,
         -1,
         {{0, 300}, {2000, 500}, {6000, 100}, {10000, 500}}},
        {"sine(300,200,8s):2s",
         "sine(300,200,8s)",
         300,
         300,
         500,
         427.323954,
         2,
         {{0, 300}, {1000, 441.4213562373095}, {2000, 0}, {-1, 0}}},
        {"sine(300,0,8s):2s",
         "sine(300,0,8s)",
         300,
         300,
         300,
         300,
         2,
         {{0, 300}, {1999, 300}, {2000, 0}, {-1, 0}}},
        {"square(100,500,8s)",
         "square(100,500,8s)",
         300,
         300,
         500,
         300,
         -1,
         {{0, 100}, {3999, 100}, {4000, 500}, {15999, 500}}},
        {"square(500,100,8s,25%):6s",
         "square(500,100,8s,25%)",
         400,
         400,
         500,
         500,
         6,
         {{0, 500}, {5999, 500}, {6000, 0}, {-1, 0}}},
        {"square(500,100,8s,25%):16s",
         "square(500,100,8s,25%)",
         400,
         400,
         500,
         400,
         16,
         {{5999, 500}, {6000, 100}, {8000, 500}, {14000, 100}}},
        {"spike(10,1000,60s,5s)",
         "spike(10,1000,60s,5s)",
         92.5,
         92.5,
         1000,
         92.5,
         -1,
         {{0, 10}, {54999, 10}, {55000, 1000}, {60000, 10}}},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct rates *r = parse(t[i].spec);
        dur_ns until = t[i].until < 0 ? MONO_NEVER : t[i].until * NS_PER_SEC;
        CHECK_INT(rates_stages(r), 1);
        check_stage(r, 0, 0, until, t[i].first, t[i].last, t[i].text);
        CHECK_INT(rates_end(r), until);
        CHECK(!rates_are_starts(r));
        CHECK_NEAR(rates_most(r), t[i].most, 0);
        CHECK_NEAR(rates_mean(r, MONO_NEVER), t[i].mean, 1e-7);
        for (size_t j = 0; j < 4; j++)
            CHECK_NEAR(rates_at(r, t[i].at[j].ms * NS_PER_MS), t[i].at[j].rate, 1e-9);
        rates_free(r);
    }
    struct rates *r = parse("100:1s,0-200:1s,sine(1000,500,4s)");
    CHECK_INT(rates_stages(r), 3);
    check_stage(r, 0, 0, NS_PER_SEC, 100, 100, "100");
    check_stage(r, 1, NS_PER_SEC, 2 * NS_PER_SEC, 0, 200, "0-200");
    check_stage(r, 2, 2 * NS_PER_SEC, MONO_NEVER, 1000, 1000, "sine(1000,500,4s)");
    CHECK_NEAR(rates_at(r, NS_PER_SEC), 0, 0);
    CHECK_NEAR(rates_at(r, 1500 * NS_PER_MS), 100, 1e-9);
    CHECK_NEAR(rates_at(r, 3 * NS_PER_SEC), 1500, 1e-9);
    CHECK_NEAR(rates_most(r), 1500, 0);
    CHECK_NEAR(rates_mean(r, 0), 0, 0);
    CHECK_NEAR(rates_mean(r, -1), 0, 0);
    CHECK_NEAR(rates_mean(r, 1), 100, 0);
    CHECK_NEAR(rates_mean(r, 1500 * NS_PER_MS), 83.333333, 0);
    CHECK_NEAR(rates_mean(r, MONO_NEVER), 700, 0); /* over the first period of the sine */
    CHECK(rates_pos(r, -1) == 0 && rates_pos(r, 0) == 0);
    CHECK(rates_pos(r, 1) == 200000000);
    CHECK(rates_pos(r, NS_PER_SEC) == 100 * RATE_ONE);
    CHECK(rates_pos(r, 1500 * NS_PER_MS) == 125 * RATE_ONE);
    CHECK(rates_pos(r, 2 * NS_PER_SEC) == 200 * RATE_ONE);
    CHECK_INT(rates_reach(r, 125 * RATE_ONE), 1500 * NS_PER_MS);
    CHECK_INT(rates_reach(r, 125 * RATE_ONE + 1), 1500 * NS_PER_MS + 1);
    CHECK_INT(rates_reach(r, 200 * RATE_ONE), 2 * NS_PER_SEC);
    rates_free(r);
    r = parse("1:1s,2");
    CHECK_NEAR(rates_mean(r, MONO_NEVER), 1.5, 0); /* over a second of the last stage */
    CHECK_INT(rates_reach(r, rates_pos(r, RATES_FAR - 1)), RATES_FAR - 1);
    CHECK_INT(rates_reach(r, rates_pos(r, RATES_FAR)), RATES_FAR);
    CHECK_INT(rates_reach(r, ~(rate_pos)0 >> 2), RATES_FAR);
    rates_free(r);
}

/* Squares to the ns, periods whose parts end within a start included. */
static void test_squares(void)
{
    static const struct {
        const char *spec;
        uint64_t k;
        dur_ns at;
    } t[] = {
        {"square(0,1000,1s)", 0, 500 * NS_PER_MS},
        {"square(0,1000,1s)", 499, 999 * NS_PER_MS},
        {"square(0,1000,1s)", 500, 1500 * NS_PER_MS},
        {"square(0,1000,1s,25%)", 0, 750 * NS_PER_MS},
        {"square(0,1000,1s,25%)", 250, 1750 * NS_PER_MS},
        {"square(3,1,1s)", 0, 0},
        {"square(3,1,1s)", 1, 333333334},
        {"square(3,1,1s)", 2, NS_PER_SEC},
        {"square(3,1,1s)", 200, 100 * NS_PER_SEC},
        {"square(3,0.5,1s)", 2, 1083333334},
        {"spike(0,1000,10s,2s)", 0, 8 * NS_PER_SEC},
        {"spike(0,1000,10s,2s)", 1999, 9999 * NS_PER_MS},
        {"spike(0,1000,10s,2s)", 2000, 18 * NS_PER_SEC},
        {"square(1000,0,1s)", 499, 499 * NS_PER_MS},
        {"square(1000,0,1s)", 500, 1000 * NS_PER_MS},
        {"square(1000,0,1s)", UINT64_C(1) << 62, RATES_FAR},
        {"sine(1000,500,1s)", UINT64_C(1) << 62, RATES_FAR},
        {"sine(1000,500,1s)", 1000 * UINT64_C(4611686017), 4611686017 * NS_PER_SEC},
        {"sine(1000,500,1s)", 1000 * UINT64_C(4611686018), RATES_FAR},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct rates *r = parse(t[i].spec);
        CHECK_INT(rates_start(r, t[i].k), t[i].at);
        rates_free(r);
    }
}

static void test_numbers(void)
{
    static const char form[] = "is not a rate: a number such as 500, 0.5 or 10k";
    static const char places[] =
        "is not a rate: a number such as 500, 0.5 or 10k, with at most six "
        "digits after the point";
    static const char most[] = "is more than 1000000000 per second";
    static const struct {
        const char *text;
        double rate;
        const char *why;
    } t[] = {
        {"0", 0, NULL},
        {"500", 500, NULL},
        {"0.5", 0.5, NULL},
        {".5", 0.5, NULL},
        {"5.", 5, NULL},
        {"9", 9, NULL},
        {"10k", 10000, NULL},
        {"1.5K", 1500, NULL},
        {"0.000001k", 0.001, NULL},
        {"2M", 2000000, NULL},
        {"1G", 1e9, NULL},
        {"0.000001", 0.000001, NULL},
        {"999999999.999999", 999999999.999999, NULL},
        {"1000000000", 1e9, NULL},
        {"1000000k", 1e9, NULL},
        {"1000000000.000001", 0, most},
        {"1000000.000001k", 0, most},
        {"1.000001G", 0, most},
        {"9223372036854.775799", 0, most},
        {"9223372036854.775800", 0, places},
        {"9223372036854.77580", 0, most},
        {"9223372036854", 0, most},
        {"9223372036855", 0, places},
        {"", 0, places},
        {".", 0, places},
        {"k", 0, places},
        {"0.0000001", 0, places},
        {"1..2", 0, form},
        {"1.2.3", 0, form},
        {"1kk", 0, form},
        {"1 ", 0, form},
        {"1:", 0, form},
        {"1/", 0, form},
        {"-1", 0, places},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        double rate = -1;
        char want[200];
        CHECK_INT(rates_number(t[i].text, &rate, &e), t[i].why ? -1 : 0);
        CHECK_NEAR(rate, t[i].why ? -1 : t[i].rate, 0);
        snprintf(want, sizeof want, "\"%s\" %s", t[i].text, t[i].why ? t[i].why : "");
        CHECK_STR(e.msg, t[i].why ? want : "");
        CHECK_INT(e.kind, t[i].why ? ERR_USAGE : 0);
    }
}

/* As many stages, as long and as short ones, as are allowed; what is shown of a long text. */
static void test_bounds(void)
{
    enum { MOST = 10000 };
    static char many[MOST * 6 + 8];
    struct err e = {0};
    struct rates *r;

    for (int i = 0; i < MOST; i++)
        memcpy(many + 6 * i, "1:1ns,", 6);
    strcpy(many + 6 * MOST, "7");
    CHECK(!rates_parse(many, &as_it_is, &e));
    CHECK_STR(e.msg, "more than 10000 stages");
    many[6 * MOST - 1] = '\0';
    r = parse(many);
    CHECK_INT(rates_stages(r), MOST);
    check_stage(r, MOST - 1, MOST - 1, MOST, 1, 1, "1");
    CHECK_INT(rates_end(r), MOST);
    CHECK_INT(rates_due(r, MONO_NEVER), 1);
    rates_free(r);
    r = parse("1:366d");
    CHECK_INT(rates_end(r), 366 * 86400 * NS_PER_SEC);
    rates_free(r);
    e = (struct err){0};
    CHECK(!rates_parse("1:31622400000001us", &as_it_is, &e));
    CHECK_STR(e.msg, "stage 1, \"1:31622400000001us\": \"31622400000001us\" is longer than a year");
    /* 70 characters of which 64 and 63 are shown */
    static const char digits[] =
        "0000000001000000000100000000010000000001000000000100000000010000000001";
    char text[100], want[300];
    snprintf(text, sizeof text, "1.%.68s:1s", digits);
    e = (struct err){0};
    CHECK(!rates_parse(text, &as_it_is, &e));
    snprintf(want, sizeof want, "stage 1, \"%.64s\": \"%.32s\" %s", text, text, /* its start */
             "is not a rate: a number such as 500, 0.5 or 10k, with at most six digits after the "
             "point");
    CHECK_STR(e.msg, want);
    memset(text, '0', 69);
    strcpy(text + 69, "7:1s");
    r = parse(text);
    CHECK_INT(strlen(rates_stage(r, 0)->text), 63);
    CHECK_NEAR(rates_most(r), 7, 0);
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
        {"square(1,2,3s,4%,5)",
         "stage 1, \"square(1,2,3s,4%,5)\": it takes square(LOW,HIGH,PERIOD[,DUTY%])"},
        {"square(1,2)", "stage 1, \"square(1,2)\": it takes square(LOW,HIGH,PERIOD[,DUTY%])"},
        {"square(1,2,3s,x)", "stage 1, \"square(1,2,3s,x)\": \"x\" is not a percentage: a number, "
                             "optionally with %"},
        {"sine(1,2,3s,4s)", "stage 1, \"sine(1,2,3s,4s)\": it takes sine(MEAN,AMPLITUDE,PERIOD)"},
        {"spike(1,2,3s)", "stage 1, \"spike(1,2,3s)\": it takes spike(BASE,PEAK,EVERY,WIDTH)"},
        {"spike(1,2,3s,4s,5s)",
         "stage 1, \"spike(1,2,3s,4s,5s)\": it takes spike(BASE,PEAK,EVERY,WIDTH)"},
        {"spike(1,2,3s,0s)", "stage 1, \"spike(1,2,3s,0s)\": \"0s\" is no time"},
        {"sine(x,1,3s)",
         "stage 1, \"sine(x,1,3s)\": \"x\" is not a rate: a number such as 500, 0.5 "
         "or 10k, with at most six digits after the point"},
        {"sine(1,x,3s)",
         "stage 1, \"sine(1,x,3s)\": \"x\" is not a rate: a number such as 500, 0.5 "
         "or 10k, with at most six digits after the point"},
        {"sine(1,1,0s)", "stage 1, \"sine(1,1,0s)\": \"0s\" is no time"},
        {"sine(1,1,3s):0s", "stage 1, \"sine(1,1,3s):0s\": \"0s\" is no time"},
        {"sine(1,1,3s):",
         "stage 1, \"sine(1,1,3s):\": \"\" is not a duration: a number, optionally with ns, us, ms, "
         "s, m, h or d"},
        {"-5:1s",
         "stage 1, \"-5:1s\": \"-5\" is not a rate: a number such as 500, 0.5 or 10k, with "
         "at most six digits after the point"},
        {"5-:1s", "stage 1, \"5-:1s\": \"\" is not a rate: a number such as 500, 0.5 or 10k, with "
                  "at most six digits after the point"},
        {"x-5:1s",
         "stage 1, \"x-5:1s\": \"x\" is not a rate: a number such as 500, 0.5 or 10k, with "
         "at most six digits after the point"},
        {"5:1s,sine(1,1,2s),7",
         "stage 2, \"sine(1,1,2s)\": only the last stage may lack its length"},
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
    CHECK(!rates_are_starts(r));
    check_stage(r, 0, 0, 3 * NS_PER_SEC, 0, 0, strrchr(trace, '/') + 1);
    CHECK_NEAR(rates_at(r, 1500 * NS_PER_MS), 100, 0);
    CHECK_NEAR(rates_at(r, 2 * NS_PER_SEC), 300.5, 0);
    CHECK_NEAR(rates_mean(r, MONO_NEVER), 133.5, 0);
    rates_free(r);
    r = play(text, 2, 10, &e);
    CHECK_INT(rates_start(r, 0), NS_PER_SEC / 10);
    CHECK_INT(rates_end(r), 3 * NS_PER_SEC / 10);
    CHECK_NEAR(rates_most(r), 601, 1e-9);
    rates_free(r);
    /* blanks and comments anywhere between rows; the last rate has no end */
    r = play("  # seconds,rate\n\n \t\n0 ,  1000000000 \n # 7,7\n\t1000000000,.5\n", 1, 1, &e);
    CHECK_STR(e.msg, "");
    CHECK_INT(rates_end(r), MONO_NEVER);
    check_stage(r, 0, 0, MONO_NEVER, 1e9, 0.5, strrchr(trace, '/') + 1);
    CHECK_NEAR(rates_at(r, 1000000000 * NS_PER_SEC - 1), 1e9, 0);
    CHECK_NEAR(rates_at(r, 1000000000 * NS_PER_SEC), 0.5, 0);
    rates_free(r);
    r = play("0,4\n0.3,6\n", 0.5, 0.5, &e); /* half as many, half as fast */
    CHECK_STR(e.msg, "");
    CHECK_NEAR(rates_at(r, 600 * NS_PER_MS - 1), 2, 0);
    CHECK_NEAR(rates_at(r, 600 * NS_PER_MS), 3, 0);
    CHECK_NEAR(rates_mean(r, MONO_NEVER), 2.625, 0);
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
    check_stage(r, 0, 0, 2 * NS_PER_SEC, 2, 2, strrchr(trace, '/') + 1);
    CHECK_NEAR(rates_at(r, NS_PER_SEC), 2, 0);
    CHECK_NEAR(rates_at(r, 2 * NS_PER_SEC), 0, 0);
    CHECK_NEAR(rates_most(r), 2, 0);
    CHECK_NEAR(rates_mean(r, MONO_NEVER), 2, 0);
    CHECK(rates_pos(r, 500 * NS_PER_MS) == 3 * RATE_ONE);
    CHECK(rates_pos(r, 500 * NS_PER_MS - 1) == RATE_ONE);
    rates_free(r);
    r = play("3\n", 1, 1, &e); /* one: at one a second */
    CHECK_INT(rates_end(r), 4 * NS_PER_SEC);
    CHECK_INT(rates_start(r, 0), 3 * NS_PER_SEC);
    CHECK_NEAR(rates_most(r), 0.25, 0);
    rates_free(r);
    r = play("0\n0\n", 1, 1, &e); /* several at once, where measuring begins */
    CHECK_INT(rates_due(r, -1), 0);
    CHECK_INT(rates_due(r, 0), 2);
    CHECK_INT(rates_start(r, 1), 0);
    CHECK_INT(rates_end(r), 1);
    CHECK_NEAR(rates_most(r), 2e9, 1);
    rates_free(r);
    r = play("0\n1\n", 0.5, 1, &e); /* one of two */
    CHECK_INT(rates_due(r, MONO_NEVER), 1);
    rates_free(r);
    r = play("0\n1\n", 5e8, 1, &e);
    CHECK_INT(rates_due(r, MONO_NEVER), 1000000000);
    CHECK_INT(rates_start(r, 499999999), 0);
    CHECK_INT(rates_start(r, 500000000), NS_PER_SEC);
    rates_free(r);
    CHECK_STR(e.msg, "");
    static const char *const whys[] = {"--tx-scale makes 1 planned starts 0.999999",
                                       "--tx-scale makes 1 planned starts 1000000001"};
    for (int i = 0; i < 2; i++) {
        char why[200];
        CHECK(!play("0\n", i ? 1e9 + 1 : 0.999999, 1, &e));
        snprintf(why, sizeof why, "%s: %s", trace, whys[i]);
        CHECK_STR(e.msg, why);
        e = (struct err){0};
    }
    char many[20 * 1100], *end = many; /* more than its memory has room for at first */
    for (int i = 0; i < 1100; i++)
        end += sprintf(end, "%d.%03d\n", i / 1000, i % 1000);
    r = play(many, 1, 1, &e);
    for (uint64_t k = 0; k < 1100; k++)
        CHECK_INT(rates_start(r, k), (dur_ns)k * NS_PER_MS);
    CHECK_INT(rates_end(r), 1100 * NS_PER_MS);
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
        {"# only\n \n", "it has no rows"},
        {"0\n0,1\n", "line 2: it has 2 columns, the rows before it have 1"},
        {"1,1\n\n0,2\n", "line 3: it is not later than the row before it"},
        {"0,1x\n", "line 1: \"1x\" is not a rate: digits, and at most six after the point"},
        {"0,1.0000001\n",
         "line 1: \"1.0000001\" is not a rate: digits, and at most six after the point"},
        {"0.0000000001\n", "line 1: \"0.0000000001\" does not begin with seconds: digits, and at "
                           "most nine after the point"},
        {"1000000000.000001\n", "line 1: \"1000000000.000001\" is later than 1000000000 seconds"},
        {"a\n0\nb\n", "line 3: \"b\" does not begin with seconds: digits, and at most nine after "
                      "the point"},
        {"0,1000000000.000001\n",
         "line 1: \"1000000000.000001\" is more than 1000000000 per second"},
    };

    char want[300];

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        CHECK(!play(t[i].text, 1, 1, &e));
        snprintf(want, sizeof want, "%s: %s", trace, t[i].why);
        CHECK_STR(e.msg, want);
    }
    struct err e = {0};
    CHECK(!play("0,500000001\n", 2, 1, &e));
    snprintf(want, sizeof want,
             "%s: line 1: \"500000001\" is more than 1000000000 per second with --tx-scale", trace);
    CHECK_STR(e.msg, want);
}

TEST_MAIN(rates_test)
{
    close(mkstemp(trace));
    test_values();
    test_sine();
    test_inverse();
    test_shapes();
    test_squares();
    test_numbers();
    test_bounds();
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
