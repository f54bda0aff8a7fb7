/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Implements sql_driver.h with libpq: connections, plain queries and their results.  The library
 * waits in poll(2) only.
 *
 * A text of several statements is one call.  As in stock, its result is that of the last statement,
 * and an error in any statement is the call's error.  There are never more results to read.
 */
#include "sql/drv_pgsql.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/client_errors.h"
#include "base/mem.h"

/* --- connections --- */

static void discard_notice(void *arg, const PGresult *r)
{
    (void)arg;
    (void)r;
}

/* The lists from the connection's own host on. */
static const struct pgdrv_place *place_of(const struct sql_conn *c)
{
    const struct pgdrv_cfg *cfg = c->cfg;
    bool alone = cfg->watches && c->host->auxiliary;

    return &(alone ? cfg->alone : cfg->from)[c->endpoint % cfg->nhosts];
}

static enum sql_outcome pgdrv_open_conn(struct sql_conn *c, bool again)
{
    struct pgdrv_params p;
    struct pgdrv_conn *pc;
    PGconn *lib;

    pgdrv_connect_params(c->cfg, place_of(c), c->limits->connect, again, &p);
    lib = PQconnectdbParams(p.keyword, p.value, 1);
    if (PQstatus(lib) != CONNECTION_OK) {
        enum sql_outcome v = pgdrv_connect_failed(c, PQerrorMessage(lib));
        PQfinish(lib);
        return v;
    }
    PQsetNoticeReceiver(lib, discard_notice, NULL);
    pc = mem_alloc(sizeof *pc);
    pc->lib = lib;
    c->handle = pc;
    return SQL_DONE;
}

static void pgdrv_print_connect_error(struct sql_conn *c)
{
    client_errors_code(0, c->fail.state);
    log_fatal("Connection to database failed: %s\n", c->fail.msg);
}

static void pgdrv_close_conn(struct sql_conn *c)
{
    struct pgdrv_conn *pc = pgdrv_of(c);

    PQfinish(pc->lib);
    free(pc->closed);
    free(pc);
    c->handle = NULL;
}

static const char *pgdrv_chosen(struct sql_conn *c, const char **port)
{
    *port = PQport(pgdrv_lib(c));
    return PQhost(pgdrv_lib(c));
}

static int pgdrv_socket_fd(struct sql_conn *c)
{
    return PQsocket(pgdrv_lib(c));
}

/* --- plain queries and results --- */

static void store_status(struct sql_conn *c, PGresult *r)
{
    unsigned long long affected = strtoull(PQcmdTuples(r), NULL, 10); /* "" is 0 */

    c->res.counter = affected > 0 ? CNT_WRITE : CNT_OTHER;
    c->res.nfields = 0;
    c->res.nrows = (uint32_t)affected;
    c->res.ptr = NULL;
    PQclear(r);
}

static void store_rows(struct sql_conn *c, PGresult *r)
{
    c->res.counter = CNT_READ;
    c->res.nfields = (uint32_t)PQnfields(r);
    c->res.nrows = (uint32_t)PQntuples(r);
    c->res.ptr = r;
    pgdrv_of(c)->row = 0;
    if (c->res.nfields == 0) { /* SELECT without columns: there is nothing to read */
        PQclear(r);
        c->res.ptr = NULL;
    }
}

/* Ends COPY now; otherwise the next statement would end it, and its own result depend on that. */
static void leave_copy(struct sql_conn *c)
{
    PQclear(PQexec(pgdrv_lib(c), ""));
}

static bool is_copy(const PGresult *r)
{
    ExecStatusType t = PQresultStatus(r);

    return t == PGRES_COPY_IN || t == PGRES_COPY_OUT || t == PGRES_COPY_BOTH;
}

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

/* libpq reports a failed write before it has read the server's last message: reads it. */
static void drain_input(PGconn *lib)
{
    while (PQstatus(lib) == CONNECTION_OK && PQconsumeInput(lib) && readable(PQsocket(lib)))
        ;
}

/* Scripts cannot read notifications after LISTEN: frees them, so that they do not accumulate. */
static void discard_notifications(PGconn *lib)
{
    PGnotify *n;

    while ((n = PQnotifies(lib)) != NULL)
        PQfreemem(n);
}

/* Like PQexec, except for errors: PQexec returns the last one, which after a message that the
 * server shuts down is only that the connection is closed. */
PGresult *pgdrv_answer(struct sql_conn *c, int sent)
{
    PGconn *lib = pgdrv_lib(c);
    PGresult *last = NULL, *r;

    while (sent && !is_copy(last) && (r = PQgetResult(lib)) != NULL) {
        if (PQresultErrorField(last, PG_DIAG_SQLSTATE)) {
            PQclear(r);
        } else {
            PQclear(last);
            last = r;
        }
        if (PQstatus(lib) == CONNECTION_BAD)
            break;
    }
    if (PQresultStatus(last) == PGRES_FATAL_ERROR && !PQresultErrorField(last, PG_DIAG_SQLSTATE))
        drain_input(lib);
    discard_notifications(lib);
    return last;
}

enum sql_outcome pgdrv_store_result(struct sql_conn *c, PGresult *r, const char *function,
                                    const char *text, size_t len)
{
    enum sql_outcome v;

    switch (PQresultStatus(r)) {
    case PGRES_TUPLES_OK: store_rows(c, r); return SQL_DONE;
    case PGRES_COMMAND_OK: store_status(c, r); return SQL_DONE;
    default: break;
    }
    if (is_copy(r))
        leave_copy(c);
    v = pgdrv_report_failure(c, r, function, text, len);
    PQclear(r);
    return v;
}

static enum sql_outcome pgdrv_text_query(struct sql_conn *c, const char *text, size_t len)
{
    enum sql_outcome v;

    if (pgdrv_has_nul(c, "PQexec", text, len, &v))
        return v;
    return pgdrv_store_result(c, pgdrv_answer(c, PQsendQuery(pgdrv_lib(c), text)), "PQexec", text,
                              len);
}

static enum sql_outcome pgdrv_next(struct sql_conn *c)
{
    (void)c;
    assert(!"c->more is never set");
    return SQL_FATAL;
}

static bool pgdrv_fetch(struct sql_conn *c)
{
    struct pgdrv_conn *pc = pgdrv_of(c);
    const PGresult *r = c->res.ptr;

    if (pc->row >= PQntuples(r))
        return false;
    sql_row_reserve(c, c->res.nfields);
    for (uint32_t i = 0; i < c->res.nfields; i++)
        c->values[i] = PQgetisnull(r, pc->row, (int)i)
                           ? (sql_value){0}
                           : (sql_value){.len = (uint32_t)PQgetlength(r, pc->row, (int)i),
                                         .ptr = PQgetvalue(r, pc->row, (int)i)};
    pc->row++;
    return true;
}

static void pgdrv_free(struct sql_conn *c)
{
    PQclear(c->res.ptr);
    c->res.ptr = NULL;
}

static bool pgdrv_transaction_open(struct sql_conn *c)
{
    PGTransactionStatusType t = PQtransactionStatus(pgdrv_lib(c));

    return t == PQTRANS_INTRANS || t == PQTRANS_INERROR;
}

static bool pgdrv_rollback(struct sql_conn *c)
{
    PGresult *r = PQexec(pgdrv_lib(c), "ROLLBACK");
    bool done = PQresultStatus(r) == PGRES_COMMAND_OK;

    PQclear(r);
    return done;
}

/* --- texts --- */

static unsigned pgdrv_lex(struct sql_conn *c)
{
    const char *standard = PQparameterStatus(pgdrv_lib(c), "standard_conforming_strings");

    if (standard && strcmp(standard, "on") == 0)
        return SQL_LEX_PGSQL;
    return SQL_LEX_PGSQL | SQL_LEX_BACKSLASH;
}

/* The library's escaping stops at a NUL byte.  NUL bytes are copied, so that the statement is
 * rejected. */
static void pgdrv_quote(void *conn, struct str *out, const char *bytes, size_t n)
{
    struct sql_conn *c = conn;

    str_add(out, "'", 1);
    while (n > 0) {
        size_t part = strnlen(bytes, n);
        str_room(out, 2 * part + 1); /* the maximum after escaping */
        out->len += PQescapeStringConn(pgdrv_lib(c), out->s + out->len, bytes, part, NULL);
        if (part < n)
            str_add(out, "", 1);
        part += part < n;
        bytes += part;
        n -= part;
    }
    str_add(out, "'", 1);
}

static void pgdrv_wrong_count(struct sql_conn *c)
{
    (void)c;
    log_alert("wrong number of parameters in prepared statement");
}

const struct sql_ops pgdrv_ops = {
    .connect = pgdrv_open_conn,
    .print_connect_error = pgdrv_print_connect_error,
    .disconnect = pgdrv_close_conn,
    .socket = pgdrv_socket_fd,
    .chosen = pgdrv_chosen,
    .query = pgdrv_text_query,
    .next = pgdrv_next,
    .fetch = pgdrv_fetch,
    .free_result = pgdrv_free,
    .transaction_open = pgdrv_transaction_open,
    .rollback = pgdrv_rollback,
    .lex = pgdrv_lex,
    .quote = pgdrv_quote,
    .prepare = pgdrv_prepare,
    .bind = pgdrv_bind,
    .execute = pgdrv_execute,
    .close = pgdrv_close_stmt,
    .load = pgdrv_load,
    .wrong_count = pgdrv_wrong_count,
};
