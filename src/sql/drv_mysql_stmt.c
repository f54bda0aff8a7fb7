/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepared statements of the MySQL driver: the library prepares them, and executes them where
 * mysql_wire.c does not (drv_mysql.h).
 *
 * A statement's parameters are bound once, by address: at each execute the library reads value,
 * length and NULL flag from the script's buffers.  Results are always stored, because the
 * connection must be free for the next statement.  The buffers for columns as text are allocated
 * when a script fetches the first row, which most scripts never do.
 */
#include "sql/drv_mysql.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "sql/sql_conn.h"

/* Fits any number, date or time as text; the library formats doubles to the width of the buffer. */
#define COLUMN_SIZE 512

struct mydrv_column {
    char *buf;
    unsigned long size, len;
    mydrv_flag is_null;
};

struct mydrv_stmt {
    MYSQL_STMT *st; /* NULL: mysql_wire.c executes it */
    struct wire_stmt wire;
    unsigned long *lengths; /* of parameters without a data_len */
    bool measure;           /* there are such parameters */
    struct mydrv_column *columns;
    MYSQL_BIND *binds; /* of the columns */
    unsigned ncolumns;
    bool bound; /* the library has the current buffers */
};

static inline struct mydrv_stmt *stmt_of(const struct sql_stmt *s)
{
    return s->handle;
}

static enum sql_outcome stmt_failed(struct sql_stmt *s, MYSQL_STMT *st, const char *function)
{
    return mydrv_failed(s->conn, st, function, s->query, s->query_len);
}

/* --- prepare and bind --- */

static enum sql_outcome prepare_failed(struct sql_stmt *s, MYSQL_STMT *st, bool first)
{
    struct sql_conn *c = s->conn;
    unsigned errnum = mysql_stmt_errno(st);

    if (errnum == ER_UNSUPPORTED_PS) {
        log_info("Failed to prepare query \"%s\" (%u: %s), using emulation", s->query, errnum,
                 mysql_stmt_error(st));
        s->emulated = true;
        return SQL_DONE;
    }
    /* unless --on-error has an action for it */
    if (errnum == ER_MAX_PREPARED_STMT_COUNT_REACHED &&
        c->policy->action[ERROR_STATEMENT_LIMIT] == ACTION_LISTED) {
        sql_stop_preparing(c, (int)errnum, mysql_stmt_error(st));
        s->emulated = true;
        return SQL_DONE;
    }
    if (!first)
        return stmt_failed(s, st, "mysql_stmt_prepare()");
    mydrv_fail(c, errnum, mysql_stmt_sqlstate(st), mysql_stmt_error(st));
    enum sql_outcome v = mydrv_decide(c);
    if (v == SQL_LOST || (v == SQL_IGNORABLE && c->fail.by_policy))
        return v;
    client_errors_code(c->fail.errnum, "");
    log_fatal("mysql_stmt_prepare() failed");
    log_fatal("MySQL error: %d \"%s\"", c->fail.errnum, c->fail.msg);
    return SQL_FATAL;
}

#if SB_LIBMARIADB
void mydrv_stmt_detach(MYSQL_STMT *st)
{
    LIST *at = &st->list;

    if (at->prev)
        at->prev->next = at->next;
    else
        st->mysql->stmts = at->next;
    if (at->next)
        at->next->prev = at->prev;
    st->mysql = NULL;
}
#endif

/* From here on mysql_wire.c executes it.  The library frees what it has of the statement, which is
 * 9 KiB, and takes it for one that the server does not know. */
static void let_go(struct mydrv_stmt *ms)
{
#if SB_LIBMARIADB
    unsigned n = ms->st->field_count;
    struct wire_column *columns = mem_array(n, sizeof *columns);

    for (unsigned i = 0; i < n; i++) {
        const MYSQL_FIELD *f = &ms->st->fields[i];
        columns[i] = (struct wire_column){.type = (unsigned char)f->type,
                                          .decimals = (unsigned char)f->decimals,
                                          .is_unsigned = f->flags & UNSIGNED_FLAG,
                                          .zerofill = f->flags & ZEROFILL_FLAG,
                                          .width = (uint32_t)f->length};
    }
    ms->wire = (struct wire_stmt){
        .id = (uint32_t)ms->st->stmt_id, .ncolumns = (uint16_t)n, .columns = columns};
    mydrv_stmt_detach(ms->st);
    mysql_stmt_close(ms->st);
    ms->st = NULL;
#else
    (void)ms;
#endif
}

enum sql_outcome mydrv_prepare(struct sql_stmt *s, bool first)
{
    struct sql_conn *c = s->conn;
    MYSQL_STMT *st = mysql_stmt_init(mydrv_use_lib(c));

    MYDRV_TRACE(c, "mysql_stmt_init(%p) = %p", (void *)mydrv_lib(c), (void *)st);
    if (!st)
        return mydrv_failed(c, NULL, "mysql_stmt_init()", s->query, s->query_len);
    int rc = mysql_stmt_prepare(st, s->query, s->query_len);
    MYDRV_TRACE(c, "mysql_stmt_prepare(%p, \"%s\", %zu) = %d", (void *)st, s->query, s->query_len,
                rc);
    if (rc) {
        enum sql_outcome v = prepare_failed(s, st, first);
        mysql_stmt_close(st);
        return v;
    }
    size_t n = mysql_stmt_param_count(st);
    MYDRV_TRACE(c, "mysql_stmt_param_count(%p) = %zu", (void *)st, n);
    if (!first && s->nparams > 0 && n != s->nparams) {
        mysql_stmt_close(st);
        mydrv_fail(c, CR_MALFORMED_PACKET, "HY000",
                   "Malformed packet: another number of parameters than before");
        return mydrv_refused(c, "mysql_stmt_prepare()", s->query, s->query_len);
    }
    struct mydrv_stmt *ms = mem_alloc(sizeof *ms);
    ms->st = st;
    s->handle = ms;
    s->nplaceholders = n;
    s->close_talks = mydrv_of(c)->wire.fd < 0;
    if (!s->close_talks)
        let_go(ms);
    return SQL_DONE;
}

int mydrv_bind(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    if (!ms->st) {
        ms->wire.types_known = false;
        return 0;
    }
    MYSQL_BIND *binds = mem_array(s->nparams + 1, sizeof *binds);

    free(ms->lengths);
    ms->lengths = mem_array(s->nparams + 1, sizeof *ms->lengths);
    ms->measure = false;
    for (size_t i = 0; i < s->nparams; i++) {
        const sql_bind *from = &s->params[i];
        MYSQL_BIND *to = &binds[i];
        to->is_null = (mydrv_flag *)from->is_null;
        to->buffer = from->buffer;
        to->length = &ms->lengths[i];
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
        if (sql_bind_kind(from->type) == SQL_BIND_BYTES && !from->data_len)
            ms->measure = true;
    }
    mydrv_flag rc = mysql_stmt_bind_param(ms->st, binds); /* copies the array */
    MYDRV_TRACE(s->conn, "mysql_stmt_bind_param(%p, %p) = %d", (void *)ms->st, (void *)binds, rc);
    free(binds);
    if (rc)
        stmt_failed(s, ms->st, "mysql_stmt_bind_param()");
    return rc ? -1 : 0;
}

/* --- execute --- */

static enum sql_outcome store_stmt_result(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;
    struct mydrv_stmt *ms = s->handle;
    unsigned nfields = mysql_stmt_field_count(ms->st);

    if (nfields == 0) {
        sql_set_status(c, mysql_stmt_affected_rows(ms->st));
    } else {
        int rc = mysql_stmt_store_result(ms->st);
        MYDRV_TRACE(c, "mysql_stmt_store_result(%p) = %d", (void *)ms->st, rc);
        if (rc)
            return stmt_failed(s, ms->st, "mysql_stmt_store_result()");
        c->res.counter = CNT_READ;
        c->res.nfields = nfields;
        c->res.nrows = mysql_stmt_num_rows(ms->st);
        c->res.ptr = ms->st;
        MYDRV_TRACE(c, "mysql_stmt_num_rows(%p) = %llu", (void *)ms->st,
                    (unsigned long long)c->res.nrows);
        ms->bound = false;
    }
    mydrv_note_more(c, mysql_more_results(mydrv_lib(c)));
    mydrv_note_surplus(c);
    return SQL_DONE;
}

static SQL_COLD enum sql_outcome wire_failed(struct sql_stmt *s, enum wire_outcome v,
                                             const struct wire_result *r, const char *function,
                                             bool sent)
{
    struct sql_conn *c = s->conn;
    char text[sizeof r->message + 80];

    if (v == WIRE_REFUSED) {
        mydrv_fail(c, r->errnum, r->state, r->message);
    } else if (v == WIRE_ASKS) { /* as drv_mysql_guard.c says it */
        bool may = ((const struct mydrv_cfg *)c->cfg)->login.local_infile;
        snprintf(text, sizeof text,
                 "The server asked for a file that the statement does not name: %s", r->message);
        mydrv_fail(c, CR_UNKNOWN_ERROR, "HY000", may ? text : "Load data local infile forbidden");
    } else if (v == WIRE_MALFORMED) {
        mydrv_fail(c, CR_MALFORMED_PACKET, "HY000", "Malformed packet");
    } else if (v == WIRE_NO_MEMORY) {
        mydrv_fail(c, CR_OUT_OF_MEMORY, "HY000", "Client run out of memory");
        c->fail.lost = true;
    } else if (sent) {
        c->too_long = v == WIRE_TOO_LONG;
        mydrv_fail(c, CR_SERVER_LOST, "HY000", "Lost connection to server during query");
    } else {
        mydrv_fail(c, CR_SERVER_GONE_ERROR, "HY000", "Server has gone away");
    }
    if (v != WIRE_REFUSED)
        shutdown(mydrv_of(c)->wire.fd, SHUT_RDWR); /* nothing more comes of it */
    return mydrv_refused(c, r->in_rows ? "mysql_stmt_store_result()" : function, s->query,
                         s->query_len);
}

/* function: of the library, which would have met a failure; sent: the statement. */
static enum sql_outcome take_wire_result(struct sql_stmt *s, const char *function, bool sent)
{
    struct sql_conn *c = s->conn;
    struct mydrv_conn *mc = mydrv_of(c);
    struct wire_result r;
    enum wire_outcome v;

    if (!mc->wire_last) /* mydrv_use_lib() the other way round */
        mc->wire.status = (uint16_t)mc->lib->server_status;
    mc->wire_last = true;
    if (sent) {
        v = wire_result(&mc->wire, &stmt_of(s)->wire, &r);
    } else { /* the server may have said why it left; the library does not look either */
        v = WIRE_LOST;
        r.in_rows = false;
    }
    if (v != WIRE_DONE)
        return wire_failed(s, v, &r, function, sent);
    if (r.ncolumns == 0) {
        sql_set_status(c, r.count);
    } else {
        c->res.counter = CNT_READ;
        c->res.nfields = r.ncolumns;
        c->res.nrows = (uint32_t)r.count;
        c->res.ptr = &mc->wire;
    }
    mydrv_note_more(c, mc->wire.status & SERVER_MORE_RESULTS_EXIST);
    if (!c->more && wire_surplus(&mc->wire))
        c->astray = true;
    return SQL_DONE;
}

enum sql_outcome mydrv_execute(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    if (!ms->st) {
        struct mydrv_conn *mc = mydrv_of(s->conn);
        sql_note_sent(s->conn);
        bool sent = wire_execute(&mc->wire, &ms->wire, s->params, s->nparams);
        enum sql_outcome v = take_wire_result(s, "mysql_stmt_execute()", sent);
        if (v == SQL_DONE || !s->conn->fail.given_up)
            mydrv_note_answer(s->conn, v != SQL_DONE, (unsigned)s->conn->fail.errnum);
        ms->wire.types_known = ms->wire.types_known || v == SQL_DONE;
        return v;
    }
    mydrv_of(s->conn)->wire_last = false;
    sql_count_answer(s->conn);
    for (size_t i = 0; ms->measure && i < s->nparams; i++)
        ms->lengths[i] = sql_bind_length(&s->params[i]);
    sql_note_sent(s->conn);
    int rc = mysql_stmt_execute(ms->st);
    mydrv_note_answer(s->conn, rc, mysql_stmt_errno(ms->st));
    MYDRV_TRACE(s->conn, "mysql_stmt_execute(%p) = %d", (void *)ms->st, rc);
    if (rc)
        return stmt_failed(s, ms->st, "mysql_stmt_execute()");
    /* libmariadb crashes in what would follow */
    if (mysql_stmt_field_count(ms->st) == 0 && mysql_more_results(mydrv_lib(s->conn))) {
        mydrv_fail(s->conn, CR_MALFORMED_PACKET, "HY000", "Malformed packet");
        return mydrv_refused(s->conn, "mysql_stmt_execute()", s->query, s->query_len);
    }
    return store_stmt_result(s);
}

enum sql_outcome mydrv_stmt_next(struct sql_stmt *s)
{
    MYSQL_STMT *st = stmt_of(s)->st;

    if (!st)
        return take_wire_result(s, "mysql_stmt_next_result()", true);
    sql_count_answer(s->conn);
    int rc = mysql_stmt_next_result(st);
    MYDRV_TRACE(s->conn, "mysql_stmt_next_result(%p) = %d", (void *)st, rc);
    if (rc > 0)
        return stmt_failed(s, st, "mysql_stmt_next_result()");
    return store_stmt_result(s);
}

/* --- rows --- */

bool mydrv_stmt_fetch(struct sql_stmt *s, enum sql_outcome *v)
{
    struct sql_conn *c = s->conn;
    struct mydrv_stmt *ms = s->handle;
    uint32_t n = c->res.nfields;
    bool malformed;

    if (!ms->st) {
        sql_row_reserve(c, n);
        if (wire_fetch(&mydrv_of(c)->wire, &ms->wire, c->values, &malformed))
            return true;
        if (malformed)
            *v = wire_failed(s, WIRE_MALFORMED, &(struct wire_result){0}, "mysql_stmt_fetch()",
                             true);
        return false;
    }
    if (n > ms->ncolumns) {
        ms->columns = mem_grow(ms->columns, n, sizeof *ms->columns);
        ms->binds = mem_grow(ms->binds, n, sizeof *ms->binds);
        for (; ms->ncolumns < n; ms->ncolumns++)
            ms->columns[ms->ncolumns] =
                (struct mydrv_column){.buf = mem_alloc(COLUMN_SIZE), .size = COLUMN_SIZE};
    }
    if (!ms->bound) {
        memset(ms->binds, 0, n * sizeof *ms->binds);
        for (unsigned i = 0; i < n; i++)
            ms->binds[i] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_STRING,
                                        .buffer = ms->columns[i].buf,
                                        .buffer_length = ms->columns[i].size,
                                        .length = &ms->columns[i].len,
                                        .is_null = &ms->columns[i].is_null};
        ms->bound = mysql_stmt_bind_result(ms->st, ms->binds) == 0;
        if (!ms->bound)
            return false;
    }
    int rc = mysql_stmt_fetch(ms->st);
    MYDRV_TRACE(c, "mysql_stmt_fetch(%p) = %d", (void *)ms->st, rc);
    if (rc != 0 && rc != MYSQL_NO_DATA && rc != MYSQL_DATA_TRUNCATED)
        *v = stmt_failed(s, ms->st, "mysql_stmt_fetch()");
    if (rc != 0 && rc != MYSQL_DATA_TRUNCATED)
        return false;
    sql_row_reserve(c, n);
    for (uint32_t i = 0; i < n; i++) {
        struct mydrv_column *col = &ms->columns[i];
        if (!col->is_null && col->len > col->size) { /* fetches it again, into a larger buffer */
            col->size = col->len;
            ms->binds[i].buffer = col->buf = mem_grow(col->buf, col->size, 1);
            ms->binds[i].buffer_length = col->size;
            ms->bound = false;
            if (mysql_stmt_fetch_column(ms->st, &ms->binds[i], i, 0))
                return false;
        }
        c->values[i] =
            col->is_null ? (sql_value){0} : (sql_value){.len = (uint32_t)col->len, .ptr = col->buf};
    }
    return true;
}

void mydrv_stmt_free(struct sql_stmt *s)
{
    MYSQL_STMT *st = stmt_of(s)->st;

    if (!st) {
        wire_release(&mydrv_of(s->conn)->wire);
        return;
    }
    MYDRV_TRACE(s->conn, "mysql_stmt_free_result(%p)", (void *)st);
    mysql_stmt_free_result(st);
}

void mydrv_close_stmt(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    if (ms->st) {
        mydrv_flag rc = mysql_stmt_close(ms->st);
        MYDRV_TRACE(s->conn, "mysql_stmt_close(%p) = %d", (void *)ms->st, rc);
        (void)rc;
    } else {
        wire_forget(&mydrv_of(s->conn)->wire, ms->wire.id);
    }
    free(ms->wire.columns);
    for (unsigned i = 0; i < ms->ncolumns; i++)
        free(ms->columns[i].buf);
    free(ms->columns);
    free(ms->binds);
    free(ms->lengths);
    free(ms);
    s->handle = NULL;
}

/* --- prefetch --- */

/* What the library touches is in its headers, but for objects that are theirs alone (`pvio`,
 * extensions), of which it is the first lines. */
void mydrv_note(const struct sql_conn *c, const struct sql_stmt *s, struct prefetch_list *l)
{
    const struct mydrv_conn *mc = mydrv_of(c);
    const struct mydrv_stmt *ms = s ? stmt_of(s) : NULL;
    const MYSQL *m = !s && mc->wire.fd < 0 ? mc->lib : NULL;
    const MYSQL_STMT *st = s ? ms->st : NULL;

    if (s)
        prefetch_add(l, ms, sizeof *ms);
    else
        prefetch_add(l, mc, sizeof *mc);
#if SB_LIBMARIADB
    if (m) {
        prefetch_span(l, &m->net.pvio, &m->net.last_errno + 1);
        prefetch_span(l, &m->net.extension, &m->extension + 1);
        prefetch_add(l, m->net.pvio, 384);
        prefetch_add(l, m->net.buff, 128);
        prefetch_add(l, m->net.extension, CACHE_LINE);
        prefetch_add(l, m->fields, 256);
        prefetch_add(l, m->options.extension, 128);
        prefetch_add(l, m->extension, CACHE_LINE);
    } else if (st) {
        prefetch_span(l, &st->mem_root, &st->last_errno + 1);
        prefetch_span(l, &st->update_max_length, &st->request_buffer + 1);
        prefetch_add(l, st->mem_root.free, 128);
        prefetch_add(l, st->params, CACHE_LINE);
        prefetch_add(l, st->fields, 256);
        prefetch_add(l, st->result.alloc.free, 256);
    }
#else
    prefetch_add(l, m ? (const void *)m : st, 4 * CACHE_LINE);
#endif
    if (s && !st) {
        prefetch_add(l, s->params, s->nparams * sizeof *s->params);
        for (size_t i = 0; i < s->nparams && i < 2; i++)
            prefetch_add(l, s->params[i].buffer, sizeof(int64_t));
    }
}
