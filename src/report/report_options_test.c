/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that concern only reports, the decimals of time stamps; labels: what is read, and what is
 * refused in which words.
 */
#include "report/report_options.h"

#include "base/test_golden.h"

static struct str out;

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

static void accepted(void)
{
    struct report_label *l = NULL;
    struct err e = {0};
    size_t n = 0;

    CHECK_INT(report_labels_parse(&l, &n, "env=prod,Team_2=a b,,note=x=\"y\"\\,_k=\xc3\xa9,", &e),
              0);
    CHECK_INT(n, 4);
    CHECK_STR(l[0].name, "env");
    CHECK_STR(l[0].value, "prod");
    CHECK_STR(l[1].name, "Team_2");
    CHECK_STR(l[1].value, "a b");
    CHECK_STR(l[2].value, "x=\"y\"\\");
    CHECK_STR(l[3].value, "\xc3\xa9");
    report_labels_free(l, n);
    l = NULL;
    n = 0;
    CHECK_INT(report_labels_parse(&l, &n, "", &e), 0);
    CHECK(l == NULL && n == 0);
}

static void refuse(const char *text)
{
    struct report_label *l = NULL;
    struct err e = {0};
    size_t n = 0;

    CHECK_INT(report_labels_parse(&l, &n, text, &e), -1);
    CHECK(l == NULL && n == 0 && e.kind == ERR_USAGE);
    str_printf(&out, "%s\n", e.msg);
}

TEST_MAIN(report_options_test)
{
    decimals();
    accepted();
    golden_each("env|=prod|1a=b|a-b=c|__a=b|mode=x|le=1|env=|env=\xff|env=a\nb|a=1,a=2|,,", refuse);
    golden(&out, "refused");
    str_free(&out);
    golden_done("report_options");
    return test_done("report_options_test");
}
