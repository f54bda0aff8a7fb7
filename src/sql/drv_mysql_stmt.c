/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepared statements.  Parameters are bound once, by address: at each execute the library reads
 * value, length and NULL flag from the script's buffers.  Results are always stored, because the
 * connection must be free for the next statement.  The buffers for columns as text are allocated
 * when a script fetches the first row, which most scripts never do.
 */
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "sql/drv_mysql.h"

/* Fits any number, date or time as text; the library formats doubles to the width of the buffer. */
#define COLUMN_SIZE 512

/* --- prepare and bind --- */

/* --on-error has an action for the limit of statements. */
static bool says_what_follows(const struct sql_conn *c)
{
    return c->policy && c->policy->action[ERROR_STATEMENT_LIMIT] != ACTION_LISTED;
}

static enum sql_outcome prepare_failed(struct sql_stmt *s, MYSQL_STMT *st, bool first)
{
    struct sql_conn *c = s->conn;
    unsigned errnum = mysql_stmt_errno(st);
    enum sql_outcome v;

    if (errnum == ER_UNSUPPORTED_PS) {
        log_info("Failed to prepare query \"%s\" (%u: %s), using emulation", s->query, errnum,
                 mysql_stmt_error(st));
        s->emulated = true;
        return SQL_DONE;
    }
    if (errnum == ER_MAX_PREPARED_STMT_COUNT_REACHED && !says_what_follows(c)) {
        sql_stop_preparing(c, (int)errnum, mysql_stmt_error(st));
        s->emulated = true;
        return SQL_DONE;
    }
    if (!first)
        return mydrv_report_stmt_failure(c, st, "mysql_stmt_prepare()", s->query, s->query_len);
    mydrv_fail(c, errnum, mysql_stmt_sqlstate(st), mysql_stmt_error(st));
    v = mydrv_decide(c);
    if (v == SQL_LOST || (v == SQL_IGNORABLE && c->fail.by_policy))
        return v;
    client_errors_code(c->fail.errnum, "");
    log_fatal("mysql_stmt_prepare() failed");
    log_fatal("MySQL error: %d \"%s\"", c->fail.errnum, c->fail.msg);
    return SQL_FATAL;
}

enum sql_outcome mydrv_prepare(struct sql_stmt *s, bool first)
{
    struct sql_conn *c = s->conn;
    MYSQL_STMT *st = mysql_stmt_init(mydrv_lib(c));
    struct mydrv_stmt *ms;
    enum sql_outcome v;
    int rc;

    MYDRV_TRACE(c, "mysql_stmt_init(%p) = %p", c->handle, (void *)st);
    if (!st)
        return mydrv_report_failure(c, "mysql_stmt_init()", s->query, s->query_len);
    rc = mysql_stmt_prepare(st, s->query, s->query_len);
    MYDRV_TRACE(c, "mysql_stmt_prepare(%p, \"%s\", %zu) = %d", (void *)st, s->query, s->query_len,
                rc);
    if (rc) {
        v = prepare_failed(s, st, first);
        mysql_stmt_close(st);
        return v;
    }
    ms = mem_alloc(sizeof *ms);
    ms->st = st;
    s->handle = ms;
    s->nplaceholders = mysql_stmt_param_count(st);
    MYDRV_TRACE(c, "mysql_stmt_param_count(%p) = %zu", (void *)st, s->nplaceholders);
    return SQL_DONE;
}

static void fill_bind(MYSQL_BIND *to, const sql_bind *from, unsigned long *length)
{
    to->is_null = (mydrv_flag *)from->is_null;
    to->buffer = from->buffer;
    to->length = length;
    switch (sql_bind_kind(from->type)) {
    case SQL_BIND_INT:
        to->buffer_type = MYSQL_TYPE_LONGLONG;
        to->buffer_length = sizeof(int64_t);
        break;
    case SQL_BIND_DOUBLE:
        to->buffer_type = MYSQL_TYPE_DOUBLE;
        to->buffer_length = sizeof(double);
        break;
    case SQL_BIND_BYTES:
        to->buffer_type = MYSQL_TYPE_STRING;
        to->buffer_length = from->max_len;
        if (from->data_len)
            to->length = from->data_len;
        break;
    case SQL_BIND_NULL: to->buffer_type = MYSQL_TYPE_NULL; break;
    }
    if (!from->buffer)
        to->buffer_type = MYSQL_TYPE_NULL;
}

int mydrv_bind(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;
    MYSQL_BIND *binds = mem_array(s->nparams + 1, sizeof *binds);
    mydrv_flag rc;

    free(ms->lengths);
    ms->lengths = mem_array(s->nparams + 1, sizeof *ms->lengths);
    ms->measure = false;
    for (size_t i = 0; i < s->nparams; i++) {
        fill_bind(&binds[i], &s->params[i], &ms->lengths[i]);
        if (sql_bind_kind(s->params[i].type) == SQL_BIND_BYTES && !s->params[i].data_len)
            ms->measure = true;
    }
    rc = mysql_stmt_bind_param(ms->st, binds); /* copies the array */
    MYDRV_TRACE(s->conn, "mysql_stmt_bind_param(%p, %p) = %d", (void *)ms->st, (void *)binds, rc);
    free(binds);
    if (rc)
        mydrv_report_stmt_failure(s->conn, ms->st, "mysql_stmt_bind_param()", s->query,
                                  s->query_len);
    return rc ? -1 : 0;
}

void mydrv_wrong_count(struct sql_conn *c)
{
    (void)c;
    log_fatal("Wrong number of parameters to mysql_stmt_bind_param");
}

/* --- execute --- */

static enum sql_outcome store_stmt_result(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;
    struct mydrv_stmt *ms = s->handle;
    unsigned nfields = mysql_stmt_field_count(ms->st);
    int rc;

    if (nfields == 0) {
        mydrv_store_status(c, mysql_stmt_affected_rows(ms->st));
    } else {
        rc = mysql_stmt_store_result(ms->st);
        MYDRV_TRACE(c, "mysql_stmt_store_result(%p) = %d", (void *)ms->st, rc);
        if (rc)
            return mydrv_report_stmt_failure(c, ms->st, "mysql_stmt_store_result()", s->query,
                                             s->query_len);
        c->res.counter = CNT_READ;
        c->res.nfields = nfields;
        c->res.nrows = mysql_stmt_num_rows(ms->st);
        c->res.ptr = ms->st;
        MYDRV_TRACE(c, "mysql_stmt_num_rows(%p) = %llu", (void *)ms->st,
                    (unsigned long long)c->res.nrows);
        ms->bound = false;
    }
    c->more = mysql_more_results(mydrv_lib(c));
    return SQL_DONE;
}

static void measure_params(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    for (size_t i = 0; i < s->nparams; i++)
        ms->lengths[i] = sql_bind_length(&s->params[i]);
}

enum sql_outcome mydrv_execute(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;
    int rc;

    if (ms->measure)
        measure_params(s);
    rc = mysql_stmt_execute(ms->st);
    MYDRV_TRACE(s->conn, "mysql_stmt_execute(%p) = %d", (void *)ms->st, rc);
    if (rc)
        return mydrv_report_stmt_failure(s->conn, ms->st, "mysql_stmt_execute()", s->query,
                                         s->query_len);
    /* libmariadb crashes in what would follow */
    if (mysql_stmt_field_count(ms->st) == 0 && mysql_more_results(mydrv_lib(s->conn)))
        return mydrv_report_broken(s->conn, "mysql_stmt_execute()", s->query, s->query_len);
    return store_stmt_result(s);
}

enum sql_outcome mydrv_next_stmt_result(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;
    int rc = mysql_stmt_next_result(ms->st);

    MYDRV_TRACE(s->conn, "mysql_stmt_next_result(%p) = %d", (void *)ms->st, rc);
    if (rc > 0)
        return mydrv_report_stmt_failure(s->conn, ms->st, "mysql_stmt_next_result()", s->query,
                                         s->query_len);
    return store_stmt_result(s);
}

/* --- rows --- */

static void make_columns(struct mydrv_stmt *ms, unsigned n)
{
    if (n <= ms->ncolumns)
        return;
    ms->columns = mem_grow(ms->columns, n, sizeof *ms->columns);
    ms->binds = mem_grow(ms->binds, n, sizeof *ms->binds);
    for (unsigned i = ms->ncolumns; i < n; i++)
        ms->columns[i] = (struct mydrv_column){.buf = mem_alloc(COLUMN_SIZE), .size = COLUMN_SIZE};
    ms->ncolumns = n;
}

static bool bind_columns(struct mydrv_stmt *ms, unsigned n)
{
    make_columns(ms, n);
    memset(ms->binds, 0, n * sizeof *ms->binds);
    for (unsigned i = 0; i < n; i++) {
        ms->binds[i].buffer_type = MYSQL_TYPE_STRING;
        ms->binds[i].buffer = ms->columns[i].buf;
        ms->binds[i].buffer_length = ms->columns[i].size;
        ms->binds[i].length = &ms->columns[i].len;
        ms->binds[i].is_null = &ms->columns[i].is_null;
    }
    ms->bound = mysql_stmt_bind_result(ms->st, ms->binds) == 0;
    return ms->bound;
}

/* The value did not fit: enlarges the buffer and fetches this column again. */
static bool refetch(struct mydrv_stmt *ms, unsigned i)
{
    struct mydrv_column *col = &ms->columns[i];

    col->size = col->len;
    col->buf = mem_grow(col->buf, col->size, 1);
    ms->binds[i].buffer = col->buf;
    ms->binds[i].buffer_length = col->size;
    ms->bound = false;
    return mysql_stmt_fetch_column(ms->st, &ms->binds[i], i, 0) == 0;
}

bool mydrv_fetch_stmt_row(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;
    struct mydrv_stmt *ms = s->handle;
    uint32_t n = c->res.nfields;
    int rc;

    if (!ms->bound && !bind_columns(ms, n))
        return false;
    rc = mysql_stmt_fetch(ms->st);
    MYDRV_TRACE(c, "mysql_stmt_fetch(%p) = %d", (void *)ms->st, rc);
    if (rc != 0 && rc != MYSQL_DATA_TRUNCATED)
        return false;
    sql_row_reserve(c, n);
    for (uint32_t i = 0; i < n; i++) {
        struct mydrv_column *col = &ms->columns[i];
        if (!col->is_null && col->len > col->size && !refetch(ms, i))
            return false;
        c->values[i] =
            col->is_null ? (sql_value){0} : (sql_value){.len = (uint32_t)col->len, .ptr = col->buf};
    }
    return true;
}

void mydrv_free_stmt_result(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    MYDRV_TRACE(s->conn, "mysql_stmt_free_result(%p)", (void *)ms->st);
    mysql_stmt_free_result(ms->st);
}

void mydrv_close_stmt(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;
    mydrv_flag rc = mysql_stmt_close(ms->st);

    MYDRV_TRACE(s->conn, "mysql_stmt_close(%p) = %d", (void *)ms->st, rc);
    for (unsigned i = 0; i < ms->ncolumns; i++)
        free(ms->columns[i].buf);
    free(ms->columns);
    free(ms->binds);
    free(ms->lengths);
    free(ms);
    s->handle = NULL;
    (void)rc;
}
