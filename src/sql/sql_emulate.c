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

/* A doubled quote needs no care: it reads as two pieces that touch. */
static size_t skip_quoted(const struct scan *sc, size_t i)
{
    char quote = sc->s[i++];
    bool escapes = (sc->lex & SQL_LEX_BACKSLASH) && quote != '`';

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
    for (i += 2; i < sc->len; i++)
        if (looking_at(sc, i, "*/"))
            return i + 2;
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
    size_t i = 0;

    *t = (struct sql_template){.text = text, .len = len};
    while (i < len) {
        if (quote_at(&sc, i)) {
            i = skip_quoted(&sc, i);
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

void sql_template_expand(const struct sql_template *t, const sql_bind *params, sql_quote_fn quote,
                         void *arg, struct str *out)
{
    size_t done = 0;

    str_reset(out);
    for (size_t k = 0; k < t->nmarks; k++) {
        str_add(out, t->text + done, t->marks[k] - done);
        sql_bind_literal(&params[k], quote, arg, out);
        done = t->marks[k] + 1;
    }
    str_add(out, t->text + done, t->len - done);
}
