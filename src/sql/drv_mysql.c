/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Implements sql_driver.h with libmariadb or libmysqlclient: connections, plain queries, prepared
 * statements.  Each connect uses a new MYSQL handle, because with libmariadb a used handle
 * cannot be connected again safely.  The library waits in poll(2) only.
 *
 * A statement's parameters are bound once, by address: at each execute the library reads value,
 * length and NULL flag from the script's buffers.  Results are always stored, because the
 * connection must be free for the next statement.  The buffers for columns as text are allocated
 * when a script fetches the first row, which most scripts never do.
 */
#include "sql/drv_mysql.h"

#include <errmsg.h>
#include <mysqld_error.h>
#if SB_LIBMARIADB && __has_include(<ma_pvio.h>)
#include <ma_pvio.h>
#define HAS_PVIO 1
#else
#define HAS_PVIO 0
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "fiber/sched.h"
#include "opt/secret.h"
#include "sql/sql_conn.h"

/* Fits any number, date or time as text; the library formats doubles to the width of the buffer. */
#define COLUMN_SIZE 512

#ifndef CLIENT_DEPRECATE_EOF
#define CLIENT_DEPRECATE_EOF (1ul << 24) /* another end of rows; not in libmariadb 3.3 */
#endif

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

static inline struct mydrv_conn *conn_of(const struct sql_conn *c)
{
    return c->handle;
}

static inline struct mydrv_stmt *stmt_of(const struct sql_stmt *s)
{
    return s->handle;
}

static inline MYSQL *lib_of(const struct sql_conn *c)
{
    return conn_of(c)->lib;
}

/* --- connections --- */

static int mydrv_fd(MYSQL *m)
{
#if SB_LIBMARIADB
    return (int)mysql_get_socket(m);
#else
    return m->net.vio ? (int)m->net.fd : -1; /* it keeps the number of one that it has closed */
#endif
}

static enum sql_outcome mydrv_open_conn(struct sql_conn *c, bool again)
{
    struct mydrv_cfg *cfg = c->cfg;
    const struct sql_login_mysql *l = &cfg->login;
    struct mydrv_endpoint at = mydrv_endpoint_at(cfg, c->endpoint);
    unsigned timeout = sql_connect_seconds(c, again); /* sql_wait_begin() ends the wait in time */
    /* without one, the library takes MYSQL_PWD */
    const char *password = l->password_given ? l->password : mydrv_or_null(l->password);
    char msg[sizeof c->fail.msg];
    MYSQL *m = mysql_init(NULL);

    if (!m) {
        sql_fail(c, CR_OUT_OF_MEMORY, "HY000", "Client run out of memory");
        return SQL_FATAL;
    }
    MYDRV_TRACE(c, "mysql_init(%p)", (void *)m);
    if (timeout)
        mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
    mydrv_tls_apply(&cfg->tls, m);
#if SB_LIBMARIADB
    /* Per connection it keeps a packet buffer of 8 KiB, which grows when needed, and 8 KiB of
     * attributes, which it sends only once.  With thousands of connections this is most of their
     * memory; the attributes go after the connect. */
    if (l->small_buffers)
        mysql_options(m, MYSQL_OPT_NET_BUFFER_LENGTH, &(size_t){2048});
#endif
    mydrv_allow_load(c, m);
    if (cfg->nsources)
        mysql_options(m, MYSQL_OPT_BIND, at.source);
    MYDRV_TRACE(c, "mysql_real_connect(%p, \"%s\", \"%s\", \"%s\", \"%s\", %u, \"%s\", %s)",
                (void *)m, at.host, l->user, mydrv_or_null(l->password) ? SECRET_SHOWN : "(null)",
                l->db, at.port, at.socket ? at.socket : "(null)", "CLIENT_MULTI_STATEMENTS");
    if (!mysql_real_connect(m, at.host, l->user, password, mydrv_or_null(l->db), at.port, at.socket,
                            CLIENT_MULTI_STATEMENTS)) {
        unsigned errnum = mysql_errno(m);
        mydrv_tls_explain(msg, sizeof msg, &errnum, mysql_error(m), at.host);
        if (errnum == CR_SSL_CONNECTION_ERROR && sched_waits_over())
            errnum = CR_SERVER_LOST; /* not the encryption failed, but the server to answer */
        sql_fail(c, (int)errnum, mysql_sqlstate(m), msg);
        mysql_close(m);
        if (mydrv_queue_full((unsigned)c->fail.errnum, c->fail.msg))
            return SQL_BUSY;
        return mydrv_decide(c) == SQL_FATAL ? SQL_FATAL : SQL_IGNORABLE;
    }
    const char *missing = mydrv_tls_missing(cfg, m);
    if (missing) {
        sql_fail(c, CR_SSL_CONNECTION_ERROR, "HY000", missing);
        mysql_close(m);
        return SQL_FATAL;
    }
#if SB_LIBMARIADB
    if (cfg->login.small_buffers)
        mysql_options(m, MYSQL_OPT_CONNECT_ATTR_RESET, NULL);
#endif
    struct mydrv_conn *mc = mem_alloc(sizeof *mc);
    mc->lib = m;
    mc->wire.fd = -1;
#if SB_LIBMARIADB /* only this library lets go of a statement that the server still knows (let_go) \
                   */
    /* do packets go through the socket as mysql_wire.c writes and reads them? */
    if (!l->library && !l->debug && !mysql_get_ssl_cipher(m) && !m->net.compress &&
        !(m->client_flag & (CLIENT_COMPRESS | CLIENT_DEPRECATE_EOF)))
        mc->wire.fd = mydrv_fd(m);
    mc->wire.limit = (size_t)c->limits->answer;
#endif
    c->handle = mc;
    return SQL_DONE;
}

static void mydrv_print_connect_error(struct sql_conn *c)
{
    struct mydrv_endpoint at = mydrv_endpoint_at(c->cfg, c->endpoint);

    client_errors_code(c->fail.errnum, "");
    if (at.socket)
        log_fatal("unable to connect to MySQL server on socket '%s', aborting...", at.socket);
    else
        log_fatal("unable to connect to MySQL server on host '%s', port %u, aborting...", at.host,
                  at.port);
    log_fatal("error %d: %s", c->fail.errnum, c->fail.msg);
}

static void mydrv_close_conn(struct sql_conn *c)
{
    struct mydrv_conn *mc = conn_of(c);

    MYDRV_TRACE(c, "mysql_close(%p)", (void *)mc->lib);
    sql_note_sent(c); /* COM_QUIT */
    wire_fini(&mc->wire);
    str_free(&mc->unread);
    mysql_close(mc->lib);
    free(mc);
    c->handle = NULL;
}

static int mydrv_socket_fd(struct sql_conn *c)
{
    return mydrv_fd(lib_of(c));
}

static uint64_t mydrv_session(struct sql_conn *c)
{
    return mysql_thread_id(lib_of(c));
}

/* Of the last success. */
static unsigned status_of(const struct sql_conn *c)
{
    const struct mydrv_conn *mc = conn_of(c);

    return mc->wire_last ? mc->wire.status : mc->lib->server_status;
}

/* The connection, for a call of the library, which goes on where mysql_wire.c was: it knows how
 * backslashes are meant, whether a transaction is open if the call fails, and that nothing can be
 * sent while results are unread. */
static MYSQL *use_lib(struct sql_conn *c)
{
    struct mydrv_conn *mc = conn_of(c);

    if (mc->wire_last)
        mc->lib->server_status = mc->wire.status;
    mc->wire_last = false;
    sql_count_answer(c);
    return mc->lib;
}

/* The server counts what it answers, also by an error of its own. */
static void note_answer(struct sql_conn *c, int rc, unsigned errnum)
{
    bool library = (errnum >= CR_MIN_ERROR && errnum <= CR_MAX_ERROR) || errnum >= 5000;

    if (!rc || !library)
        sql_note_answered(c);
}

/* It may count another result, that of a statement, or not, that of a procedure. */
static void note_more(struct sql_conn *c, bool more)
{
    c->more = more;
    if (more)
        sql_note_sent(c);
}

/* Read by the library together with the answer, which was its last. */
static void note_surplus(struct sql_conn *c)
{
#if HAS_PVIO
    const MARIADB_PVIO *io = lib_of(c)->net.pvio;

    if (!c->more && io && io->cache && io->cache_pos < io->cache + io->cache_size)
        c->astray = true;
#else
    (void)c;
#endif
}

/* An error, the server's last words before it hangs up, is for the statement to find.  Under TLS
 * and compression, nobody can tell what lies in the socket. */
static enum sql_outcome mydrv_in_step(struct sql_conn *c)
{
    struct mydrv_conn *mc = conn_of(c);
    unsigned char head[5];
    size_t n = 0;

    if (!mysql_get_ssl_cipher(mc->lib) && !mc->lib->net.compress)
        n = sched_peek(mydrv_fd(mc->lib), head, sizeof head);
    if (!c->astray && (n == 0 || (n == sizeof head && head[4] == 0xff))) {
        c->waits = sched_waits;
        return SQL_DONE;
    }
    mydrv_fail(c, CR_COMMANDS_OUT_OF_SYNC, "HY000",
               "Commands out of sync: the server has sent what no statement asked for");
    return mydrv_refused(c, "mysql_drv_query()", NULL, 0);
}

/* --- plain queries --- */

static void store_status(struct sql_conn *c, my_ulonglong affected)
{
    if (affected == (my_ulonglong)-1)
        affected = 0;
    c->res.counter = affected > 0 ? CNT_WRITE : CNT_OTHER;
    c->res.nfields = 0;
    c->res.nrows = affected;
    c->res.ptr = NULL;
}

/* Stores the server's answer: rows, which are read in full, or a status. */
static enum sql_outcome store_result(struct sql_conn *c, const char *text, size_t len)
{
    MYSQL *m = lib_of(c);

    if (mysql_field_count(m) == 0) {
        store_status(c, mysql_affected_rows(m));
    } else {
        MYSQL_RES *r = mysql_store_result(m);
        MYDRV_TRACE(c, "mysql_store_result(%p) = %p", (void *)m, (void *)r);
        if (!r)
            return mydrv_failed(c, NULL, "mysql_store_result()", text, len);
        c->res.counter = CNT_READ;
        c->res.nfields = mysql_num_fields(r);
        c->res.nrows = mysql_num_rows(r);
        c->res.ptr = r;
        MYDRV_TRACE(c, "mysql_num_rows(%p) = %llu", (void *)r, (unsigned long long)c->res.nrows);
        MYDRV_TRACE(c, "mysql_num_fields(%p) = %u", (void *)r, c->res.nfields);
    }
    note_more(c, mysql_more_results(m));
    note_surplus(c);
    return SQL_DONE;
}

static enum sql_outcome mydrv_text_query(struct sql_conn *c, const char *text, size_t len)
{
    c->text = text;
    c->text_len = len;
    sql_note_sent(c);
    int rc = mysql_real_query(use_lib(c), text, len);
    note_answer(c, rc, mysql_errno(lib_of(c)));
    c->text = NULL;
    MYDRV_TRACE(c, "mysql_real_query(%p, \"%.*s\", %zu) = %d", (void *)lib_of(c), (int)len, text,
                len, rc);
    if (rc)
        return mydrv_failed(c, NULL, "mysql_drv_query()", text, len);
    enum sql_outcome v = store_result(c, text, len);
    if (c->more) {
        str_reset(&conn_of(c)->unread);
        str_add(&conn_of(c)->unread, text, len);
    }
    return v;
}

static enum sql_outcome stmt_failed(struct sql_stmt *s, MYSQL_STMT *st, const char *function)
{
    return mydrv_failed(s->conn, st, function, s->query, s->query_len);
}

static enum sql_outcome store_stmt_result(struct sql_stmt *s);
static enum sql_outcome take_wire_result(struct sql_stmt *s, const char *function, bool sent);

static enum sql_outcome mydrv_next(struct sql_conn *c)
{
    int rc;

    if (c->source && !stmt_of(c->source)->st)
        return take_wire_result(c->source, "mysql_stmt_next_result()", true);
    if (c->source) {
        MYSQL_STMT *st = stmt_of(c->source)->st;
        sql_count_answer(c);
        rc = mysql_stmt_next_result(st);
        MYDRV_TRACE(c, "mysql_stmt_next_result(%p) = %d", (void *)st, rc);
        if (rc > 0)
            return stmt_failed(c->source, st, "mysql_stmt_next_result()");
        return store_stmt_result(c->source);
    }
    struct str *text = &conn_of(c)->unread;
    sql_count_answer(c);
    rc = mysql_next_result(lib_of(c));
    MYDRV_TRACE(c, "mysql_next_result(%p) = %d", (void *)lib_of(c), rc);
    if (rc > 0)
        return mydrv_failed(c, NULL, "mysql_next_result()", str_cstr(text), text->len);
    return store_result(c, str_cstr(text), text->len);
}

static bool fetch_stmt_row(struct sql_stmt *s, enum sql_outcome *v);

static bool mydrv_fetch(struct sql_conn *c, enum sql_outcome *v)
{
    if (c->source)
        return fetch_stmt_row(c->source, v);
    MYSQL_ROW row = mysql_fetch_row(c->res.ptr);
    MYDRV_TRACE(c, "mysql_fetch_row(%p) = %p", c->res.ptr, (void *)row);
    if (!row)
        return false;
    unsigned long *lengths = mysql_fetch_lengths(c->res.ptr);
    sql_row_reserve(c, c->res.nfields);
    for (uint32_t i = 0; i < c->res.nfields; i++)
        c->values[i] = (sql_value){.len = (uint32_t)lengths[i], .ptr = row[i]};
    return true;
}

static void mydrv_free(struct sql_conn *c)
{
    if (c->source && !stmt_of(c->source)->st) {
        wire_release(&conn_of(c)->wire);
        return;
    }
    if (c->source) {
        MYSQL_STMT *st = stmt_of(c->source)->st;
        MYDRV_TRACE(c, "mysql_stmt_free_result(%p)", (void *)st);
        mysql_stmt_free_result(st);
        return;
    }
    MYDRV_TRACE(c, "mysql_free_result(%p)", c->res.ptr);
    mysql_free_result(c->res.ptr);
    c->res.ptr = NULL;
}

/*
 * A deadlock rolls the whole transaction back; a lock wait timeout (1205), a changed record (1020)
 * and all other errors only roll back their statement.  Error packets carry no status, so for the
 * other errors this uses the status of the last success.
 */
static bool mydrv_transaction_open(struct sql_conn *c)
{
    unsigned status = status_of(c);

    switch (c->fail.errnum) {
    case ER_LOCK_DEADLOCK: return false;
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD: return true;
    }
    return (status & SERVER_STATUS_IN_TRANS) || !(status & SERVER_STATUS_AUTOCOMMIT);
}

static bool mydrv_rollback(struct sql_conn *c)
{
    sql_note_sent(c);
    int rc = mysql_real_query(use_lib(c), "ROLLBACK", 8);
    note_answer(c, rc, mysql_errno(lib_of(c)));

    MYDRV_TRACE(c, "mysql_real_query(%p, \"ROLLBACK\", 8) = %d", (void *)lib_of(c), rc);
    return rc == 0;
}

/* LOAD DATA LOCAL with the rows of c->feed, which the library asks for (drv_mysql_guard.c). */
static enum sql_outcome mydrv_load(struct sql_conn *c, const char *text, size_t len,
                                   struct sql_feed *feed)
{
    MYSQL *m = use_lib(c);

    (void)feed; /* c->feed */
    sql_note_sent(c);
    int rc = mysql_real_query(m, text, len);
    note_answer(c, rc, mysql_errno(m));
    if (rc)
        return mydrv_failed(c, NULL, "mysql_real_query()", NULL, 0);
    store_status(c, mysql_affected_rows(m));
    return SQL_DONE;
}

/* --- texts --- */

static unsigned mydrv_lex(struct sql_conn *c)
{
    if (status_of(c) & SERVER_STATUS_NO_BACKSLASH_ESCAPES)
        return SQL_LEX_MYSQL;
    return SQL_LEX_MYSQL | SQL_LEX_BACKSLASH;
}

static void mydrv_quote(void *conn, struct str *out, const char *bytes, size_t n)
{
    struct sql_conn *c = conn;

    str_add(out, "'", 1);
    str_room(out, 2 * n + 1); /* the maximum after escaping */
#if SB_LIBMARIADB
    out->len += mysql_real_escape_string(use_lib(c), out->s + out->len, bytes, n);
#else
    out->len += mysql_real_escape_string_quote(use_lib(c), out->s + out->len, bytes, n, '\'');
#endif
    str_add(out, "'", 1);
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
    /* as after the end of its connection: the library closes none of it on the server */
    LIST *at = &ms->st->list;
    if (at->prev)
        at->prev->next = at->next;
    else
        ms->st->mysql->stmts = at->next;
    if (at->next)
        at->next->prev = at->prev;
    ms->st->mysql = NULL;
    mysql_stmt_close(ms->st);
    ms->st = NULL;
#else
    (void)ms;
#endif
}

static enum sql_outcome mydrv_prepare(struct sql_stmt *s, bool first)
{
    struct sql_conn *c = s->conn;
    MYSQL_STMT *st = mysql_stmt_init(use_lib(c));

    MYDRV_TRACE(c, "mysql_stmt_init(%p) = %p", (void *)lib_of(c), (void *)st);
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
    s->close_talks = conn_of(c)->wire.fd < 0;
    if (!s->close_talks)
        let_go(ms);
    return SQL_DONE;
}

static int mydrv_bind(struct sql_stmt *s)
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
        store_status(c, mysql_stmt_affected_rows(ms->st));
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
    note_more(c, mysql_more_results(lib_of(c)));
    note_surplus(c);
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
        shutdown(conn_of(c)->wire.fd, SHUT_RDWR); /* nothing more comes of it */
    return mydrv_refused(c, r->in_rows ? "mysql_stmt_store_result()" : function, s->query,
                         s->query_len);
}

/* function: of the library, which would have met a failure; sent: the statement. */
static enum sql_outcome take_wire_result(struct sql_stmt *s, const char *function, bool sent)
{
    struct sql_conn *c = s->conn;
    struct mydrv_conn *mc = conn_of(c);
    struct wire_result r;
    enum wire_outcome v;

    if (!mc->wire_last) /* use_lib() the other way round */
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
        store_status(c, r.count);
    } else {
        c->res.counter = CNT_READ;
        c->res.nfields = r.ncolumns;
        c->res.nrows = (uint32_t)r.count;
        c->res.ptr = &mc->wire;
    }
    note_more(c, mc->wire.status & SERVER_MORE_RESULTS_EXIST);
    if (!c->more && wire_surplus(&mc->wire))
        c->astray = true;
    return SQL_DONE;
}

static enum sql_outcome mydrv_execute(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    if (!ms->st) {
        struct mydrv_conn *mc = conn_of(s->conn);
        sql_note_sent(s->conn);
        bool sent = wire_execute(&mc->wire, &ms->wire, s->params, s->nparams);
        enum sql_outcome v = take_wire_result(s, "mysql_stmt_execute()", sent);
        if (v == SQL_DONE || !s->conn->fail.given_up)
            note_answer(s->conn, v != SQL_DONE, (unsigned)s->conn->fail.errnum);
        ms->wire.types_known = ms->wire.types_known || v == SQL_DONE;
        return v;
    }
    conn_of(s->conn)->wire_last = false;
    sql_count_answer(s->conn);
    for (size_t i = 0; ms->measure && i < s->nparams; i++)
        ms->lengths[i] = sql_bind_length(&s->params[i]);
    sql_note_sent(s->conn);
    int rc = mysql_stmt_execute(ms->st);
    note_answer(s->conn, rc, mysql_stmt_errno(ms->st));
    MYDRV_TRACE(s->conn, "mysql_stmt_execute(%p) = %d", (void *)ms->st, rc);
    if (rc)
        return stmt_failed(s, ms->st, "mysql_stmt_execute()");
    /* libmariadb crashes in what would follow */
    if (mysql_stmt_field_count(ms->st) == 0 && mysql_more_results(lib_of(s->conn))) {
        mydrv_fail(s->conn, CR_MALFORMED_PACKET, "HY000", "Malformed packet");
        return mydrv_refused(s->conn, "mysql_stmt_execute()", s->query, s->query_len);
    }
    return store_stmt_result(s);
}

/* --- rows --- */

static bool fetch_stmt_row(struct sql_stmt *s, enum sql_outcome *v)
{
    struct sql_conn *c = s->conn;
    struct mydrv_stmt *ms = s->handle;
    uint32_t n = c->res.nfields;
    bool malformed;

    if (!ms->st) {
        sql_row_reserve(c, n);
        if (wire_fetch(&conn_of(c)->wire, &ms->wire, c->values, &malformed))
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

static void mydrv_close_stmt(struct sql_stmt *s)
{
    struct mydrv_stmt *ms = s->handle;

    if (ms->st) {
        mydrv_flag rc = mysql_stmt_close(ms->st);
        MYDRV_TRACE(s->conn, "mysql_stmt_close(%p) = %d", (void *)ms->st, rc);
        (void)rc;
    } else {
        wire_forget(&conn_of(s->conn)->wire, ms->wire.id);
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
static void mydrv_note(const struct sql_conn *c, const struct sql_stmt *s, struct prefetch_list *l)
{
    const struct mydrv_conn *mc = conn_of(c);
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

const struct sql_ops mydrv_ops = {
    .connect = mydrv_open_conn,
    .print_connect_error = mydrv_print_connect_error,
    .disconnect = mydrv_close_conn,
    .socket = mydrv_socket_fd,
    .session = mydrv_session,
    .query = mydrv_text_query,
    .next = mydrv_next,
    .fetch = mydrv_fetch,
    .free_result = mydrv_free,
    /* MariaDB has limits of a statement, MySQL a hint of its own, and locks within it */
    .hasty_select =
        "/*M!100300 SET STATEMENT lock_wait_timeout = 0, max_statement_time = 0.25 FOR */ "
        "SELECT /*+ MAX_EXECUTION_TIME(250) */",
    .in_step = mydrv_in_step,
    .transaction_open = mydrv_transaction_open,
    .rollback = mydrv_rollback,
    .lex = mydrv_lex,
    .quote = mydrv_quote,
    .prepare = mydrv_prepare,
    .bind = mydrv_bind,
    .execute = mydrv_execute,
    .close = mydrv_close_stmt,
    .load = mydrv_load,
    .note = mydrv_note,
    .wrong_count = {LOG_FATAL, "Wrong number of parameters to mysql_stmt_bind_param"},
};
