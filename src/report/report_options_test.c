/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that concern only reports, and the decimals of time stamps.
 */
#include "report/report_options.h"

#include "base/test.h"

static const struct opt_row rows[] = {
    {.name = "debug", .type = OPT_BOOL, .def = "off", .help = ""},
    {.name = "validate", .type = OPT_BOOL, .def = "off", .help = ""},
    {.name = "histogram", .type = OPT_BOOL, .def = "off", .help = ""},
};

static void options(void)
{
    static const struct {
        const char *option; /* that is on */
        size_t percentiles;
        bool histogram, debug, validate;
        const char *complaint;
    } t[] = {
        {NULL, 0, false, false, false, ""},
        {"debug", 1, false, true, false, ""},
        {"validate", 1, false, false, true, ""},
        {"histogram", 1, true, false, false, ""},
        {"histogram", 0, true, false, false, "--histogram cannot be used with --percentile=0"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct opts *o = opts_new();
        struct report_options r = {0};
        struct err e = {0};

        opts_add(o, OPT_GROUP_GENERAL, rows, sizeof rows / sizeof *rows);
        if (t[i].option)
            opt_set(o, t[i].option, "on", NULL);
        report_options_read(&r, o);
        CHECK_INT(report_options_check(&r, t[i].percentiles, &e), *t[i].complaint ? -1 : 0);
        CHECK_STR(e.msg, t[i].complaint);
        CHECK_INT(r.histogram, t[i].histogram);
        CHECK_INT(r.debug, t[i].debug);
        CHECK_INT(r.validate, t[i].validate);
        opts_free(o);
    }
}

static void decimals(void)
{
    static const struct {
        dur_ns interval;
        int decimals;
    } t[] = {
        {0, 0},
        {NS_PER_SEC, 0},
        {600 * NS_PER_SEC, 0},
        {NS_PER_SEC / 10, 1},
        {NS_PER_SEC * 3 / 2, 1},
        {NS_PER_SEC / 4, 2},
        {NS_PER_SEC * 7 / 5, 1},
        {NS_PER_SEC / 8, 3},
        {NS_PER_SEC * 10001 / 10000, 3},
        {INT32_MAX * NS_PER_SEC, 0},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_INT(report_stamp_decimals(t[i].interval), t[i].decimals);
}

TEST_MAIN(report_options_test)
{
    options();
    decimals();
    return test_done("report_options_test");
}
