/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts of a unit test, compared with those of a file: tests/data/golden/NAME.txt has all texts of
 * the test in their order, each below its title.  A change that is meant is taken by
 *
 *     SB_GOLDEN=1 srcdir=src build/src/text_test
 *
 * and read as a diff.  In the file a control character is \xNN, and a backslash at the end of a
 * text says that its last line does not end.  A text that is mostly that of a title above, of which
 * "like:" tells, is told by what differs: "7= x", line 7 of the other is x here; "7- x", it is
 * missing here; "7+ x" comes before it.  Only *_test.c files include this.
 */
#ifndef SB_BASE_TEST_GOLDEN_H
#define SB_BASE_TEST_GOLDEN_H

#include <stdlib.h>

#include "base/err.h"
#include "base/record.h"
#include "base/str.h"
#include "base/test.h"

static struct str golden_all;

static inline void golden_add(struct str *out, const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
            str_printf(out, "\\x%02x", (unsigned)*text);
        else
            str_add(out, text, 1);
}

/* Adds a line: what a test has seen. */
SB_PRINTF(1, 2) static inline void golden_line(const char *fmt, ...)
{
    struct str line = STR_INIT;
    va_list ap;

    va_start(ap, fmt);
    str_vprintf(&line, fmt, ap);
    va_end(ap);
    golden_add(&golden_all, str_cstr(&line));
    str_adds(&golden_all, "\n");
    str_free(&line);
}

enum { GOLDEN_TEXTS = 400, GOLDEN_LINES = 700, GOLDEN_SAVED = 5 };

/* The lines of a text, each to its '\n'; none if they are too many. */
struct golden_lines {
    const char *at[GOLDEN_LINES];
    size_t n;
};

static inline void golden_split(struct golden_lines *l, const char *text, const char *end)
{
    for (l->n = 0; text < end && l->n < GOLDEN_LINES; text += strcspn(text, "\n") + 1)
        l->at[l->n++] = text;
    l->n = text < end ? 0 : l->n;
}

static inline bool golden_same(const char *a, const char *b)
{
    return strncmp(a, b, strcspn(a, "\n") + 1) == 0;
}

/* Appends what differs; returns how many lines that are. */
static inline size_t golden_differences(struct str *out, const struct golden_lines *a,
                                        const struct golden_lines *b)
{
    /* how many lines they share from these two on */
    static uint16_t shared[GOLDEN_LINES + 1][GOLDEN_LINES + 1];
    size_t i, j, lines = 0;

    for (i = a->n + 1; i-- > 0;)
        for (j = b->n + 1; j-- > 0;) {
            uint16_t *s = &shared[i][j];
            if (i == a->n || j == b->n)
                *s = 0;
            else if (golden_same(a->at[i], b->at[j]))
                *s = (uint16_t)(shared[i + 1][j + 1] + 1);
            else
                *s = shared[i + 1][j] > s[1] ? shared[i + 1][j] : s[1];
        }
    for (i = j = 0; i < a->n || j < b->n;) {
        const uint16_t *s = &shared[i][j];
        const bool both = i < a->n && j < b->n, same = both && golden_same(a->at[i], b->at[j]);
        const bool added = j < b->n && s[1] == *s;
        const char how = both && shared[i + 1][j + 1] == *s ? '=' : added ? '+' : '-';
        const char *line = how == '-' ? a->at[i] : b->at[j];
        if (!same)
            str_printf(out, "%zu%c %.*s\n", i + 1, how, (int)strcspn(line, "\n"), line);
        lines += !same;
        i += same || how != '+';
        j += same || how != '-';
    }
    return lines;
}

/* Adds a text that ends with a line: whole, or what differs from one that is whole. */
static inline void golden_scene(const char *title, const struct str *text)
{
    static struct {
        size_t title, text, end;
    } whole[GOLDEN_TEXTS];
    static size_t wholes;
    static struct golden_lines other, these;
    struct str said = STR_INIT;
    bool like = false;

    golden_split(&these, str_cstr(text), str_cstr(text) + text->len);
    for (size_t k = wholes; k-- > 0 && !like;) {
        const char *all = golden_all.s, *name = all + whole[k].title;
        str_reset(&said);
        str_printf(&said, "=== %s, like: %.*s\n", title, (int)strcspn(name, "\n"), name);
        golden_split(&other, all + whole[k].text, all + whole[k].end);
        size_t lines = golden_differences(&said, &other, &these);
        like = these.n >= 2 * lines && these.n >= lines + GOLDEN_SAVED;
    }
    if (like)
        str_adds(&golden_all, str_cstr(&said));
    else {
        whole[wholes].title = golden_all.len + strlen("=== ");
        str_printf(&golden_all, "=== %s\n%s", title, str_cstr(text));
        whole[wholes].end = golden_all.len;
        whole[wholes].text = golden_all.len - text->len;
        wholes += wholes < GOLDEN_TEXTS - 1;
    }
    str_free(&said);
}

/* Adds a text, and empties it. */
SB_PRINTF(2, 3) static inline void golden(struct str *text, const char *title, ...)
{
    struct str name = STR_INIT, scene = STR_INIT;
    va_list ap;

    va_start(ap, title);
    str_vprintf(&name, title, ap);
    va_end(ap);
    golden_add(&scene, str_cstr(text));
    if (text->len && text->s[text->len - 1] != '\n')
        str_adds(&scene, "\\\n");
    golden_scene(str_cstr(&name), &scene);
    str_free(&name);
    str_free(&scene);
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
