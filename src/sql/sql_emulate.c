/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The scanner walks once over the text: at each position it either skips a whole quoted piece or
 * comment (skip_* return the first offset behind it) or looks at one character.
 */
#include "sql/sql_emulate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct scan {
    const char *s;
    size_t len;
    unsigned lex;
};

static bool looking_at(const struct scan *sc, size_t i, const char *what)
{
    size_t n = strlen(what);

    return sc->len - i >= n && memcmp(sc->s + i, what, n) == 0;
}

static bool name_start(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (ch & 0x80);
}

static bool name_char(char ch)
{
    return name_start(ch) || (ch >= '0' && ch <= '9') || ch == '$';
}

/* Is the quote at i part of E'...'? */
static bool escape_string_at(const struct scan *sc, size_t i)
{
    return i > 0 && (sc->s[i - 1] == 'E' || sc->s[i - 1] == 'e') &&
           !(i > 1 && name_char(sc->s[i - 2]));
}

static bool escapes_in(const struct scan *sc, size_t i)
{
    bool always = sc->lex & SQL_LEX_BACKSLASH;

    if (sc->lex & SQL_LEX_PGSQL)
        return sc->s[i] == '\'' && (always || escape_string_at(sc, i));
    return always && sc->s[i] != '`';
}

/* A doubled quote needs no care: it reads as two pieces that touch. */
static size_t skip_quoted(const struct scan *sc, size_t i)
{
    bool escapes = escapes_in(sc, i);
    char quote = sc->s[i++];

    while (i < sc->len && sc->s[i] != quote)
        i += (escapes && sc->s[i] == '\\') ? 2 : 1;
    return i < sc->len ? i + 1 : sc->len;
}

static size_t skip_line(const struct scan *sc, size_t i)
{
    while (i < sc->len && sc->s[i] != '\n')
        i++;
    return i;
}

static size_t skip_block(const struct scan *sc, size_t i)
{
    unsigned depth = 0;

    while (i < sc->len) {
        if (looking_at(sc, i, "*/") && depth > 0) {
            i += 2;
            if (--depth == 0)
                return i;
        } else if (looking_at(sc, i, "/*") && (depth == 0 || (sc->lex & SQL_LEX_PGSQL))) {
            depth++;
            i += 2;
        } else {
            i++;
        }
    }
    return sc->len;
}

/* Length of the $tag$ at i, 0 when there is none ($1 and a$b are something else). */
static size_t dollar_tag(const struct scan *sc, size_t i)
{
    size_t end = i + 1;

    if (!(sc->lex & SQL_LEX_PGSQL) || sc->s[i] != '$' || (i > 0 && name_char(sc->s[i - 1])))
        return 0;
    if (end < sc->len && name_start(sc->s[end]))
        while (end < sc->len && sc->s[end] != '$' && name_char(sc->s[end]))
            end++;
    return end < sc->len && sc->s[end] == '$' ? end + 1 - i : 0;
}

static size_t skip_dollar_quoted(const struct scan *sc, size_t i, size_t tag)
{
    const char *open = sc->s + i;

    for (i += tag; i + tag <= sc->len; i++)
        if (memcmp(sc->s + i, open, tag) == 0)
            return i + tag;
    return sc->len;
}

static bool line_comment_at(const struct scan *sc, size_t i)
{
    if ((sc->lex & SQL_LEX_MYSQL) && sc->s[i] == '#')
        return true;
    if (!looking_at(sc, i, "--"))
        return false;
    /* MySQL reads 5--3 as arithmetic: the comment needs a blank or control character, or the end */
    return !(sc->lex & SQL_LEX_MYSQL) || i + 2 >= sc->len || (unsigned char)sc->s[i + 2] <= ' ';
}

static bool block_comment_at(const struct scan *sc, size_t i)
{
    if (!looking_at(sc, i, "/*"))
        return false;
    return !(sc->lex & SQL_LEX_MYSQL) || !(looking_at(sc, i, "/*!") || looking_at(sc, i, "/*M!"));
}

static bool quote_at(const struct scan *sc, size_t i)
{
    char ch = sc->s[i];

    return ch == '\'' || ch == '"' || (ch == '`' && (sc->lex & SQL_LEX_MYSQL));
}

static void add_mark(struct sql_template *t, size_t at)
{
    if ((t->nmarks & (t->nmarks + 1)) == 0) /* 0, 1, 3, 7 ...: the room that was made is used up */
        t->marks = mem_grow(t->marks, t->nmarks * 2 + 1, sizeof *t->marks);
    t->marks[t->nmarks++] = at;
}

void sql_template_init(struct sql_template *t, const char *text, size_t len, unsigned lex)
{
    struct scan sc = {.s = text, .len = len, .lex = lex};
    size_t i = 0, tag;

    *t = (struct sql_template){.text = text, .len = len};
    while (i < len) {
        if (quote_at(&sc, i)) {
            i = skip_quoted(&sc, i);
        } else if ((tag = dollar_tag(&sc, i)) > 0) {
            i = skip_dollar_quoted(&sc, i, tag);
        } else if (line_comment_at(&sc, i)) {
            i = skip_line(&sc, i);
        } else if (block_comment_at(&sc, i)) {
            i = skip_block(&sc, i);
        } else {
            if (text[i] == '?')
                add_mark(t, i);
            i++;
        }
    }
}

void sql_template_fini(struct sql_template *t)
{
    free(t->marks);
    *t = (struct sql_template){0};
}

/* The text between placeholder k and the one before it. */
static void add_piece(const struct sql_template *t, size_t k, struct str *out)
{
    size_t from = k > 0 ? t->marks[k - 1] + 1 : 0, to = k < t->nmarks ? t->marks[k] : t->len;

    str_add(out, t->text + from, to - from);
}

/* 5-? with -1 must not become a comment. */
static void split_dashes(struct str *out, size_t at)
{
    str_room(out, 1);
    memmove(out->s + at + 1, out->s + at, out->len - at + 1);
    out->s[at] = ' ';
    out->len++;
}

void sql_template_expand(const struct sql_template *t, const sql_bind *params, sql_quote_fn quote,
                         void *arg, struct str *out)
{
    str_reset(out);
    for (size_t k = 0; k < t->nmarks; k++) {
        size_t start;
        add_piece(t, k, out);
        start = out->len;
        sql_bind_literal(&params[k], quote, arg, out);
        if (start > 0 && out->s[start - 1] == '-' && out->s[start] == '-')
            split_dashes(out, start);
    }
    add_piece(t, t->nmarks, out);
}

void sql_template_number(const struct sql_template *t, struct str *out)
{
    str_reset(out);
    for (size_t k = 0; k < t->nmarks; k++) {
        add_piece(t, k, out);
        str_printf(out, "$%zu", k + 1);
    }
    add_piece(t, t->nmarks, out);
}
