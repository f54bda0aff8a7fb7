/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Units read and written: tables of accepted and refused texts, and of the texts shown, including
 * the values at which rounding changes the unit.
 */
#include "base/units.h"

#include <stdbool.h>

#include "base/test.h"

enum kind { INT, DOUBLE, DURATION, PERCENT };

static int parse(enum kind k, const char *text, double *v, struct err *e)
{
    int64_t n = 77;
    int rc = k == INT        ? units_int(text, 0, 10, &n, e)
             : k == DOUBLE   ? units_double(text, 0, 1e6, v, e)
             : k == DURATION ? units_duration(text, NS_PER_US, &n, e)
                             : units_percent(text, 0, 100, v, e);

    if (k == INT || k == DURATION)
        *v = (double)n;
    return rc;
}

/* A refusal: -1, ERR_USAGE, the text quoted, the result untouched. */
static void test_refused(void)
{
    static const char *const bad[][24] = {
        [INT] = {"", "-", "+", "+-5", " 5", "5 ", "1.5", "10K", "abc", "0x10", "1e3", "11", "-1",
                 "9223372036854775808", "-9223372036854775809", "99999999999999999999999999"},
        [DOUBLE] = {"", " 1", "1 ", "abc", "10K", "1,5", "nan", "inf", "1e999", "-1", "-infinity",
                    "1e7", "--5", "1e", "0x10", "0X1p3"},
        [DURATION] = {"", "us", "-1us", "+1us", " 1us", "1 us", "1us ", "1.2.3s", ".", "1xs",
                      "1e3us", "0x10us", "inf", "nan", "5US", "107000d", "1e",
                      "99999999999999999999999s", "292y"},
        [PERCENT] = {"", "%", "-5%", "5%%", "5 %", "x", "101", "100.1%", "nan", "1e1%", "5p"},
    };

    for (enum kind k = INT; k <= PERCENT; k++)
        for (const char *const *text = bad[k]; *text; text++) {
            struct err e = {0};
            char quoted[64];
            double v = 77;
            int rc = parse(k, *text, &v, &e);
            snprintf(quoted, sizeof quoted, "\"%s\" is ", *text);
            TEST_REPORT(rc == -1 && e.kind == ERR_USAGE &&
                            strncmp(e.msg, quoted, strlen(quoted)) == 0 && v == 77,
                        "\"%s\": rc %d, message %s", *text, rc, e.msg);
        }
}

static void test_int(void)
{
    static const struct {
        const char *text;
        int64_t min, max, want;
    } good[] = {
        {"0", 0, 10, 0},
        {"10", 0, 10, 10},
        {"-5", -5, 10, -5},
        {"+7", 0, 10, 7},
        {"007", 0, 10, 7},
        {"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN},
    };
    int64_t v = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_INT(units_int(good[i].text, good[i].min, good[i].max, &v, NULL), 0);
        CHECK_INT(v, good[i].want);
    }
}

static void test_double(void)
{
    static const struct {
        const char *text;
        double want;
    } good[] = {{"0", 0},  {"2.5", 2.5}, {"0.1", 0.1},   {".5", 0.5},
                {"5.", 5}, {"1e3", 1e3}, {"1200", 1200}, {"1e-320", 1e-320}};
    double v = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_INT(units_double(good[i].text, 0, 1e6, &v, NULL), 0);
        CHECK_NEAR(v, good[i].want, 0);
    }
}

static void test_duration(void)
{
    static const struct {
        const char *text;
        dur_ns unit, want;
    } good[] = {
        {"250us", 1, 250000},
        {"250\xc2\xb5s", 1, 250000},
        {"250", NS_PER_US, 250000},
        {"250", NS_PER_MS, 250000000},
        {"0", NS_PER_US, 0},
        {"7ns", NS_PER_US, 7},
        {"0.4ns", NS_PER_US, 0},
        {"1.5ms", NS_PER_US, 1500000},
        {".5", NS_PER_SEC, 500000000},
        {"0.1s", NS_PER_US, 100000000},
        {"10s", NS_PER_US, 10 * NS_PER_SEC},
        {"2m", NS_PER_US, 120 * NS_PER_SEC},
        {"2min", NS_PER_US, 120 * NS_PER_SEC},
        {"1h", NS_PER_US, 3600 * NS_PER_SEC},
        {"1d", NS_PER_US, 86400 * NS_PER_SEC},
    };
    dur_ns v = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_INT(units_duration(good[i].text, good[i].unit, &v, NULL), 0);
        CHECK_INT(v, good[i].want);
    }
}

static void test_percent(void)
{
    double v = 0;

    CHECK_INT(units_percent("5%", 0, 100, &v, NULL), 0);
    CHECK_NEAR(v, 5, 0);
    CHECK_INT(units_percent("0.1", 0, 100, &v, NULL), 0);
    CHECK_NEAR(v, 0.1, 0);
    CHECK_INT(units_percent("100%", 0, 100, &v, NULL), 0);
    CHECK_NEAR(v, 100, 0);
}

static void test_messages(void)
{
    struct err e;
    double d;
    int64_t i;

    units_int("0", 1, 1024, &i, &e);
    CHECK_STR(e.msg, "\"0\" is out of range: between 1 and 1024 is allowed");
    err_add(&e, "--threads");
    CHECK_STR(e.msg, "--threads: \"0\" is out of range: between 1 and 1024 is allowed");
    units_double("-1", 0, INFINITY, &d, &e);
    CHECK_STR(e.msg, "\"-1\" is out of range: at least 0 is needed");
    units_double("3", -INFINITY, 2.5, &d, &e);
    CHECK_STR(e.msg, "\"3\" is out of range: at most 2.5 is allowed");
    units_double("3", 0, 2.5, &d, &e);
    CHECK_STR(e.msg, "\"3\" is out of range: between 0 and 2.5 is allowed");
    units_double("fast", 0, 1, &d, &e);
    CHECK_STR(e.msg, "\"fast\" is not a finite number");
    units_percent("half", 0, 100, &d, &e);
    CHECK_STR(e.msg, "\"half\" is not a percentage: a number, optionally with %");
}

static void test_format_duration(void)
{
    static const struct {
        dur_ns d;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {850, "850 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {9994, "9.99 us"},
        {9995, "10.0 us"},
        {12345, "12.3 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {1250000, "1.25 ms"},
        {99949999, "99.9 ms"},
        {99950001, "100 ms"},
        {2000000000, "2.00 s"},
        {INT64_C(59949999999), "59.9 s"},
        {INT64_C(59960000000), "1m00s"},
        {INT64_C(125000000000), "2m05s"},
        {INT64_C(3599499999999), "59m59s"},
        {INT64_C(3599500000000), "1h00m"},
        {INT64_C(3725000000000), "1h02m"},
        {INT64_C(360000000000000), "100h00m"},
        {-1250000, "-1.25 ms"},
        {INT64_MAX, "2562047h47m"},
        {INT64_MIN, "-2562047h47m"},
    };
    char buf[UNITS_TEXT_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(units_format_duration(buf, cases[i].d), cases[i].text);
}

TEST_MAIN(units_test)
{
    test_refused();
    test_int();
    test_double();
    test_duration();
    test_percent();
    test_messages();
    test_format_duration();
    return test_done("units_test");
}
