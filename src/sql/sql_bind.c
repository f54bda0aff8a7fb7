/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_bind.h.
 */
#include "sql/sql_bind.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void add_double(double d, struct str *out)
{
    if (isfinite(d))
        str_printf(out, "%.17g", d);
    else
        str_adds(out, "NULL");
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
        add_double(d, out);
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

/* A fraction is cut off, as by a cast. */
static int64_t text_to_int(const char *text)
{
    char *end;
    long long i = strtoll(text, &end, 10);
    double d;

    if (*end != '.' && *end != 'e' && *end != 'E')
        return i;
    d = strtod(text, NULL);
    return d >= -9.2e18 && d <= 9.2e18 ? (int64_t)d : i;
}

void sql_bind_store(const sql_bind *b, const char *text, size_t len)
{
    struct number n;
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
        i = text_to_int(number_text(&n, text, len));
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
