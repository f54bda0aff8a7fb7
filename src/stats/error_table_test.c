/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code: found again, limited in number, with clean texts, and added up over threads.
 */
#include "stats/error_table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/test.h"

static void rows(void)
{
    struct error_table *t = error_table_new();
    struct error_row r[ERROR_ROWS_MAX + 1];

    CHECK_INT(error_table_rows(t, r), 0);
    error_table_note(t, 1213, "40001", "deadlock", "Deadlock found", 10);
    error_table_note(t, 0, "40001", "serialization", "could not serialize", 20);
    error_table_note(t, 1213, "40001", "deadlock", "another text", 40);
    error_table_note(t, 1213, "40001", "deadlock", "another text", 30);
    error_table_note(t, 2013, NULL, "connection", NULL, 50);
    CHECK_INT(error_table_rows(t, r), 3);
    CHECK_INT(r[0].code, 1213);
    CHECK_STR(r[0].sqlstate, "40001");
    CHECK_STR(r[0].class, "deadlock");
    CHECK_STR(r[0].text, "Deadlock found");
    CHECK_INT(r[0].count, 3);
    CHECK_INT(r[0].first, 10);
    CHECK_INT(r[0].last, 40);
    CHECK_INT(r[1].code, 0);
    CHECK_INT(r[1].count, 1);
    CHECK_STR(r[2].sqlstate, "");
    CHECK_STR(r[2].text, "");
    error_table_free(t);
    error_table_free(NULL);
}

static void bounded(void)
{
    struct error_table *t = error_table_new();
    struct error_row r[ERROR_ROWS_MAX + 1];

    for (int i = 0; i < 2 * ERROR_ROWS_MAX; i++)
        error_table_note(t, 1000 + i, "HY000", "missing", "text", i);
    error_table_note(t, 1000, "HY000", "missing", "text", 1000);
    CHECK_INT(error_table_rows(t, r), ERROR_ROWS_MAX + 1);
    CHECK_INT(r[0].count, 2);
    CHECK_INT(r[ERROR_ROWS_MAX - 1].code, 1000 + ERROR_ROWS_MAX - 1);
    CHECK_INT(r[ERROR_ROWS_MAX].code, 0);
    CHECK_STR(r[ERROR_ROWS_MAX].class, "other");
    CHECK_INT(r[ERROR_ROWS_MAX].count, ERROR_ROWS_MAX);
    CHECK_INT(r[ERROR_ROWS_MAX].first, ERROR_ROWS_MAX);
    CHECK_INT(r[ERROR_ROWS_MAX].last, 2 * ERROR_ROWS_MAX - 1);
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
    return test_done("error_table");
}
