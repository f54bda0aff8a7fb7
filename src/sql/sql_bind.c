/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_bind.h.  A template is made in one pass over the text, which skips each quoted token or
 * comment (sql_text.h) as a whole.
 */
#include "sql/sql_bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum sql_bind_kind sql_bind_kind(sql_bind_type_t type)
{
    switch (type) {
    case SQL_TYPE_TINYINT:
    case SQL_TYPE_SMALLINT:
    case SQL_TYPE_INT:
    case SQL_TYPE_BIGINT: return SQL_BIND_INT;
    case SQL_TYPE_FLOAT:
    case SQL_TYPE_DOUBLE: return SQL_BIND_DOUBLE;
    case SQL_TYPE_TIME:
    case SQL_TYPE_DATE:
    case SQL_TYPE_DATETIME:
    case SQL_TYPE_TIMESTAMP:
    case SQL_TYPE_CHAR:
    case SQL_TYPE_VARCHAR: return SQL_BIND_BYTES;
    case SQL_TYPE_NONE: break;
    }
    return SQL_BIND_NULL;
}

bool sql_bind_is_null(const sql_bind *b)
{
    return sql_bind_kind(b->type) == SQL_BIND_NULL || !b->buffer || (b->is_null && *b->is_null);
}

size_t sql_bind_length(const sql_bind *b)
{
    if (!b->buffer)
        return 0;
    if (!b->data_len)
        return strnlen(b->buffer, b->max_len);
    return *b->data_len < b->max_len ? *b->data_len : b->max_len;
}

void sql_bind_literal(const sql_bind *b, sql_quote_fn quote, void *arg, struct str *out)
{
    int64_t i;
    double d;

    if (sql_bind_is_null(b)) {
        str_adds(out, "NULL");
        return;
    }
    switch (sql_bind_kind(b->type)) {
    case SQL_BIND_INT:
        memcpy(&i, b->buffer, sizeof i);
        str_printf(out, "%" PRId64, i);
        break;
    case SQL_BIND_DOUBLE:
        memcpy(&d, b->buffer, sizeof d);
        if (isfinite(d))
            str_printf(out, "%.17g", d);
        else
            str_adds(out, "NULL");
        break;
    case SQL_BIND_BYTES: quote(arg, out, b->buffer, sql_bind_length(b)); break;
    case SQL_BIND_NULL: break;
    }
}

/* Text of a number, with a NUL behind it; numbers are never longer. */
struct number {
    char text[512];
};

static const char *number_text(struct number *n, const char *text, size_t len)
{
    if (len >= sizeof n->text)
        len = sizeof n->text - 1;
    memcpy(n->text, text, len);
    n->text[len] = '\0';
    return n->text;
}

void sql_bind_store(const sql_bind *b, const char *text, size_t len)
{
    struct number n;
    char *end;
    int64_t i;
    double d;

    if (b->is_null)
        *b->is_null = text == NULL;
    if (b->data_len)
        *b->data_len = text ? len : 0;
    if (!text || !b->buffer)
        return;
    switch (sql_bind_kind(b->type)) {
    case SQL_BIND_INT:
        i = strtoll(number_text(&n, text, len), &end, 10);
        if (*end == '.' || *end == 'e' || *end == 'E') { /* a fraction is cut off, as by a cast */
            d = strtod(n.text, NULL);
            i = d >= -9.2e18 && d <= 9.2e18 ? (int64_t)d : i;
        }
        memcpy(b->buffer, &i, sizeof i);
        break;
    case SQL_BIND_DOUBLE:
        d = strtod(number_text(&n, text, len), NULL);
        memcpy(b->buffer, &d, sizeof d);
        break;
    case SQL_BIND_BYTES: memcpy(b->buffer, text, len < b->max_len ? len : b->max_len); break;
    case SQL_BIND_NULL: break;
    }
}

/* --- templates --- */

void sql_template_init(struct sql_template *t, const char *text, size_t len, unsigned lex)
{
    struct sql_scan sc = {.s = text, .len = len, .lex = lex};
    size_t i = 0;

    *t = (struct sql_template){.text = text, .len = len};
    while (i < len) {
        if (sql_scan_token(&sc, i, &i))
            continue;
        if (text[i] == '?') {
            size_t n = t->nplaceholders++;
            if ((n & (n + 1)) == 0) /* 0, 1, 3, 7 ...: the array is full */
                t->placeholders = mem_grow(t->placeholders, n * 2 + 1, sizeof *t->placeholders);
            t->placeholders[n] = i;
        }
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

void sql_template_expand(const struct sql_template *t, const sql_bind *params, sql_quote_fn quote,
                         void *arg, struct str *out)
{
    str_reset(out);
    for (size_t k = 0; k < t->nplaceholders; k++) {
        add_piece(t, k, out);
        size_t start = out->len;
        sql_bind_literal(&params[k], quote, arg, out);
        if (start > 0 && out->s[start - 1] == '-' && out->s[start] == '-') {
            str_room(out, 1); /* 5-? with -1 must not become a comment */
            memmove(out->s + start + 1, out->s + start, out->len - start + 1);
            out->s[start] = ' ';
            out->len++;
        }
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
