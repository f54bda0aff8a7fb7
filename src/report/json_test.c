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

TEST_MAIN(json_test)
{
    struct str s = STR_INIT;

    strings();
    numbers();
    json_name(&s, "a");
    json_name(&s, "b\"");
    CHECK_STR(str_cstr(&s), "\"a\":,\"b\\\"\":");
    str_free(&s);
    return test_done("json");
}
