/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block of statements by kind: order, shares, long texts.  And marks as lines.
 */
#include "report/text_statements.h"

#include <math.h>
#include <string.h>

#include "base/test.h"
#include "report/text_marks.h"

static const struct stmt_figures statements[] = {
    {.class = STMT_CLASS_TRANSACTION,
     .name = "BEGIN",
     .text = "BEGIN",
     .count = 2,
     .sum_ns = 1000000,
     .min = 400000,
     .p50 = 500000,
     .p95 = 600000,
     .p99 = 600000,
     .max = 600000},
    {.class = STMT_CLASS_QUERY,
     .name = "SELECT\n   1",
     .text = "SELECT 1",
     .count = 4,
     .errors = 1,
     .rows = 3,
     .sum_ns = 4000000,
     .min = 500000,
     .p50 = 1000000,
     .p95 = 2000000,
     .p99 = 2000000,
     .max = 2000000},
    {.class = STMT_CLASS_CONNECT,
     .count = 1,
     .sum_ns = 7000000,
     .min = 7000000,
     .p50 = 7000000,
     .p95 = 7000000,
     .p99 = 7000000,
     .max = 7000000},
    {.class = STMT_CLASS_OTHER,
     .count = 1,
     .sum_ns = 0,
     .min = 0,
     .p50 = 0,
     .p95 = 0,
     .p99 = 0,
     .max = 0},
};

static void block(void)
{
    struct snapshot s = {.statements = statements, .nstatements = 4, .transactions_s = 0.01};
    struct str out = STR_INIT;

    text_statements(&out, &s, TEXT_FULL);
    CHECK_STR(
        str_cstr(&out),
        "Statements by kind (times in ms, share of the time in transactions):\n"
        "       count   errors       rows       min       avg       p50       p95       p99       max   share  kind\n"
        "           4        1          3     0.500     1.000     1.000     2.000     2.000     2.000   40.0%  SELECT 1\n"
        "           1        0          0     0.000     0.000     0.000     0.000     0.000     0.000    0.0%  (all others)\n"
        "           2        0          0     0.400     0.500     0.500     0.600     0.600     0.600   10.0%  BEGIN\n"
        "           1        0          0     7.000     7.000     7.000     7.000     7.000     7.000       -  connect\n"
        "\n");
    str_reset(&out);
    text_statements(&out, &s, TEXT_BRIEF);
    CHECK_STR(str_cstr(&out),
              "Statements by kind (times in ms, share of the time in transactions):\n"
              "     count errors      avg      p95      p99      max  share  kind\n"
              "         4      1    1.000    2.000    2.000    2.000  40.0%  SELECT 1\n"
              "         1      0    0.000    0.000    0.000    0.000   0.0%  (all others)\n"
              "         2      0    0.500    0.600    0.600    0.600  10.0%  BEGIN\n"
              "         1      0    7.000    7.000    7.000    7.000      -  connect\n"
              "\n");
    str_reset(&out);
    s.transactions_s = 0; /* nothing but a failure to connect */
    CHECK(isnan(statement_share(&s, &statements[1])));
    s.statements = NULL;
    text_statements(&out, &s, TEXT_FULL);
    CHECK_INT(out.len, 0);
    str_free(&out);
}

static void long_text(void)
{
    struct stmt_figures f = statements[1];
    struct snapshot s = {.statements = &f, .nstatements = 1, .transactions_s = 1};
    struct str out = STR_INIT, text = STR_INIT;

    for (int i = 0; i < 99; i++)
        str_adds(&text, "x");
    str_adds(&text, "\xc3\xa9 and more");
    f.name = text.s;
    text_statements(&out, &s, TEXT_FULL);
    CHECK(strstr(out.s, "xxx\xc3\xa9...\n") != NULL);
    for (int brief = 0; brief < 2; brief++) { /* with a column of errors and without it */
        const char *last;
        f.errors = (uint64_t)brief;
        str_reset(&out);
        text_statements(&out, &s, TEXT_BRIEF);
        last = strstr(out.s, "kind\n") + 5;
        CHECK_INT(strcspn(last, "\n"), 80);
        CHECK(strstr(last, "xxx...\n") != NULL);
    }
    str_free(&text);
    str_free(&out);
}

static void marks(void)
{
    static const struct mark mark[] = {{.at = 5 * NS_PER_SEC, .text = "before"},
                                       {.at = 12345678901, .text = "after"}};
    struct snapshot s = {
        .at = 20 * NS_PER_SEC, .elapsed_ns = 10 * NS_PER_SEC, .marks = mark, .nmarks = 2};
    struct str out = STR_INIT;

    text_marks(&out, &s);
    CHECK_STR(str_cstr(&out), "[ -5.000s ] mark: before\n[ 2.346s ] mark: after\n");
    str_free(&out);
}

TEST_MAIN(text_statements_test)
{
    block();
    long_text();
    marks();
    return test_done("text_statements");
}
