/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_kinds.h.  A statement's kind is looked up once and kept with it; that of a plain text is
 * found out of the text each time, after the clock was read.
 */
#include "sql/sql_kinds.h"

#include <string.h>

#include "sql/sql_digest.h"

static void record(struct sql_conn *c, unsigned kind, dur_ns d, enum sql_verdict v)
{
    kinds_record(c->host->kinds, kind, d, v != SQL_DONE, v == SQL_DONE ? c->res.nrows : 0);
}

static unsigned find(const struct sql_conn *c, const char *name, size_t len, bool named,
                     enum kind_class class, const char *text, size_t text_len)
{
    struct kind_key key = {.name = name,
                           .name_len = len,
                           .named = named,
                           .class = class,
                           .text = text,
                           .text_len = text_len < SQL_DIGEST_MOST ? text_len : SQL_DIGEST_MOST};

    if (sql_digest_is_transaction(name, len) ||
        (named && sql_digest_is_transaction(text, text_len)))
        key.class = KIND_CLASS_TRANSACTION;
    return kinds_find(c->host->kinds, &key);
}

static unsigned kind_of_text(struct sql_conn *c, const char *text, size_t len)
{
    struct str *s = &c->digest;

    if (c->kind_name.len) { /* its example is the first text that went under the name */
        if (c->kind == SQL_KIND_UNKNOWN)
            c->kind = find(c, c->kind_name.s, c->kind_name.len, true, KIND_CLASS_QUERY, text, len);
        return c->kind;
    }
    sql_digest(s, text, len, c->ops->lex(c));
    return find(c, str_cstr(s), s->len, false, KIND_CLASS_QUERY, str_cstr(s), s->len);
}

void sql_kinds_text(struct sql_conn *c, const char *text, size_t len, mono_ns began,
                    enum sql_verdict v)
{
    dur_ns d;

    if (!began)
        return;
    d = clock_mono() - began;
    record(c, kind_of_text(c, text, len), d, v);
}

void sql_kinds_statement(struct sql_stmt *s, mono_ns began, enum sql_verdict v)
{
    struct sql_conn *c = s->conn;
    dur_ns d;

    if (!began)
        return;
    d = clock_mono() - began;
    if (s->kind == SQL_KIND_UNKNOWN)
        s->kind =
            find(c, s->query, s->query_len, false, KIND_CLASS_PREPARED, s->query, s->query_len);
    record(c, s->kind, d, v);
}

void sql_kinds_rollback(struct sql_conn *c, mono_ns began, enum sql_verdict v)
{
    static const char text[] = "ROLLBACK";
    const size_t len = sizeof text - 1;

    if (began)
        kinds_record(c->host->kinds, find(c, text, len, false, KIND_CLASS_TRANSACTION, text, len),
                     clock_mono() - began, v != SQL_DONE, 0);
}

void sql_kinds_fixed(struct sql_conn *c, unsigned kind, mono_ns began, enum sql_verdict v)
{
    if (began)
        kinds_record(c->host->kinds, kind, clock_mono() - began, v != SQL_DONE, 0);
}

void sql_name_statement(sql_statement *pub, const char *name, size_t len)
{
    struct sql_stmt *s = (struct sql_stmt *)pub; /* pub is the first member */

    if (!s->conn->host->kinds)
        return;
    s->kind = len ? find(s->conn, name, len, true, KIND_CLASS_PREPARED, s->query, s->query_len)
                  : SQL_KIND_UNKNOWN;
}

void sql_name_queries(sql_connection *pub, const char *name, size_t len)
{
    struct sql_conn *c = (struct sql_conn *)pub; /* likewise */

    if (!c->host->kinds)
        return;
    str_reset(&c->kind_name);
    str_add(&c->kind_name, name, len);
    c->kind = SQL_KIND_UNKNOWN;
}
