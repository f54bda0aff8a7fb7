/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wrapping at a width, and the text of a block for figures that it does not have.
 */
#include "report/text_lines.h"

#include <string.h>

#include "base/test.h"

static void wrapping(void)
{
    static const struct {
        const char *text;
        size_t used, indent, width;
        const char *want;
    } t[] = {
        {"", 0, 0, 10, ""},
        {"one", 0, 2, 10, "one"},
        {"one two three", 0, 2, 10, "one two\n  three"},
        {"one two three", 4, 2, 10, "one\n  two\n  three"},
        {"one two three", 3, 0, 10, "one two\nthree"},
        {"  one   two  ", 0, 0, 10, "one two"},
        {"a-word-that-is-longer-than-the-line b", 0, 1, 10,
         "a-word-that-is-longer-than-the-line\n b"},
        {"x a-word-that-is-longer", 0, 1, 10, "x\n a-word-that-is-longer"},
        /* characters, not bytes */
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9", 0, 0,
         10, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\n\xc3\xa9"},
        {"rd\0371.5 wr\0372.5", 0, 0, 10, "rd 1.5\nwr 2.5"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct str out = STR_INIT;
        text_wrap(&out, t[i].text, t[i].used, t[i].indent, t[i].width);
        CHECK_STR(str_cstr(&out), t[i].want);
        str_free(&out);
    }
}

static void items(void)
{
    struct str out = STR_INIT;

    text_item(&out, "sustained:",
              "no - %d clients were busy all the time, and nothing else could be done", 16);
    CHECK_STR(out.s,
              "    sustained:                           no - 16 clients were busy all the time,\n"
              "                                         and nothing else could be done\n");
    str_free(&out);
}

static void missing(struct str *out, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};

    str_adds(out, "Block:\n");
    text_missing(&l, "CPU:", "mariadbd has ended");
    text_missing(&l, "storage, bytes:", "another user's");
    text_missing(&l, "threads:", "mariadbd has ended");
    text_lines_end(&l);
    text_lines_end(&l); /* nothing is left */
}

static void blocks(void)
{
    struct str out = STR_INIT;

    missing(&out, TEXT_BRIEF);
    CHECK_STR(out.s,
              "Block:\n"
              "    n/a:                                 CPU, threads (mariadbd has ended)\n"
              "    n/a:                                 storage, bytes (another user's)\n\n\n");
    str_reset(&out);
    missing(&out, TEXT_FULL);
    CHECK_STR(out.s, "Block:\n"
                     "    CPU:                                 n/a (mariadbd has ended)\n"
                     "    storage, bytes:                      n/a (another user's)\n"
                     "    threads:                             n/a (mariadbd has ended)\n\n\n");
    str_free(&out);
}

/* More reasons than there is room for: every figure is named nevertheless. */
static void many_reasons(void)
{
    static const char *const reason[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    struct str out = STR_INIT;
    struct text_lines l = {.out = &out};

    for (size_t i = 0; i < 10; i++)
        text_missing(&l, reason[i], reason[i]);
    text_lines_end(&l);
    CHECK(strstr(out.s, "g (g)\n") != NULL);
    CHECK(strstr(out.s, "h, i, j (h)\n") != NULL);
    str_free(&out);
}

TEST_MAIN(text_lines_test)
{
    wrapping();
    items();
    blocks();
    many_reasons();
    return test_done("text_lines");
}
