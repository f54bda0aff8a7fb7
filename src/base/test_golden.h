/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts of a unit test, compared with those of a file: tests/data/golden/NAME.txt has all texts of
 * the test in their order, each below its title.  A change that is meant is taken by
 *
 *     SB_GOLDEN=1 srcdir=src build/src/text_test
 *
 * and read as a diff.  In the file a control character is \xNN, and a backslash at the end of a
 * text says that its last line does not end.  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_GOLDEN_H
#define SB_BASE_TEST_GOLDEN_H

#include <stdlib.h>

#include "base/err.h"
#include "base/record.h"
#include "base/str.h"
#include "base/test.h"

static struct str golden_all;

static inline void golden_add(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
            str_printf(&golden_all, "\\x%02x", (unsigned)*text);
        else
            str_add(&golden_all, text, 1);
}

/* Adds a line: what a test has seen. */
SB_PRINTF(1, 2) static inline void golden_line(const char *fmt, ...)
{
    struct str line = STR_INIT;
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(&line, fmt, ap);
    va_end(ap);
    golden_add(str_cstr(&line));
    str_adds(&golden_all, "\n");
    str_free(&line);
}

/* Adds a text, and empties it. */
SB_PRINTF(2, 3) static inline void golden(struct str *text, const char *title, ...)
{
    va_list ap;

    str_adds(&golden_all, "=== ");
    va_start(ap, title);
    str_vprintf(&golden_all, title, ap);
    va_end(ap);
    str_adds(&golden_all, "\n");
    golden_add(str_cstr(text));
    if (text->len && text->s[text->len - 1] != '\n')
        str_adds(&golden_all, "\\\n");
    str_reset(text);
}

#define MEMBERS(of, ...) RECORD_EACH(of, RECORD_NONE, __VA_ARGS__)

/* Appends the members that differ from those of another struct; NULL: all. */
static inline void golden_members(struct str *out, const struct record_field *field, size_t n,
                                  const void *got, const void *usual)
{
    for (const struct record_field *f = field; f < field + n; f++) {
        if (usual && memcmp(record_at(f, got, 0), record_at(f, usual, 0), f->size) == 0)
            continue;
        if (f->type != RECORD_DOUBLE)
            record_write(&(struct record){"", f, 1}, out, got);
        for (size_t k = 0; f->type == RECORD_DOUBLE && k < record_count(f); k++)
            str_printf(out, "%s%s%s%.9g", k ? "," : " ", k ? "" : f->name, k ? "" : "=",
                       *(double *)record_at(f, got, k));
    }
}

/* Adds a text that is no struct str. */
static inline void golden_text(const char *text, const char *title)
{
    struct str copy = STR_INIT;

    str_adds(&copy, text);
    golden(&copy, "%s", title);
    str_free(&copy);
}

/* Calls f for each part of a text that is joined by '|'. */
static inline void golden_each(const char *text, void (*f)(const char *part))
{
    for (size_t n; n = strcspn(text, "|"), true; text += n + 1) {
        char part[400];
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        f(part);
        if (!text[n])
            return;
    }
}

/* Adds what is in a file; false: it cannot be read. */
static inline bool golden_read(struct str *out, const char *path)
{
    FILE *f = fopen(path, "r");

    for (int c; f && (c = getc(f)) != EOF;)
        str_add(out, (char[]){(char)c}, 1);
    return f && fclose(f) == 0;
}

/* Compares them all with the file, or writes it. */
static inline void golden_done(const char *name)
{
    const char *srcdir = getenv("srcdir"), *got = str_cstr(&golden_all), *want;
    const bool take = getenv("SB_GOLDEN") != NULL;
    struct str file = STR_INIT;
    char path[4096];
    int line = 1;

    snprintf(path, sizeof path, "%s/../tests/data/golden/%s.txt", srcdir ? srcdir : ".", name);
    FILE *f = take ? fopen(path, "w") : NULL;
    CHECK(take ? f && fputs(got, f) >= 0 && fclose(f) == 0 : golden_read(&file, path));
    want = take ? got : str_cstr(&file);
    while (*got && strcspn(got, "\n") == strcspn(want, "\n") &&
           strncmp(got, want, strcspn(got, "\n")) == 0) {
        got += strcspn(got, "\n") + 1;
        want += strcspn(want, "\n");
        want += *want == '\n';
        line++;
    }
    TEST_REPORT(!*got && !*want, "%s:%d: \"%.*s\", but the test says \"%.*s\"", path, line,
                (int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
    str_free(&file);
    str_free(&golden_all);
}

#endif
