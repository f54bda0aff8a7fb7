/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_emulate.h.  One pass over the text, which skips each quoted token or comment
 * (sql_scan.h) as a whole.
 */
#include "sql/sql_emulate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add_placeholder(struct sql_template *t, size_t at)
{
    if ((t->nplaceholders & (t->nplaceholders + 1)) == 0) /* 0, 1, 3, 7 ...: the array is full */
        t->placeholders =
            mem_grow(t->placeholders, t->nplaceholders * 2 + 1, sizeof *t->placeholders);
    t->placeholders[t->nplaceholders++] = at;
}

void sql_template_init(struct sql_template *t, const char *text, size_t len, unsigned lex)
{
    struct sql_scan sc = {.s = text, .len = len, .lex = lex};
    size_t i = 0;

    *t = (struct sql_template){.text = text, .len = len};
    while (i < len) {
        if (sql_scan_token(&sc, i, &i))
            continue;
        if (text[i] == '?')
            add_placeholder(t, i);
        i++;
    }
}

void sql_template_fini(struct sql_template *t)
{
    free(t->placeholders);
    *t = (struct sql_template){0};
}

/* The text between placeholder k and the one before it. */
static void add_piece(const struct sql_template *t, size_t k, struct str *out)
{
    size_t from = k > 0 ? t->placeholders[k - 1] + 1 : 0,
           to = k < t->nplaceholders ? t->placeholders[k] : t->len;

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
    for (size_t k = 0; k < t->nplaceholders; k++) {
        size_t start;
        add_piece(t, k, out);
        start = out->len;
        sql_bind_literal(&params[k], quote, arg, out);
        if (start > 0 && out->s[start - 1] == '-' && out->s[start] == '-')
            split_dashes(out, start);
    }
    add_piece(t, t->nplaceholders, out);
}

void sql_template_number(const struct sql_template *t, struct str *out)
{
    str_reset(out);
    for (size_t k = 0; k < t->nplaceholders; k++) {
        add_piece(t, k, out);
        str_printf(out, "$%zu", k + 1);
    }
    add_piece(t, t->nplaceholders, out);
}
