/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options into the plan.  --percentile: one number as stock reads it, a list; --report-interval:
 * whole seconds or parts of one; and the refusals with their messages.
 */
#include "engine/plan.h"

#include "base/test.h"
#include "report/report_options.h"

/* The plan of `--option=value`; the error in *e. */
static int plan_of(struct plan *p, const char *option, const char *value, struct err *e)
{
    static const struct opt_row seed = {
        .name = "rand-seed", .type = OPT_INT, .def = "0", .help = "seed"};
    struct opts *o = opts_new();
    int rc;

    plan_options(o);
    opts_add(o, OPT_GROUP_RANDOM, &seed, 1);
    opt_set(o, option, value, NULL);
    rc = opts_check(o, e) || plan_from_options(p, o, e) ? -1 : 0;
    opts_free(o);
    return rc;
}

static int plan_for(struct plan *p, const char *value, struct err *e)
{
    return plan_of(p, "percentile", value, e);
}

static void accepted(void)
{
    static const struct {
        const char *value;
        size_t n;
        double p[4];
    } t[] = {
        {"95", 1, {95}},
        {"1", 1, {1}},
        {"100", 1, {100}},
        {"0", 0, {0}},
        {"", 0, {0}},
        {"0.0", 0, {0}},
        {"99.9", 1, {99.9}},
        {".5", 1, {0.5}},
        {"007", 1, {7}},
        {"50,95,99,99.9", 4, {50, 95, 99, 99.9}},
        {"99.99,50", 2, {99.99, 50}},
        {"100,0.001", 2, {100, 0.001}},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        struct plan p;
        CHECK_INT(plan_for(&p, t[i].value, &e), 0);
        CHECK_STR(e.msg, "");
        CHECK_INT(p.percentiles, t[i].n);
        for (size_t k = 0; k < t[i].n; k++)
            CHECK_NEAR(p.percentile[k], t[i].p[k], 0);
    }
}

#define NEEDS_PERCENTILES " (a number from 0 to 100, or a list such as 50,95,99.9, is needed)"

static void refused(void)
{
    static const struct {
        const char *value;
        enum err_kind kind;
        const char *complaint;
    } t[] = {
        {"101", ERR_USAGE, "Invalid value for --percentile: 101 (allowed: 0 to 100)"},
        {"-1", ERR_USAGE, "Invalid value for --percentile: -1 (allowed: 0 to 100)"},
        {"100.1", ERR_USAGE, "Invalid value for --percentile: 100.1 (allowed: 0 to 100)"},
        {"abc", ERR_SYNTAX, "Invalid value for the 'percentile' option: 'abc'" NEEDS_PERCENTILES},
        {"1e1", ERR_SYNTAX, "Invalid value for the 'percentile' option: '1e1'" NEEDS_PERCENTILES},
        {"95%", ERR_SYNTAX, "Invalid value for the 'percentile' option: '95%'" NEEDS_PERCENTILES},
        {"9.5.1", ERR_SYNTAX,
         "Invalid value for the 'percentile' option: '9.5.1'" NEEDS_PERCENTILES},
        {".", ERR_SYNTAX, "Invalid value for the 'percentile' option: '.'" NEEDS_PERCENTILES},
        {"-0.5", ERR_SYNTAX, "Invalid value for the 'percentile' option: '-0.5'" NEEDS_PERCENTILES},
        {"99999999999", ERR_SYNTAX,
         "Invalid value for the 'percentile' option: '99999999999'" NEEDS_PERCENTILES},
        {",", ERR_USAGE, "Invalid value for --percentile: ',' (an entry is empty)"},
        {"50,", ERR_USAGE, "Invalid value for --percentile: '50,' (an entry is empty)"},
        {"50,,95", ERR_USAGE, "Invalid value for --percentile: '50,,95' (an entry is empty)"},
        {"50,x", ERR_USAGE, "Invalid value for --percentile: '50,x' ('x' is not a number)"},
        {"50, 95", ERR_USAGE, "Invalid value for --percentile: '50, 95' (' 95' is not a number)"},
        {"50,-1", ERR_USAGE, "Invalid value for --percentile: '50,-1' ('-1' is not a number)"},
        {"50,nan,95", ERR_USAGE,
         "Invalid value for --percentile: '50,nan,95' ('nan' is not a number)"},
        {"50,100.001", ERR_USAGE,
         "Invalid value for --percentile: '50,100.001' ('100.001' is more than 100)"},
        {"50,0", ERR_USAGE,
         "Invalid value for --percentile: '50,0' ('0' switches percentiles off and cannot be one of several)"},
        {"50,95,50.0", ERR_USAGE,
         "Invalid value for --percentile: '50,95,50.0' ('50.0' is there twice)"},
        {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", ERR_USAGE,
         "Invalid value for --percentile: '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17' (at most 16)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        struct plan p;
        CHECK_INT(plan_for(&p, t[i].value, &e), -1);
        CHECK_INT(e.kind, t[i].kind);
        CHECK_STR(e.msg, t[i].complaint);
    }
}

static void intervals(void)
{
    static const struct {
        const char *value;
        dur_ns interval; /* -1: refused */
        int decimals;
        const char *complaint;
    } t[] = {
        {"0", 0, 0, ""},
        {"", 0, 0, ""},
        {"1", NS_PER_SEC, 0, ""},
        {"10", 10 * NS_PER_SEC, 0, ""},
        {"1.0", NS_PER_SEC, 0, ""},
        {"0.1", NS_PER_SEC / 10, 1, ""},
        {"0.25", NS_PER_SEC / 4, 2, ""},
        {"2.5", 5 * NS_PER_SEC / 2, 1, ""},
        {"0.3333333", 333333300, 3, ""},
        {"2147483647", INT32_MAX * NS_PER_SEC, 0, ""},
        {"0.0999", -1, 0,
         "Invalid value for --report-interval: 0.0999 (allowed: 0, or 0.1 to 2147483647)"},
        {"2147483648", -1, 0,
         "Invalid value for --report-interval: 2147483648 (allowed: 0, or 0.1 to 2147483647)"},
        {"-1", -1, 0, "Invalid value for --report-interval: -1."},
        {"-0.5", -1, 0, "Invalid value for --report-interval: -0.5."},
        {"abc", -1, 0,
         "Invalid value for the 'report_interval' option: 'abc' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)"},
        {"0x10", -1, 0,
         "Invalid value for the 'report_interval' option: '0x10' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)"},
        {"1x", -1, 0,
         "Invalid value for the 'report_interval' option: '1x' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)"},
        {"inf", -1, 0,
         "Invalid value for the 'report_interval' option: 'inf' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        struct plan p = {0};
        CHECK_INT(plan_of(&p, "report-interval", t[i].value, &e), t[i].interval < 0 ? -1 : 0);
        CHECK_STR(e.msg, t[i].complaint);
        if (t[i].interval < 0)
            continue;
        CHECK_INT(p.report_interval, t[i].interval);
        CHECK_INT(report_stamp_decimals(p.report_interval), t[i].decimals);
    }
}

/* --rate accepts what stock accepts; its arrivals are capped, its value is not. */
static void rates(void)
{
    static const struct {
        const char *option, *value;
        double rate, walked;
    } t[] = {
        {"rate", "50", 50, 50},
        {"rate", "10000001", 10000001, 1e7},
        {"rate", "2147483647", 2147483647, 1e7},
        {"tx-rate", "1e9", 1e9, 1e9},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct err e = {0};
        struct plan p;
        CHECK_INT(plan_of(&p, t[i].option, t[i].value, &e), 0);
        CHECK_NEAR(p.rate, t[i].rate, 0);
        CHECK_NEAR(plan_walked_rate(&p), t[i].walked, 0);
    }
}

TEST_MAIN(plan_test)
{
    accepted();
    refused();
    rates();
    intervals();
    return test_done("plan_test");
}
