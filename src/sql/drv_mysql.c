/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Implements sql_driver.h with libmariadb or libmysqlclient: connections and plain queries.  Each
 * connect uses a new MYSQL handle, because with libmariadb a used handle cannot be connected again
 * safely.  The library waits in poll(2) only.
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

#ifndef CLIENT_DEPRECATE_EOF
#define CLIENT_DEPRECATE_EOF (1ul << 24) /* another end of rows; not in libmariadb 3.3 */
#endif

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
        return mydrv_queue_full((unsigned)c->fail.errnum, c->fail.msg) ? SQL_BUSY : mydrv_decide(c);
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
    struct mydrv_conn *mc = mydrv_of(c);

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
    return mydrv_fd(mydrv_lib(c));
}

static uint64_t mydrv_session(struct sql_conn *c)
{
    return mysql_thread_id(mydrv_lib(c));
}

/* Of the last success. */
static unsigned status_of(const struct sql_conn *c)
{
    const struct mydrv_conn *mc = mydrv_of(c);

    return mc->wire_last ? mc->wire.status : mc->lib->server_status;
}

MYSQL *mydrv_use_lib(struct sql_conn *c)
{
    struct mydrv_conn *mc = mydrv_of(c);

    if (mc->wire_last)
        mc->lib->server_status = mc->wire.status;
    mc->wire_last = false;
    sql_count_answer(c);
    return mc->lib;
}

void mydrv_note_surplus(struct sql_conn *c)
{
#if HAS_PVIO
    const MARIADB_PVIO *io = mydrv_lib(c)->net.pvio;

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
    struct mydrv_conn *mc = mydrv_of(c);
    unsigned char head[5];
    size_t n = 0;

    if (!mysql_get_ssl_cipher(mc->lib) && !mc->lib->net.compress)
        n = sched_peek(mydrv_fd(mc->lib), head, sizeof head);
    if (!c->astray && (n == 0 || (n == sizeof head && head[4] == 0xff)))
        return SQL_DONE;
    mydrv_fail(c, CR_COMMANDS_OUT_OF_SYNC, "HY000",
               "Commands out of sync: the server has sent what no statement asked for");
    return mydrv_refused(c, "mysql_drv_query()", NULL, 0);
}

/* --- plain queries --- */

/* Stores the server's answer: rows, which are read in full, or a status. */
static enum sql_outcome store_result(struct sql_conn *c, const char *text, size_t len)
{
    MYSQL *m = mydrv_lib(c);

    if (mysql_field_count(m) == 0) {
        sql_set_status(c, mysql_affected_rows(m));
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
    mydrv_note_more(c, mysql_more_results(m));
    mydrv_note_surplus(c);
    return SQL_DONE;
}

/* As the library's function returns. */
static int run_text(struct sql_conn *c, const char *text, size_t len)
{
    sql_note_sent(c);
    int rc = mysql_real_query(mydrv_use_lib(c), text, len);
    mydrv_note_answer(c, rc, mysql_errno(mydrv_lib(c)));
    return rc;
}

static enum sql_outcome mydrv_text_query(struct sql_conn *c, const char *text, size_t len)
{
    c->text = text;
    c->text_len = len;
    int rc = run_text(c, text, len);
    c->text = NULL;
    MYDRV_TRACE(c, "mysql_real_query(%p, \"%.*s\", %zu) = %d", (void *)mydrv_lib(c), (int)len, text,
                len, rc);
    if (rc)
        return mydrv_failed(c, NULL, "mysql_drv_query()", text, len);
    enum sql_outcome v = store_result(c, text, len);
    if (c->more) {
        str_reset(&mydrv_of(c)->unread);
        str_add(&mydrv_of(c)->unread, text, len);
    }
    return v;
}

static enum sql_outcome mydrv_next(struct sql_conn *c)
{
    if (c->source)
        return mydrv_stmt_next(c->source);
    struct str *text = &mydrv_of(c)->unread;
    sql_count_answer(c);
    int rc = mysql_next_result(mydrv_lib(c));
    MYDRV_TRACE(c, "mysql_next_result(%p) = %d", (void *)mydrv_lib(c), rc);
    if (rc > 0)
        return mydrv_failed(c, NULL, "mysql_next_result()", str_cstr(text), text->len);
    return store_result(c, str_cstr(text), text->len);
}

static bool mydrv_fetch(struct sql_conn *c, enum sql_outcome *v)
{
    if (c->source)
        return mydrv_stmt_fetch(c->source, v);
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
    if (c->source) {
        mydrv_stmt_free(c->source);
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
    int rc = run_text(c, "ROLLBACK", 8);

    MYDRV_TRACE(c, "mysql_real_query(%p, \"ROLLBACK\", 8) = %d", (void *)mydrv_lib(c), rc);
    return rc == 0;
}

/* LOAD DATA LOCAL with the rows of c->feed, which the library asks for (drv_mysql_guard.c). */
static enum sql_outcome mydrv_load(struct sql_conn *c, const char *text, size_t len,
                                   struct sql_feed *feed)
{
    (void)feed; /* c->feed */
    if (run_text(c, text, len))
        return mydrv_failed(c, NULL, "mysql_real_query()", NULL, 0);
    sql_set_status(c, mysql_affected_rows(mydrv_lib(c)));
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
    out->len += mysql_real_escape_string(mydrv_use_lib(c), out->s + out->len, bytes, n);
#else
    out->len += mysql_real_escape_string_quote(mydrv_use_lib(c), out->s + out->len, bytes, n, '\'');
#endif
    str_add(out, "'", 1);
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
