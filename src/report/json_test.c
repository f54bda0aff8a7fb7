/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any text into a valid string, any double into the shortest text that comes back the same.
 */
#include "report/json.h"

#include <stdlib.h>

#include "base/test.h"

static void strings(void)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {NULL, "null"},
        {"", "\"\""},
        {"a \"b\" \\c/", "\"a \\\"b\\\" \\\\c/\""},
        {"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\""},
        {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xe9t\xe9", "\"\\ufffdt\\ufffd\""}, /* Latin-1 */
        {"\xc3", "\"\\ufffd\""},              /* cut */
        {"\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xc0\x80", "\"\\ufffd\\ufffd\""}, /* overlong */
        {"\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x8f\xbf\xbf", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* half of a pair */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond Unicode */
        {"\xf5\x80\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\x80", "\"\\ufffd\""},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str s = STR_INIT;
        json_string(&s, t[i].text);
        CHECK_STR(str_cstr(&s), t[i].want);
        str_free(&s);
    }
}

static void numbers(void)
{
    static const struct {
        double v;
        const char *want;
    } t[] = {{0, "0"},
             {-0.0, "-0"},
             {1, "1"},
             {0.1, "0.1"},
             {1e300, "1e+300"},
             {-2.5e-9, "-2.5e-09"},
             {1795261685.298, "1795261685.298"},
             {0.1 + 0.2, "0.30000000000000004"},
             {NAN, "null"},
             {INFINITY, "null"},
             {-INFINITY, "null"},
             {5e-324, "4.94065645841247e-324"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str s = STR_INIT;
        json_number(&s, t[i].v);
        CHECK_STR(str_cstr(&s), t[i].want);
        if (isfinite(t[i].v))
            CHECK(strtod(str_cstr(&s), NULL) == t[i].v);
        str_free(&s);
    }
    /* a duration comes back exact */
    for (int64_t ns = 1; ns < INT64_C(3600000000000); ns = ns * 7 + 3) {
        struct str s = STR_INIT;
        json_number(&s, (double)ns / 1e9);
        CHECK_INT(llround(strtod(str_cstr(&s), NULL) * 1e9), ns);
        str_free(&s);
    }
}

/* --- documents --- */

static void expect(struct str *out, const char *want)
{
    CHECK_STR(str_cstr(out), want);
    str_free(out);
}

static void values(void)
{
    static const struct value v[] = {{.kind = VALUE_NONE},
                                     {.kind = VALUE_COUNT, .count = UINT64_MAX},
                                     {.kind = VALUE_NUMBER, .number = 0.5},
                                     {.kind = VALUE_TRUTH, .number = 1},
                                     {.kind = VALUE_TRUTH, .number = 0},
                                     {.kind = VALUE_TEXT, .text = "a\"b"}};
    struct str s = STR_INIT;

    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        json_value(&s, &v[i]);
        str_adds(&s, " ");
    }
    expect(&s, "null 18446744073709551615 0.5 true false \"a\\\"b\" ");
    json_string_member(&s, "a", "b");
    json_number_member(&s, "c", 1.5);
    str_adds(&s, ",");
    json_string_member(&s, "d", NULL);
    expect(&s, "\"a\":\"b\",\"c\":1.5,\"d\":null");
}

/* Buckets that have samples, of the series that were kept; only with a rate are there three. */
static void histograms(void)
{
    struct hist_counts h[3];
    struct snapshot_hists all = {&h[0], &h[1], &h[2]}, one = {.response = &h[0]}, none = {0};
    struct str s = STR_INIT;

    for (int i = 0; i < 3; i++)
        hist_counts_init(&h[i], HIST_BUCKETS);
    hist_counts_put(&h[0], 0, 2);
    hist_counts_put(&h[0], hist_index(5000), 3);
    hist_counts_put(&h[1], HIST_BUCKETS - 1, 4);
    h[1].clamped = 4;
    json_doc_histograms(&s, &none);
    expect(&s, "null");
    json_doc_histograms(&s, &one);
    expect(&s, "{\"latency\":{\"unit\":\"ns\",\"samples\":5,\"over_one_hour\":0,"
               "\"buckets\":[[0,0,2],[5000,5003,3]]}}");
    json_doc_histograms(&s, &all);
    char want[500];
    snprintf(want, sizeof want,
             "{\"response\":{\"unit\":\"ns\",\"samples\":5,\"over_one_hour\":0,"
             "\"buckets\":[[0,0,2],[5000,5003,3]]},"
             "\"service\":{\"unit\":\"ns\",\"samples\":4,\"over_one_hour\":4,"
             "\"buckets\":[[%lld,%lld,4]]},"
             "\"lag\":{\"unit\":\"ns\",\"samples\":0,\"over_one_hour\":0,\"buckets\":[]}}",
             (long long)hist_bucket_low(HIST_BUCKETS - 1),
             (long long)hist_bucket_high(HIST_BUCKETS - 1));
    expect(&s, want);
    for (int i = 0; i < 3; i++)
        hist_counts_fini(&h[i]);
}

/* Nothing that a file tells of the run is needed. */
static void nothing(void)
{
    struct report_end end = {.why = "", .since = "", .interrupted = ""};
    struct str s = STR_INIT;

    json_doc_run(&s, &(struct report_info){.version = "1.2"});
    expect(&s, "{\"program\":\"sysbench-tx\",\"version\":\"1.2\",\"test\":null,\"command\":null,"
               "\"labels\":{},\"command_line\":[],\"wall_time_unix_s\":0,"
               "\"options\":{\"given\":{},\"effective\":{}},\"environment\":{\"missing\":{}}}");
    for (int i = 0; i < 3; i++) { /* both or there is no verdict */
        end.has_rate = i == 1, end.measured = i == 2;
        json_doc_verdict(&s, &end);
        expect(&s, "null");
    }
}

TEST_MAIN(json_test)
{
    struct str s = STR_INIT;

    strings();
    numbers();
    values();
    histograms();
    nothing();
    json_name(&s, "a");
    json_name(&s, "b\"");
    CHECK_STR(str_cstr(&s), "\"a\":,\"b\\\"\":");
    str_free(&s);
    return test_done("json");
}
