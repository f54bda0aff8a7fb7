/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Implements sql_driver.h with libpq: connections, plain queries, prepared statements,
 * COPY. The library waits in poll(2) only.
 *
 * A text of several statements is one call.  As in stock, its result is that of the last statement,
 * and an error in any statement is the call's error.  There are never more results to read.
 *
 * PREPARE needs the types of the parameters, so a statement with parameters is prepared when they
 * are first bound, and one without immediately.  If that is not possible (the statement moved to a
 * new connection, or the connection was lost), the next execute prepares it and returns the
 * outcome.
 *
 * Numbers are sent in binary format, as eight bytes in network order.  So are strings, because only
 * the binary format has a length.  Dates and times are sent as text, and the server infers their
 * type.  Rows are received as text.
 */
#include "sql/drv_pgsql.h"

#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/client_errors.h"
#include "base/mem.h"
#include "base/str.h"
#include "sql/sql.h"
#include "sql/sql_conn.h"

/* OIDs of pg_type, which never change; with 0 the server infers the type. */
enum { TYPE_INFERRED = 0, TYPE_INT8 = 20, TYPE_FLOAT8 = 701, TYPE_VARCHAR = 1043 };

enum { FORMAT_TEXT = 0, FORMAT_BINARY = 1 };

struct pgdrv_stmt {
    char name[PGDRV_NAME]; /* see struct pgdrv_conn */
    bool on_server;        /* prepared */
    bool at_bind;          /* prepared by the script: binding parameters completes it */
    struct str text;       /* with $1, $2, ... */

    /* arguments of PQsendQueryPrepared, nplaceholders each, in the memory behind this struct */
    const char **values;
    struct str *dates; /* NUL-terminated copies */
    char (*wire)[8];   /* numbers in network order */
    Oid *types;
    int *lengths, *formats;
};

/* A statement with n placeholders. */
static size_t size_of_stmt(size_t n)
{
    const struct pgdrv_stmt *ps;

    return sizeof *ps + n * (sizeof *ps->values + sizeof *ps->dates + sizeof *ps->wire +
                             sizeof *ps->types + sizeof *ps->lengths + sizeof *ps->formats);
}

/* --- connections --- */

/* Notices of the server have an SQLSTATE.  Others are libpq's, about messages that it drops because
 * nothing was asked for. */
static void take_notice(void *arg, const PGresult *r)
{
    struct sql_conn *c = arg;

    if (!PQresultErrorField(r, PG_DIAG_SQLSTATE))
        c->astray = true;
}

static enum sql_outcome pgdrv_open_conn(struct sql_conn *c, bool again)
{
    const struct pgdrv_cfg *cfg = c->cfg;
    bool alone = cfg->watches && c->host->auxiliary;
    struct pgdrv_params p;

    /* the lists, from the connection's own host on */
    pgdrv_connect_params(cfg, &(alone ? cfg->alone : cfg->from)[c->endpoint % cfg->nhosts],
                         sql_connect_seconds(c, again), &p);
    PGconn *lib = PQconnectdbParams(p.keyword, p.value, 1);
    if (PQstatus(lib) != CONNECTION_OK) {
        enum sql_outcome v = pgdrv_connect_failed(c, PQerrorMessage(lib));
        PQfinish(lib);
        return v;
    }
    PQsetNoticeReceiver(lib, take_notice, c);
    struct pgdrv_conn *pc = mem_alloc(sizeof *pc);
    pc->lib = lib;
    pc->unsettled = 1; /* the login */
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

static uint64_t pgdrv_session(struct sql_conn *c)
{
    /* a number of 32 bits from a pooler, which may make it up */
    return (uint32_t)PQbackendPID(pgdrv_lib(c));
}

/* What may come unasked: notices, parameters, notifications, and errors, a server's last words,
 * which are for the statement to find.  Under encryption, nobody can tell what lies in the socket.
 */
static enum sql_outcome pgdrv_in_step(struct sql_conn *c)
{
    PGconn *lib = pgdrv_lib(c);
    char kind;

    if (!c->astray && (PQsslInUse(lib) || PQgssEncInUse(lib) ||
                       sched_peek(PQsocket(lib), &kind, 1) == 0 || strchr("NSAE", kind)))
        return SQL_DONE;
    return pgdrv_astray(c, "PQexec");
}

/* --- plain queries and results --- */

/* The text of a statement is about to be sent. */
static PGconn *sends(struct sql_conn *c)
{
    sql_note_sent(c);
    return pgdrv_lib(c);
}

/* Of a result: does it end a transaction?  That of some statements ends as many as it likes. */
static bool note_result(struct sql_conn *c, PGresult *r)
{
    static const char *const many[] = {"CALL",         "DO",         "VACUUM",
                                       "ANALYZE",      "REINDEX",    "CLUSTER",
                                       "CREATE INDEX", "DROP INDEX", "ALTER TABLE"};
    const char *tag = PQcmdStatus(r);

    for (size_t i = 0; c->session && i < COUNT(many); i++)
        c->session->sent += strcmp(tag, many[i]) == 0 ? SQL_SENT_MANY : 0;
    if (c->session && pgdrv_of(c)->results > 1) /* that may end several */
        c->session->sent++;
    return strcmp(tag, "COMMIT") == 0 || strcmp(tag, "ROLLBACK") == 0;
}

/* After an answer: the server has counted a transaction that has ended, and nothing of one that is
 * open, unless it has begun with the end of another (AND CHAIN). */
static void note_end(struct sql_conn *c, bool ends)
{
    PGTransactionStatusType t = PQtransactionStatus(pgdrv_lib(c));

    if (t == PQTRANS_IDLE)
        pgdrv_of(c)->unsettled++;
    else if (c->session && !ends && (t == PQTRANS_INTRANS || t == PQTRANS_INERROR))
        c->session->sent--;
}

/* After a PQsend* call, which returned `sent`: reads all results and returns the last one, or the
 * first error.  NULL: nothing was sent.  The caller owns it.  Like PQexec, except for errors:
 * PQexec returns the last one, which after a message that the server shuts down is only that the
 * connection is closed. */
static PGresult *answer(struct sql_conn *c, int sent)
{
    PGconn *lib = pgdrv_lib(c);
    struct pollfd p = {.fd = PQsocket(lib), .events = POLLIN};
    PGresult *last = NULL, *r;
    bool ends = false;
    PGnotify *n;

    sql_count_answer(c);
    pgdrv_of(c)->results = 0;
    while (sent && !pgdrv_is_copy(PQresultStatus(last)) && (r = PQgetResult(lib)) != NULL) {
        pgdrv_of(c)->results++;
        ends |= note_result(c, r);
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
        /* a failed write, which libpq reports before it has read the server's last message */
        while (PQstatus(lib) == CONNECTION_OK && PQconsumeInput(lib) && poll(&p, 1, 0) > 0)
            ;
    if (sent)
        note_end(c, ends);
    while ((n = PQnotifies(lib)) != NULL) /* of LISTEN, which scripts cannot read */
        PQfreemem(n);
    return last;
}

/* Stores the server's answer, success or failure, and takes ownership of r. */
static enum sql_outcome store_result(struct sql_conn *c, PGresult *r, const char *function,
                                     const char *text, size_t len)
{
    ExecStatusType status = PQresultStatus(r);

    c->res.ptr = NULL;
    if (status == PGRES_TUPLES_OK) {
        c->res.counter = CNT_READ;
        c->res.nfields = (uint32_t)PQnfields(r);
        c->res.nrows = (uint32_t)PQntuples(r);
        pgdrv_of(c)->row = 0;
        if (c->res.nfields > 0)
            c->res.ptr = r;
        else /* SELECT without columns: there is nothing to read */
            PQclear(r);
        return SQL_DONE;
    }
    if (status == PGRES_COMMAND_OK) {
        sql_set_status(c, strtoull(PQcmdTuples(r), NULL, 10)); /* "" is 0 */
        PQclear(r);
        return SQL_DONE;
    }
    if (pgdrv_is_copy(
            status)) { /* else the next statement would end it, and its own result depend on that */
        PQclear(PQexec(pgdrv_lib(c), ""));
        sql_note_sent(c);
    }
    enum sql_outcome v = pgdrv_report_failure(c, r, function, text, len);
    PQclear(r);
    return v;
}

static enum sql_outcome pgdrv_text_query(struct sql_conn *c, const char *text, size_t len)
{
    enum sql_outcome v;

    if (pgdrv_has_nul(c, "PQexec", text, len, &v))
        return v;
    return store_result(c, answer(c, PQsendQuery(sends(c), text)), "PQexec", text, len);
}

static bool pgdrv_fetch(struct sql_conn *c, enum sql_outcome *v)
{
    (void)v; /* libpq has checked the rows */
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
    PGresult *r = answer(c, PQsendQuery(sends(c), "ROLLBACK"));
    bool done = PQresultStatus(r) == PGRES_COMMAND_OK;

    PQclear(r);
    return done;
}

/* Before 15 backends sent their counts, no more than two times a second, and cannot be asked to.  A
 * backend that has read no table since its last report would report nothing, also not that it has
 * committed this statement. */
static bool pgdrv_settle(struct sql_conn *c)
{
    struct pgdrv_conn *pc = pgdrv_of(c);
    PGconn *lib = pc->lib;

    if (PQserverVersion(lib) < 150000 || PQtransactionStatus(lib) != PQTRANS_IDLE)
        return false;
    PGresult *r =
        answer(c, PQsendQuery(sends(c), "SELECT pg_stat_force_next_flush() FROM pg_class LIMIT 1"));
    bool done = PQresultStatus(r) == PGRES_TUPLES_OK;

    if (done && c->session) {
        c->session->answered += pc->unsettled;
        pc->unsettled = 0;
    }

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

/* --- names --- */

static void set_name(struct sql_conn *c, struct pgdrv_stmt *ps, bool first)
{
    struct rng *from = first && c->host->random ? c->host->random : &c->rng;
    int behind = (int)(uint32_t)rng_next(from), before = (int)(uint32_t)rng_next(from);

    snprintf(ps->name, sizeof ps->name, "sbstmt%d%d_%016llx", before, behind,
             (unsigned long long)rng_next(&c->rng));
}

static void queue_deallocate(struct pgdrv_conn *pc, struct pgdrv_stmt *ps)
{
    if (!ps->on_server)
        return;
    ps->on_server = false;
    pc->closed = mem_grow(pc->closed, pc->nclosed + 1, sizeof *pc->closed);
    memcpy(pc->closed[pc->nclosed++], ps->name, sizeof ps->name);
}

static void pgdrv_close_stmt(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;

    queue_deallocate(pgdrv_of(s->conn), ps);
    for (size_t i = 0; i < s->nplaceholders; i++)
        str_free(&ps->dates[i]);
    str_free(&ps->text);
    free(ps);
    s->handle = NULL;
}

/* --- prepare and bind --- */

static bool has_state(const PGresult *r, const char *want)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

    return state && strcmp(state, want) == 0;
}

static PGresult *send_prepare(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;

    return answer(s->conn, PQsendPrepare(sends(s->conn), ps->name, str_cstr(&ps->text),
                                         (int)s->nplaceholders, ps->types));
}

static enum sql_outcome prepare_on_server(struct sql_stmt *s, bool first)
{
    struct pgdrv_stmt *ps = s->handle;
    struct sql_conn *c = s->conn;
    struct pgdrv_conn *pc = pgdrv_of(c);
    enum sql_outcome v = SQL_DONE;

    if (pc->nclosed > 0) { /* if this fails, the prepare fails, too */
        char text[PGDRV_NAME + 16];
        snprintf(text, sizeof text, "DEALLOCATE \"%s\"", pc->closed[--pc->nclosed]);
        PQclear(answer(c, PQsendQuery(sends(c), text)));
    }
    PGresult *r = send_prepare(s);
    /* duplicate_prepared_statement: somebody else's, behind a pooler */
    if (has_state(r, "42P05") && PQtransactionStatus(pgdrv_lib(c)) == PQTRANS_IDLE) {
        PQclear(r);
        set_name(c, ps, false);
        r = send_prepare(s);
    }
    if (PQresultStatus(r) == PGRES_COMMAND_OK) {
        ps->on_server = true;
    } else {
        v = pgdrv_set_failure(c, r);
        if (v == SQL_FATAL || (first && v == SQL_IGNORABLE && !c->fail.by_policy)) {
            client_errors_code(0, c->fail.state);
            log_fatal("PQprepare() failed: %s", pgdrv_message(c, r));
            v = SQL_FATAL;
        }
    }
    PQclear(r);
    return v;
}

static enum sql_outcome pgdrv_prepare(struct sql_stmt *s, bool first)
{
    struct sql_conn *c = s->conn;
    struct sql_template t;
    enum sql_outcome v;

    if (pgdrv_has_nul(c, "PQprepare", s->query, s->query_len, &v))
        return v;
    sql_template_init(&t, s->query, s->query_len, c->ops->lex(c));
    size_t n = s->nplaceholders = t.nplaceholders;
    struct pgdrv_stmt *ps = mem_alloc(size_of_stmt(n));
    sql_template_number(&t, &ps->text);
    sql_template_fini(&t);
    ps->values = (const char **)(ps + 1);
    ps->dates = (struct str *)(ps->values + n);
    ps->wire = (char(*)[8])(ps->dates + n);
    ps->types = (Oid *)(ps->wire + n);
    ps->lengths = (int *)(ps->types + n);
    ps->formats = ps->lengths + n;
    ps->at_bind = first;
    set_name(c, ps, first);
    s->handle = ps;
    if (n > 0)
        return SQL_DONE;
    v = prepare_on_server(s, first);
    if (v != SQL_DONE)
        pgdrv_close_stmt(s);
    return v;
}

static int pgdrv_bind(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;
    bool changed = false;

    for (size_t i = 0; i < s->nparams; i++) {
        sql_bind_type_t bound = s->params[i].type;
        enum sql_bind_kind kind = sql_bind_kind(bound);
        Oid type = bound == SQL_TYPE_CHAR || bound == SQL_TYPE_VARCHAR ? TYPE_VARCHAR
                   : kind == SQL_BIND_INT                              ? TYPE_INT8
                   : kind == SQL_BIND_DOUBLE                           ? TYPE_FLOAT8
                                             : TYPE_INFERRED; /* dates and times */
        changed = changed || type != ps->types[i];
        ps->types[i] = type;
        ps->formats[i] = type == TYPE_INFERRED ? FORMAT_TEXT : FORMAT_BINARY;
    }
    if (ps->on_server && changed) {
        queue_deallocate(pgdrv_of(s->conn), ps);
        set_name(s->conn, ps, false);
    }
    if (ps->on_server || !ps->at_bind)
        return 0;
    return prepare_on_server(s, true) == SQL_FATAL ? -1 : 0;
}

/* --- execute --- */

static enum sql_outcome pgdrv_execute(struct sql_stmt *s)
{
    struct pgdrv_stmt *ps = s->handle;
    struct sql_conn *c = s->conn;
    enum sql_outcome v;
    uint64_t bits;

    if (!ps->on_server && (v = prepare_on_server(s, false)) != SQL_DONE)
        return v;
    for (size_t i = 0; i < s->nparams; i++) {
        const sql_bind *b = &s->params[i];
        if (sql_bind_is_null(b)) {
            ps->values[i] = NULL;
        } else if (ps->types[i] == TYPE_VARCHAR) {
            ps->values[i] = b->buffer;
            ps->lengths[i] = (int)sql_bind_length(b);
        } else if (ps->types[i] == TYPE_INFERRED) {
            str_reset(&ps->dates[i]);
            str_add(&ps->dates[i], b->buffer, sql_bind_length(b));
            ps->values[i] = str_cstr(&ps->dates[i]);
        } else { /* a number, in network order */
            memcpy(&bits, b->buffer, sizeof bits);
            bits = htobe64(bits);
            memcpy(ps->wire[i], &bits, sizeof bits);
            ps->values[i] = ps->wire[i];
            ps->lengths[i] = sizeof ps->wire[i];
        }
    }
    int sent = PQsendQueryPrepared(sends(c), ps->name, (int)s->nparams, ps->values, ps->lengths,
                                   ps->formats, FORMAT_TEXT);
    PGresult *r = answer(c, sent);
    /* invalid_sql_statement_name: of one that the server has prepared */
    if (has_state(r, "26000") && PQstatus(pgdrv_lib(c)) != CONNECTION_BAD) {
        s->forgotten = true;
        pgdrv_set_failure(c, r);
        PQclear(r);
        return SQL_IGNORABLE;
    }
    if (pgdrv_of(c)->results > 1 && PQresultStatus(r) != PGRES_FATAL_ERROR) {
        PQclear(r);
        return pgdrv_astray(c, "PQexecPrepared");
    }
    return store_result(c, r, "PQexecPrepared", NULL, 0);
}

/* --- COPY FROM STDIN, for sql_load() --- */

#define PART (64 * 1024)

static enum sql_outcome pgdrv_load(struct sql_conn *c, const char *text, size_t len,
                                   struct sql_feed *feed)
{
    PGconn *lib = pgdrv_lib(c);
    PGresult *r = answer(c, PQsendQuery(sends(c), text));
    size_t n;

    (void)len;
    if (PQresultStatus(r) == PGRES_COPY_IN) {
        PQclear(r);
        feed->begun = true;
        char *part = mem_alloc(PART);
        while ((n = feed->read(feed->arg, part, PART)) > 0 && PQputCopyData(lib, part, (int)n) == 1)
            ; /* an error of the server ends the sending, and is in the result */
        free(part);
        PQputCopyEnd(lib, NULL);
        r = answer(c, 1);
    }
    return store_result(c, r, "PQexec", NULL, 0);
}

/* --- prefetching --- */

/* libpq's record of a connection (1,128 bytes in PostgreSQL 15, two thirds of which most calls
 * touch), and of the input buffer behind it what holds a short answer. */
#define PGCONN_TOUCHED 1280

static void pgdrv_note(const struct sql_conn *c, const struct sql_stmt *s, struct prefetch_list *l)
{
    if (s) {
        prefetch_add(l, s->handle, size_of_stmt(s->nplaceholders));
        prefetch_add(l, s->params, s->nparams * sizeof *s->params);
    } else {
        prefetch_add(l, c->handle, sizeof(struct pgdrv_conn));
        prefetch_add(l, pgdrv_lib(c), PGCONN_TOUCHED);
    }
}

const struct sql_ops pgdrv_ops = {
    .connect = pgdrv_open_conn,
    .print_connect_error = pgdrv_print_connect_error,
    .disconnect = pgdrv_close_conn,
    .socket = pgdrv_socket_fd,
    .session = pgdrv_session,
    .chosen = pgdrv_chosen,
    .query = pgdrv_text_query,
    .fetch = pgdrv_fetch,
    .free_result = pgdrv_free,
    .hasty_select = "SET LOCAL lock_timeout = 1; SET LOCAL statement_timeout = 250; SELECT",
    .in_step = pgdrv_in_step,
    .transaction_open = pgdrv_transaction_open,
    .rollback = pgdrv_rollback,
    .settle = pgdrv_settle,
    .counts_login = true,
    .lex = pgdrv_lex,
    .quote = pgdrv_quote,
    .prepare = pgdrv_prepare,
    .bind = pgdrv_bind,
    .execute = pgdrv_execute,
    .close = pgdrv_close_stmt,
    .load = pgdrv_load,
    .note = pgdrv_note,
    .wrong_count = {LOG_ALERT, "wrong number of parameters in prepared statement"},
};
