/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_conn.h.  A prepared statement keeps its kind after the first look-up; a plain query's
 * kind is derived from its text each time, after the clock is read.
 */
#include "sql/sql_conn.h"

#include "sql/sql.h"
#include "sql/sql_text.h"

static void record(struct sql_conn *c, unsigned kind, dur_ns d, enum sql_outcome v)
{
    stmt_stats_record(c->host->stmt_stats, kind, d, v != SQL_DONE,
                      v == SQL_DONE ? c->res.nrows : 0);
}

static unsigned find(const struct sql_conn *c, const char *name, size_t len, bool named,
                     enum stmt_class class, const char *text, size_t text_len)
{
    struct stmt_key key = {.name = name,
                           .name_len = len,
                           .named = named,
                           .class = class,
                           .text = text,
                           .text_len = text_len < SQL_DIGEST_MAX ? text_len : SQL_DIGEST_MAX};

    if (sql_digest_is_transaction(name, len) ||
        (named && sql_digest_is_transaction(text, text_len)))
        key.class = STMT_CLASS_TRANSACTION;
    return stmt_stats_find(c->host->stmt_stats, &key);
}

void sql_stats_query(struct sql_conn *c, const char *text, size_t len, mono_ns began,
                     enum sql_outcome v)
{
    dur_ns d = sql_now(c) - began;
    struct str *s = &c->digest;
    unsigned kind = c->kind;

    if (!c->stmt_name.len) {
        sql_digest(s, text, len, c->ops->lex(c));
        kind = find(c, str_cstr(s), s->len, false, STMT_CLASS_QUERY, str_cstr(s), s->len);
    } else if (kind == STMT_KIND_UNKNOWN) { /* its example is the first text with this name */
        kind = find(c, c->stmt_name.s, c->stmt_name.len, true, STMT_CLASS_QUERY, text, len);
        c->kind = kind;
    }
    record(c, kind, d, v);
}

void sql_stats_statement(struct sql_stmt *s, mono_ns began, enum sql_outcome v)
{
    struct sql_conn *c = s->conn;
    dur_ns d = sql_now(c) - began;

    if (s->kind == STMT_KIND_UNKNOWN)
        s->kind =
            find(c, s->query, s->query_len, false, STMT_CLASS_PREPARED, s->query, s->query_len);
    record(c, s->kind, d, v);
}

void sql_stats_rollback(struct sql_conn *c, mono_ns began, enum sql_outcome v)
{
    static const char text[] = "ROLLBACK";
    const size_t len = sizeof text - 1;

    if (began)
        sql_stats_fixed(c, find(c, text, len, false, STMT_CLASS_TRANSACTION, text, len), began, v);
}

void sql_stats_fixed(struct sql_conn *c, unsigned kind, mono_ns began, enum sql_outcome v)
{
    if (began)
        stmt_stats_record(c->host->stmt_stats, kind, sql_now(c) - began, v != SQL_DONE, 0);
}

void sql_name_statement(sql_statement *pub, const char *name, size_t len)
{
    struct sql_stmt *s = (struct sql_stmt *)pub;

    if (s->conn->host->stmt_stats)
        s->kind = len ? find(s->conn, name, len, true, STMT_CLASS_PREPARED, s->query, s->query_len)
                      : STMT_KIND_UNKNOWN;
}

void sql_name_queries(sql_connection *pub, const char *name, size_t len)
{
    struct sql_conn *c = (struct sql_conn *)pub;

    if (!c->host->stmt_stats)
        return;
    str_reset(&c->stmt_name);
    str_add(&c->stmt_name, name, len);
    c->kind = STMT_KIND_UNKNOWN;
}
