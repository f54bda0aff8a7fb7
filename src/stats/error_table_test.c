/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code: found again, limited in number, with clean texts, and added up over threads.
 */
#include "stats/error_table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/test_golden.h"

static void show(const char *title, struct error_table *t)
{
    struct error_row r[ERROR_ROWS_MAX + 1];
    size_t n = error_table_rows(t, r);

    golden_line("=== %s", title);
    for (size_t i = 0; i < n; i++)
        golden_line("%d %s %s '%s' %llu times from %lld to %lld", (int)r[i].code, r[i].sqlstate,
                    r[i].class, r[i].text, (ull)r[i].count, (long long)r[i].first,
                    (long long)r[i].last);
}

static void rows(void)
{
    struct error_table *t = error_table_new();

    show("none", t);
    error_table_note(t, 1213, "40001", "deadlock", "Deadlock found", 10);
    error_table_note(t, 0, "40001", "serialization", "could not serialize", 20);
    error_table_note(t, 1213, "40001", "deadlock", "another text", 40);
    error_table_note(t, 1213, "40001", "deadlock", "another text", 30);
    error_table_note(t, 2013, NULL, "connection", NULL, 50);
    error_table_note(t, 1213, "HY000", "other", "same code,\nother state", 60);
    error_table_note(t, 2013, "123456789", "connection", "its first five", 70);
    error_table_note(t, 2013, "12345", "connection", "again", 70);
    show("errors", t);
    error_table_free(t);
    t = error_table_new();
    error_table_note(t, 0, NULL, "client", "no code", 10);
    show("one without a code and a state is one, too", t);
    error_table_free(t);
    error_table_free(NULL);
}

static void bounded(void)
{
    struct error_table *t = error_table_new();
    struct error_row r[ERROR_ROWS_MAX + 1];

    for (int i = 0; i < 2 * ERROR_ROWS_MAX; i++) {
        char text[24];
        snprintf(text, sizeof text, "text %d", i);
        CHECK_INT(error_table_rows(t, r),
                  i < ERROR_ROWS_MAX ? i : ERROR_ROWS_MAX + (i > ERROR_ROWS_MAX));
        error_table_note(t, 1000 + i, "HY000", "missing", text, i);
    }
    error_table_note(t, 1000, "HY000", "missing", "text", 1000);
    show("more than there are rows for", t);
    error_table_free(t);
}

static void texts(void)
{
    static const struct {
        const char *text, *clean;
    } t[] = {{"", ""},
             {"plain", "plain"},
             {"two\nlines\n", "two; lines"},
             {"a\n\tb\n  c \n\n", "a; b; c"},
             {"tab\there \x7f\x1b[2J", "tab here   [2J"},
             {"latin \xe9t\xe9", "latin \xef\xbf\xbdt\xef\xbf\xbd"},
             {"\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9"},
             {"csi \xc2\x9b", "csi"},
             {"a\xc2\x80z\xc2\x9fz\xc2\xa0z\xc3\x80z", "a z z\xc2\xa0z\xc3\x80z"},
             {"a\x1f\x20\x7e\x7fz\x01z", "a  ~ z z"},
             {"a\n", "a"},
             {"\n\na", "; a"},
             {"a\n \n\tb", "a; b"},
             {"half \xe2\x82", "half \xef\xbf\xbd\xef\xbf\xbd"}};
    char out[ERROR_TEXT_MAX + 4], text[1000] = "", behind[ERROR_TEXT_MAX + 5] = " ";

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        error_text_clean(out, t[i].text);
        CHECK_STR(out, t[i].clean);
    }
    error_text_clean(behind + 1, "\n"); /* blanks alone: nothing before the text is touched */
    CHECK_STR(behind, " ");
    memset(text, 'x', ERROR_TEXT_MAX);
    error_text_clean(out, text);
    CHECK_STR(out, text);
    text[ERROR_TEXT_MAX] = 'x';
    error_text_clean(out, text);
    CHECK_INT(strlen(out), ERROR_TEXT_MAX + 3);
    CHECK_STR(out + ERROR_TEXT_MAX - 1, "x...");
    /* of three bytes, one that fits */
    memcpy(text + ERROR_TEXT_MAX - 3, "\xe2\x82\xac", 4);
    error_text_clean(out, text);
    CHECK_STR(out, text);
    memset(text, 'x', ERROR_TEXT_MAX + 1);
    /* no character is cut in the middle */
    memcpy(text + ERROR_TEXT_MAX - 1, "\xe2\x82\xac", 3);
    error_text_clean(out, text);
    CHECK_STR(out + ERROR_TEXT_MAX - 2, "x...");
    /* any bytes at all */
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)(i * 37 % 255 + 1);
    error_text_clean(out, text);
    for (const char *p = out; *p; p += str_utf8(p) ? str_utf8(p) : 1)
        CHECK(str_utf8(p) > 0);
}

#define THREADS 4
#define EACH    5000

static void *noter(void *arg)
{
    for (int i = 0; i < EACH; i++)
        error_table_note(arg, i % 70, "HY000", "other", "text", i);
    return NULL;
}

static void threads(void)
{
    struct error_table *t = error_table_new();
    struct error_row r[ERROR_ROWS_MAX + 1];
    pthread_t id[THREADS];
    uint64_t sum = 0;
    mono_ns last = 0;
    size_t n;

    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&id[i], NULL, noter, t), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    n = error_table_rows(t, r);
    CHECK_INT(n, ERROR_ROWS_MAX + 1);
    for (size_t i = 0; i < n; i++) {
        sum += r[i].count;
        last = r[i].last > last ? r[i].last : last;
    }
    CHECK_INT(sum, THREADS * EACH);
    CHECK_INT(last, EACH - 1);
    error_table_free(t);
}

TEST_MAIN(error_table_test)
{
    rows();
    bounded();
    texts();
    threads();
    golden_done("error_table_test");
    return test_done("error_table");
}
