/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A driver without a server: every call succeeds at once, a statement counts as "other" and has no
 * rows.  It implements --mysql-dry-run and measures the overhead of this program.  Functions that
 * only rows, emulated statements or open transactions need are left out.
 */
#include <stddef.h>

#include "sql/sql_driver.h"

/* A prepared statement needs a handle that is not NULL; only its address is used. */
static char handle;

static enum sql_outcome null_connect(struct sql_conn *c, bool again)
{
    (void)again;
    c->handle = &handle;
    return SQL_DONE;
}

static void null_nothing(struct sql_conn *c)
{
    (void)c;
}

static void null_disconnect(struct sql_conn *c)
{
    c->handle = NULL;
}

static int null_socket(struct sql_conn *c)
{
    (void)c;
    return -1;
}

static enum sql_outcome null_answer(struct sql_conn *c)
{
    c->res.counter = CNT_OTHER; /* there are no rows, ever */
    return SQL_DONE;
}

static enum sql_outcome null_query(struct sql_conn *c, const char *text, size_t len)
{
    (void)text;
    (void)len;
    return null_answer(c);
}

static bool null_no(struct sql_conn *c)
{
    (void)c;
    return false;
}

static unsigned null_lex(struct sql_conn *c)
{
    (void)c;
    return 0;
}

static enum sql_outcome null_prepare(struct sql_stmt *s, bool first)
{
    (void)first;
    s->handle = &handle;
    return SQL_DONE;
}

static int null_bind(struct sql_stmt *s)
{
    (void)s;
    return 0;
}

static enum sql_outcome null_execute(struct sql_stmt *s)
{
    return null_answer(s->conn);
}

static void null_close(struct sql_stmt *s)
{
    s->handle = NULL;
}

const struct sql_ops sql_ops_null = {
    .dry = true,
    .connect = null_connect,
    .print_connect_error = null_nothing,
    .disconnect = null_disconnect,
    .socket = null_socket,
    .query = null_query,
    .transaction_open = null_no,
    .lex = null_lex,
    .prepare = null_prepare,
    .bind = null_bind,
    .execute = null_execute,
    .close = null_close,
};
