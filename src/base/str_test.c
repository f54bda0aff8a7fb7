/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text buffer holds all that was added, in pieces of any size, and ends with a NUL; and which
 * bytes are UTF-8.
 */
#include "base/str.h"

#include "base/mem.h"
#include "base/test.h"

static void pieces(void)
{
    struct str s = STR_INIT;

    CHECK_STR(str_cstr(&s), "");
    str_reset(&s); /* nothing to empty */
    str_adds(&s, "ab");
    str_add(&s, "cdef", 2);
    str_printf(&s, "-%d", 12);
    CHECK_STR(str_cstr(&s), "abcd-12");
    CHECK_INT(s.len, 7);
    str_add(&s, "x\0y", 3); /* bytes, not a string */
    CHECK_INT(s.len, 10);
    CHECK_INT(memcmp(s.s, "abcd-12x\0y", 11), 0);
    str_reset(&s);
    CHECK_INT(s.len, 0);
    CHECK_STR(str_cstr(&s), "");
    str_free(&s);
    CHECK(!s.s && s.len == 0 && s.cap == 0);
}

/* Around the sizes at which the buffer grows. */
static void growth(void)
{
    char text[1200];

    memset(text, 'a', sizeof text);
    for (size_t n = 0; n<sizeof text; n += n> 120 && n < 135 ? 1 : 31) {
        struct str s = STR_INIT;
        str_add(&s, text, n);
        str_printf(&s, "%.*s|", (int)n, text);
        str_add(&s, text, n);
        CHECK_INT(s.len, 3 * n + 1);
        CHECK_INT(strlen(s.s), s.len);
        CHECK_INT(s.s[2 * n], '|');
        str_free(&s);
    }
}

static void test_capacity(void)
{
    struct str s = STR_INIT;

    str_adds(&s, "ab");
    str_room(&s, 5000);
    CHECK(s.cap >= 5003);
    CHECK_STR(str_cstr(&s), "ab");
    str_free(&s);
}

static void utf8(void)
{
    static const char *const text[][16] = {
        /* begins in the middle; overlong; a surrogate; beyond the last code point; cut off */
        {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
         "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xe2\x28\xa1",
         "\xf0\x90\x80"},
        {"a", "\x7f"},
        {"\xc3\xa9", "\xdf\xbf"},
        {"\xe0\xa0\x80", "\xe2\x82\xac", "\xed\x9f\xbf", "\xef\xbf\xbf"},
        {"\xf0\x90\x80\x80", "\xf1\x80\x80\x80", "\xf4\x8f\xbf\xbf"}};

    for (size_t length = 0; length < COUNT(text); length++)
        for (const char *const *t = text[length]; *t; t++)
            CHECK_INT(str_utf8(*t), length);
}

static void printable(void)
{
    char text[] = "a\tb\n\x1b[1m\x7f \xc3\xa9 \xc2\x9b \xc2\xa0 \xd8\x9c\xe2\x80\xae \xc2";
    struct str out = STR_INIT;

    str_visible(&out, text, strlen(text));
    CHECK_STR(out.s, "a\tb\n\\x1b[1m\\x7f \xc3\xa9 \\x9b \xc2\xa0 \\u061c\\u202e \xc2");
    str_reset(&out);
    str_visible(&out, "\r\0\\x1b", 6);
    CHECK_STR(out.s, "\\x0d\\x00\\x1b");
    str_free(&out);
    str_printable(text, 4, ' ');
    CHECK_STR(text, "a b \x1b[1m\x7f \xc3\xa9 \xc2\x9b \xc2\xa0 \xd8\x9c\xe2\x80\xae \xc2");
    str_printable(text, strlen(text), '?');
    CHECK_STR(text, "a b ?[1m? \xc3\xa9 ?? \xc2\xa0 ????? \xc2");
}

/* Each of them, and its neighbours: none of these is changed. */
static void borders(void)
{
    static const struct {
        const char *first, *last, *before, *after;
    } row[] = {
        {"\xd8\x9c", "\xd8\x9c", "\xd8\x9b", "\xd8\x9d"},
        {"\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\x8d", "\xe2\x80\x90"},
        {"\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x80\xa7", "\xe2\x80\xaf"},
        {"\xe2\x81\xa6", "\xe2\x81\xa9", "\xe2\x81\xa5", "\xe2\x81\xaa"},
        {"\xc2\x80", "\xc2\x9f", "\x7e", "\xc2\xa0"},
        {"\x80", "\x9f", "\x20", "\xa0"},
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *text[] = {row[i].first, row[i].last, row[i].before, row[i].after};
        for (size_t k = 0; k < 4; k++) {
            struct str out = STR_INIT;
            str_visible(&out, text[k], strlen(text[k]));
            CHECK_INT(strcmp(out.s, text[k]) == 0, k >= 2);
            CHECK_INT(*out.s == '\\', k < 2);
            str_free(&out);
        }
    }
}

static void bytes_without_letter(void)
{
    char text[] = "\x9b"
                  "2J\x85 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 \xe6\x97 \xe9\xa0 "
                  "\xc0\x9b \xed\xa0\x9b \xc3\x9b\x9b \xe6\x9c\xac";

    str_printable(text, strlen(text) - 1, '?');
    CHECK_STR(text, "?2J? \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 \xe6? \xe9\xa0 "
                    "\xc0? \xed\xa0? \xc3\x9b? \xe6?\xac"); /* the last letter is cut */
}

TEST_MAIN(str_test)
{
    printable();
    borders();
    bytes_without_letter();
    pieces();
    growth();
    test_capacity();
    utf8();
    return test_done("str");
}
