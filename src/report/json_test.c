/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any text into a valid string, any double into the shortest text that comes back the same.
 */
#include "report/json.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct str out;

static void string(const char *text)
{
    json_string(&out, text);
    str_adds(&out, "\n");
}

static void number(double v)
{
    const size_t begin = out.len;

    json_number(&out, v);
    CHECK(!isfinite(v) || strtod(out.s + begin, NULL) == v);
    str_adds(&out, "\n");
}

static void strings_and_numbers(void)
{
    static const double v[] = {0,         -0.0, 1,        0.1,       1e300, -2.5e-9, 1795261685.298,
                               0.1 + 0.2, NAN,  INFINITY, -INFINITY, 5e-324};

    /* Latin-1; str_test has all that is no UTF-8 */
    golden_each("|a \"b\" \\c/|\b\f\n\r\t\x01\x1f\x7f|\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80|"
                "\xe9t\xe9|\xf0\x9f\x98",
                string);
    string(NULL);
    golden(&out, "strings");
    for (size_t i = 0; i < COUNT(v); i++)
        number(v[i]);
    golden(&out, "numbers");
    /* a duration comes back exact */
    for (int64_t ns = 1; ns < INT64_C(3600000000000); ns = ns * 7 + 3) {
        json_number(&out, (double)ns / 1e9);
        CHECK_INT(llround(strtod(str_cstr(&out), NULL) * 1e9), ns);
        str_reset(&out);
    }
}

/* --- documents --- */

static void values(void)
{
    static const struct value v[] = {{.kind = VALUE_NONE},
                                     {.kind = VALUE_COUNT, .count = UINT64_MAX},
                                     {.kind = VALUE_NUMBER, .number = 0.5},
                                     {.kind = VALUE_TRUTH, .number = 1},
                                     {.kind = VALUE_TRUTH, .number = 0},
                                     {.kind = VALUE_TEXT, .text = "a\"b"}};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        json_value(&out, &v[i]);
        str_adds(&out, " ");
    }
    json_string_member(&out, "a", "b");
    json_number_member(&out, "c", 1.5);
    str_adds(&out, ",");
    json_string_member(&out, "d", NULL);
    json_name(&out, "b\"");
    golden(&out, "values");
}

/* Buckets that have samples, of the series that were kept; only with a rate are there three. */
static void histograms(void)
{
    struct hist_counts h[3];
    struct snapshot_hists all = {&h[0], &h[1], &h[2]}, one = {.response = &h[0]}, none = {0};
    for (int i = 0; i < 3; i++)
        hist_counts_init(&h[i], HIST_BUCKETS);
    hist_counts_put(&h[0], 0, 2);
    hist_counts_put(&h[0], hist_index(5000), 3);
    hist_counts_put(&h[1], HIST_BUCKETS - 1, 4);
    h[1].clamped = 4;
    json_doc_histograms(&out, &none);
    json_doc_histograms(&out, &one);
    json_doc_histograms(&out, &all);
    golden(&out, "histograms");
    for (int i = 0; i < 3; i++)
        hist_counts_fini(&h[i]);
}

/* Nothing that a file tells of the run is needed. */
static void nothing(void)
{
    struct report_end end = {.why = "", .since = "", .interrupted = ""};
    json_doc_run(&out, &(struct report_info){.version = "1.2"});
    for (int i = 0; i < 3; i++) { /* both or there is no verdict */
        end.has_rate = i == 1, end.measured = i == 2;
        json_doc_verdict(&out, &end);
    }
    golden(&out, "nothing");
}

TEST_MAIN(json_test)
{
    strings_and_numbers();
    values();
    histograms();
    nothing();
    str_free(&out);
    golden_done("json");
    return test_done("json");
}
