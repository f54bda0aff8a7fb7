/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Implements sql_driver.h with libmariadb or libmysqlclient: connections and plain queries.  Each
 * connect uses a new MYSQL handle, because with libmariadb a used handle cannot be connected again
 * safely.  The library waits in poll(2) only.
 */
#include "sql/drv_mysql.h"

#include <errmsg.h>

#include "base/client_errors.h"
#include "opt/secret.h"

/* Limits a reconnect to an unreachable server, which would otherwise take the kernel's two
 * minutes. */
#define RECONNECT_TIMEOUT_S 10u

/* --- connections --- */

static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

/* Per connection libmariadb keeps a packet buffer of 8 KiB, which grows when needed, and 8 KiB of
 * attributes, which it sends only once.  With thousands of connections this is most of their
 * memory.
 */
#if SB_LIBMARIADB
#define SMALL_BUFFER 2048

static void begin_small(const struct mydrv_cfg *cfg, MYSQL *m)
{
    size_t buffer_size = SMALL_BUFFER;

    if (cfg->login.small_buffers)
        mysql_options(m, MYSQL_OPT_NET_BUFFER_LENGTH, &buffer_size);
}

static void end_small(const struct mydrv_cfg *cfg, MYSQL *m)
{
    if (cfg->login.small_buffers)
        mysql_options(m, MYSQL_OPT_CONNECT_ATTR_RESET, NULL);
}
#else
#define begin_small(cfg, m) ((void)0)
#define end_small(cfg, m)   ((void)0)
#endif

/* The library counts whole seconds; sql_waits.h ends the wait in time. */
static unsigned connect_timeout(const struct sql_conn *c)
{
    dur_ns limit = c->limits->connect;

    return limit ? (unsigned)((limit + NS_PER_SEC - 1) / NS_PER_SEC) : RECONNECT_TIMEOUT_S;
}

static MYSQL *new_handle(struct sql_conn *c, bool again)
{
    const struct mydrv_cfg *cfg = c->cfg;
    unsigned timeout = connect_timeout(c);
    MYSQL *m = mysql_init(NULL);

    if (!m)
        return NULL;
    MYDRV_TRACE(c, "mysql_init(%p)", (void *)m);
    if (again || c->limits->connect)
        mysql_options(m, MYSQL_OPT_CONNECT_TIMEOUT, &timeout);
    mydrv_tls_apply(&cfg->tls, m);
    begin_small(cfg, m);
    mydrv_allow_load(c, m);
    if (cfg->nsources)
        mysql_options(m, MYSQL_OPT_BIND, mydrv_endpoint_at(cfg, c->endpoint).source);
    return m;
}

static enum sql_outcome connect_refused(struct sql_conn *c, MYSQL *m)
{
    char msg[sizeof c->fail.msg];
    unsigned errnum = mysql_errno(m);

    mydrv_tls_explain(msg, sizeof msg, &errnum, mysql_error(m),
                      mydrv_endpoint_at(c->cfg, c->endpoint).host);
    sql_fail(c, (int)errnum, mysql_sqlstate(m), msg);
    mysql_close(m);
    if (mydrv_queue_full((unsigned)c->fail.errnum, c->fail.msg))
        return SQL_BUSY;
    return mydrv_decide(c) == SQL_FATAL ? SQL_FATAL : SQL_IGNORABLE;
}

static enum sql_outcome mydrv_open_conn(struct sql_conn *c, bool again)
{
    struct mydrv_cfg *cfg = c->cfg;
    const struct sql_login_mysql *l = &cfg->login;
    struct mydrv_endpoint at;
    const char *missing;
    MYSQL *m;

    m = new_handle(c, again);
    if (!m) {
        sql_fail(c, CR_OUT_OF_MEMORY, "HY000", "Client run out of memory");
        return SQL_FATAL;
    }
    at = mydrv_endpoint_at(cfg, c->endpoint);
    MYDRV_TRACE(c, "mysql_real_connect(%p, \"%s\", \"%s\", \"%s\", \"%s\", %u, \"%s\", %s)",
                (void *)m, at.host, l->user, or_null(l->password) ? SECRET_SHOWN : "(null)", l->db,
                at.port, at.socket ? at.socket : "(null)", "CLIENT_MULTI_STATEMENTS");
    if (!mysql_real_connect(m, at.host, l->user, or_null(l->password), or_null(l->db), at.port,
                            at.socket, CLIENT_MULTI_STATEMENTS))
        return connect_refused(c, m);
    missing = mydrv_tls_missing(cfg, m);
    if (missing) {
        sql_fail(c, CR_SSL_CONNECTION_ERROR, "HY000", missing);
        mysql_close(m);
        return SQL_FATAL;
    }
    end_small(cfg, m);
    c->handle = m;
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
    MYDRV_TRACE(c, "mysql_close(%p)", c->handle);
    mysql_close(mydrv_lib(c));
    c->handle = NULL;
}

static int mydrv_socket_fd(struct sql_conn *c)
{
#if SB_LIBMARIADB
    return (int)mysql_get_socket(mydrv_lib(c));
#else
    return (int)mydrv_lib(c)->net.fd;
#endif
}

/* --- plain queries --- */

void mydrv_store_status(struct sql_conn *c, my_ulonglong affected)
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
    MYSQL *m = mydrv_lib(c);
    MYSQL_RES *r;

    if (mysql_field_count(m) == 0) {
        mydrv_store_status(c, mysql_affected_rows(m));
    } else {
        r = mysql_store_result(m);
        MYDRV_TRACE(c, "mysql_store_result(%p) = %p", (void *)m, (void *)r);
        if (!r)
            return mydrv_report_failure(c, "mysql_store_result()", text, len);
        c->res.counter = CNT_READ;
        c->res.nfields = mysql_num_fields(r);
        c->res.nrows = mysql_num_rows(r);
        c->res.ptr = r;
        MYDRV_TRACE(c, "mysql_num_rows(%p) = %llu", (void *)r, (unsigned long long)c->res.nrows);
        MYDRV_TRACE(c, "mysql_num_fields(%p) = %u", (void *)r, c->res.nfields);
    }
    c->more = mysql_more_results(m);
    return SQL_DONE;
}

static enum sql_outcome mydrv_text_query(struct sql_conn *c, const char *text, size_t len)
{
    int rc;

    c->text = text;
    c->text_len = len;
    rc = mysql_real_query(mydrv_lib(c), text, len);
    c->text = NULL;
    MYDRV_TRACE(c, "mysql_real_query(%p, \"%.*s\", %zu) = %d", c->handle, (int)len, text, len, rc);
    if (rc)
        return mydrv_report_failure(c, "mysql_drv_query()", text, len);
    return store_result(c, text, len);
}

static enum sql_outcome mydrv_next(struct sql_conn *c)
{
    int rc;

    if (c->source)
        return mydrv_next_stmt_result(c->source);
    rc = mysql_next_result(mydrv_lib(c));
    MYDRV_TRACE(c, "mysql_next_result(%p) = %d", c->handle, rc);
    if (rc > 0)
        return mydrv_report_failure(c, "mysql_next_result()", NULL, 0);
    return store_result(c, NULL, 0);
}

static bool mydrv_fetch(struct sql_conn *c)
{
    MYSQL_ROW row;
    unsigned long *lengths;

    if (c->source)
        return mydrv_fetch_stmt_row(c->source);
    row = mysql_fetch_row(c->res.ptr);
    MYDRV_TRACE(c, "mysql_fetch_row(%p) = %p", c->res.ptr, (void *)row);
    if (!row)
        return false;
    lengths = mysql_fetch_lengths(c->res.ptr);
    sql_row_reserve(c, c->res.nfields);
    for (uint32_t i = 0; i < c->res.nfields; i++)
        c->values[i] = (sql_value){.len = (uint32_t)lengths[i], .ptr = row[i]};
    return true;
}

static void mydrv_free(struct sql_conn *c)
{
    if (c->source) {
        mydrv_free_stmt_result(c->source);
        return;
    }
    MYDRV_TRACE(c, "mysql_free_result(%p)", c->res.ptr);
    mysql_free_result(c->res.ptr);
    c->res.ptr = NULL;
}

static bool mydrv_rollback(struct sql_conn *c)
{
    int rc = mysql_real_query(mydrv_lib(c), "ROLLBACK", 8);

    MYDRV_TRACE(c, "mysql_real_query(%p, \"ROLLBACK\", 8) = %d", c->handle, rc);
    return rc == 0;
}

/* --- texts --- */

static unsigned mydrv_lex(struct sql_conn *c)
{
    if (mydrv_lib(c)->server_status & SERVER_STATUS_NO_BACKSLASH_ESCAPES)
        return SQL_LEX_MYSQL;
    return SQL_LEX_MYSQL | SQL_LEX_BACKSLASH;
}

static void mydrv_quote(void *conn, struct str *out, const char *bytes, size_t n)
{
    struct sql_conn *c = conn;

    str_add(out, "'", 1);
    str_room(out, 2 * n + 1); /* the maximum after escaping */
#if SB_LIBMARIADB
    out->len += mysql_real_escape_string(mydrv_lib(c), out->s + out->len, bytes, n);
#else
    out->len += mysql_real_escape_string_quote(mydrv_lib(c), out->s + out->len, bytes, n, '\'');
#endif
    str_add(out, "'", 1);
}

const struct sql_ops mydrv_ops = {
    .connect = mydrv_open_conn,
    .print_connect_error = mydrv_print_connect_error,
    .disconnect = mydrv_close_conn,
    .socket = mydrv_socket_fd,
    .query = mydrv_text_query,
    .next = mydrv_next,
    .fetch = mydrv_fetch,
    .free_result = mydrv_free,
    .transaction_open = mydrv_transaction_open,
    .rollback = mydrv_rollback,
    .lex = mydrv_lex,
    .quote = mydrv_quote,
    .prepare = mydrv_prepare,
    .bind = mydrv_bind,
    .execute = mydrv_execute,
    .close = mydrv_close_stmt,
    .load = mydrv_load,
    .wrong_count = mydrv_wrong_count,
};
