/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The calls that scripts make.  Each has three steps: check the state of the handle
 * (sql_conn_begin), call the driver, process the outcome (sql_conn_finish).  The state machine is
 * in sql_conn.c, result rows in sql_result.c, bulk inserts in sql_bulk.c, the texts of emulated
 * statements in sql_emulate.c.
 */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "sql/sql_conn.h"
#include "sql/sql_stats.h"
#include "sql/sql_waits.h"
#include "sql/sql_words.h"

static struct sql_conn *conn_of(sql_connection *c)
{
    return (struct sql_conn *)c; /* pub is the first member */
}

static struct sql_stmt *stmt_of(sql_statement *s)
{
    return (struct sql_stmt *)s; /* likewise */
}

/* Notes the memory of ours that a statement uses, to prefetch it at the client's next turn
 * (base/prefetch.h). */
static void note_memory(struct sql_conn *c, struct sql_stmt *s)
{
    struct prefetch_list *l;

    if (!prefetch_here)
        return;
    if ((l = prefetch_for(PREFETCH_OF_CONNECTION, c)))
        prefetch_add(l, c, offsetof(struct sql_conn, endpoint));
    if (s && (l = prefetch_for(PREFETCH_OF_STATEMENT, s))) {
        prefetch_add(l, s, offsetof(struct sql_stmt, template));
        prefetch_add(l, s->handle, CACHE_LINE); /* the driver's record; NULL when emulated */
    }
}

/* --- connections --- */

sql_connection *sql_connect(sql_driver *d, const struct sql_host *host)
{
    struct sql_conn *c = sql_conn_new((struct sql_driver_slot *)d, host);

    if (sql_conn_first(c) != SQL_DONE) {
        c->ops->print_connect_error(c);
        if (!host->auxiliary)
            sql_note_failure(c);
        sql_conn_release(c);
        return NULL;
    }
    return &c->pub;
}

void *sql_connection_owner(const sql_connection *pub)
{
    return ((const struct sql_conn *)pub)->host->arg;
}

int sql_disconnect(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    sql_conn_clear_error(c);
    if (c->state == SQL_STATE_CLOSED)
        log_alert("attempt to close an already closed connection");
    sql_conn_drop(c, SQL_STATE_CLOSED);
    return 0;
}

void sql_hang_up(sql_connection *pub)
{
    sql_conn_drop(conn_of(pub), SQL_STATE_CLOSED);
}

int sql_reconnect(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);
    enum sql_outcome v;

    sql_conn_clear_error(c);
    sql_conn_drop(c, SQL_STATE_LOST);
    v = sql_conn_open(c, true);
    if (v == SQL_DONE || (v == SQL_IGNORABLE && sql_conn_recover(c))) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        return 0;
    }
    c->ops->print_connect_error(c);
    sql_conn_set_error(c, DB_ERROR_FATAL);
    return -1;
}

bool sql_connection_is_up(const sql_connection *pub)
{
    return ((const struct sql_conn *)(const void *)pub)->state == SQL_STATE_UP;
}

void sql_connection_free(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    sql_conn_drop(c, SQL_STATE_CLOSED);
    sql_conn_release(c);
}

/* --- plain queries --- */

/* A statement failed.  If it was a COMMIT whose answer was lost with the connection, nobody knows
 * what the server did. */
static void note_commit(const struct sql_conn *c, const char *text, size_t len)
{
    if (c->fail.lost && c->host->commit_lost && sql_words(text, len).commit)
        c->host->commit_lost(c->host->arg);
}

sql_result *sql_query(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = conn_of(pub);
    enum sql_outcome v;
    mono_ns began;

    if (!sql_conn_begin(c))
        return NULL;
    c->source = NULL;
    c->res.statement = NULL;
    note_memory(c, NULL);
    began = sql_stats_begin(c);
    v = c->ops->query(c, query, len);
    sql_stats_query(c, query, len, began, v);
    if (c->host->by_word && v == SQL_DONE)
        sql_count_by_word(c, query, len);
    if (v != SQL_DONE)
        note_commit(c, query, len);
    return sql_conn_finish(c, v);
}

bool sql_more_results(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    return c->state == SQL_STATE_UP && c->more;
}

sql_result *sql_next_result(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state != SQL_STATE_UP) {
        sql_conn_begin(c); /* sets the error, or reconnects */
        return NULL;
    }
    sql_conn_clear_error(c);
    if (!c->more)
        return NULL;
    if (c->open)
        c->ops->free_result(c);
    c->open = false;
    sql_wait_for_statement(c);
    return sql_conn_finish(c, c->ops->next(c));
}

/* --- statements --- */

static void link_statement(struct sql_conn *c, struct sql_stmt *s)
{
    s->next = c->stmts;
    if (s->next)
        s->next->prev = s;
    c->stmts = s;
}

static void free_statement(struct sql_stmt *s)
{
    if (s->prev)
        s->prev->next = s->next;
    else
        s->conn->stmts = s->next;
    if (s->next)
        s->next->prev = s->prev;
    free(s->query);
    free(s->params);
    free(s->results);
    sql_template_fini(&s->template);
    str_free(&s->text);
    free(s);
}

static void emulate(struct sql_stmt *s)
{
    sql_template_init(&s->template, s->query, s->query_len, s->conn->ops->lex(s->conn));
    s->nplaceholders = s->template.nplaceholders;
    s->emulated = true;
}

static enum sql_outcome prepare_on_server(struct sql_stmt *s, bool first)
{
    mono_ns began = sql_stats_begin(s->conn);
    enum sql_outcome v = s->conn->ops->prepare(s, first);

    sql_stats_fixed(s->conn, STMT_KIND_PREPARE, began, v);
    return v;
}

/* A prepare by the script: a failure is misuse (no SQLSTATE), unless the connection was lost. */
static bool prepare_first(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;
    enum sql_outcome v;

    if ((!c->ps_server || c->manners & DB_NO_PREPARE) && !c->ops->dry) {
        emulate(s);
        return true;
    }
    v = prepare_on_server(s, true);
    if (v == SQL_DONE) {
        if (s->emulated)
            emulate(s);
        return true;
    }
    if (v == SQL_LOST || (v == SQL_IGNORABLE && c->fail.by_policy)) {
        sql_conn_finish(c, v);
    } else {
        sql_conn_note_error(c, false);
        sql_note_failure(c);
        sql_conn_misuse(c);
    }
    return false;
}

sql_statement *sql_prepare(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = conn_of(pub);
    struct sql_stmt *s;
    bool prepared;

    if (!sql_conn_begin(c))
        return NULL;
    s = mem_alloc(sizeof *s);
    s->pub.connection = pub;
    s->kind = STMT_KIND_UNKNOWN;
    s->count_as = -1;
    s->conn = c;
    s->query = mem_alloc(len + 1);
    memcpy(s->query, query, len);
    s->query_len = len;
    link_statement(c, s);
    prepared = prepare_first(s);
    sql_wait_over(c);
    if (!prepared) {
        free_statement(s);
        return NULL;
    }
    return &s->pub;
}

/* Prepares a statement again that is not known on the current server connection. */
static enum sql_outcome prepare_again(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;
    enum sql_outcome v;

    if (s->handle || s->emulated)
        return SQL_DONE;
    v = prepare_on_server(s, false);
    if (v != SQL_DONE)
        return v;
    if (s->emulated)
        emulate(s);
    else if (s->nparams > 0 && c->ops->bind(s))
        return SQL_FATAL;
    return SQL_DONE;
}

int sql_bind_param(sql_statement *pub, const sql_bind *params, size_t n)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    if (n != s->nplaceholders && !c->ops->dry) {
        c->ops->wrong_count(c);
        return 1;
    }
    free(s->params);
    s->params = mem_array(n, sizeof *params);
    if (n > 0)
        memcpy(s->params, params, n * sizeof *params);
    s->nparams = n;
    if (s->handle && c->ops->bind(s)) {
        sql_conn_note_error(c, false);
        sql_conn_set_error(c, DB_ERROR_FATAL);
        return 1;
    }
    return 0;
}

static enum sql_outcome execute_emulated(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;

    sql_template_expand(&s->template, s->params, c->ops->quote, c, &s->text);
    c->source = NULL; /* to the server it is plain text */
    return c->ops->query(c, str_cstr(&s->text), s->text.len);
}

/* Behind a pooler, the next transaction may be on another connection of the server, which knows
 * none of our statements.  Outside of a transaction nothing is lost; else the script is to run it
 * again. */
static enum sql_outcome forgotten(struct sql_stmt *s, enum sql_outcome v)
{
    struct sql_conn *c = s->conn;

    sql_stop_preparing_pooled(c);
    c->source = NULL;
    for (struct sql_stmt *o = c->stmts; o; o = o->next) {
        if (o->closed || o->emulated)
            continue;
        if (o->handle)
            c->ops->close(o);
        emulate(o);
    }
    if (!c->ops->transaction_open(c))
        return execute_emulated(s);
    c->fail.action = ACTION_RETRY;
    return v;
}

sql_result *sql_execute(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;
    enum sql_outcome v;
    mono_ns began;

    if (!sql_conn_begin(c))
        return NULL;
    if (s->closed) {
        log_alert("attempt to use an already closed statement");
        sql_conn_misuse(c);
        return NULL;
    }
    v = prepare_again(s);
    if (v != SQL_DONE)
        return sql_conn_finish(c, v);
    if (s->nparams != s->nplaceholders && !c->ops->dry) {
        log_alert("wrong number of parameters in prepared statement");
        sql_conn_misuse(c);
        return NULL;
    }
    c->res.statement = pub;
    note_memory(c, s);
    began = sql_stats_begin(c);
    if (!s->emulated)
        c->source = s;
    v = s->emulated ? execute_emulated(s) : c->ops->execute(s);
    if (v != SQL_DONE && s->forgotten && !s->emulated)
        v = forgotten(s, v);
    sql_stats_statement(s, began, v);
    if (c->host->by_word && v == SQL_DONE)
        sql_count_by_word(c, s->query, s->query_len);
    if (s->count_as >= 0)
        c->res.counter = (uint32_t)s->count_as;
    if (v != SQL_DONE)
        note_commit(c, s->query, s->query_len);
    return sql_conn_finish(c, v);
}

void sql_rollback(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state == SQL_STATE_UP)
        sql_conn_rollback(c);
}

int sql_close(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    if (c->source == s) {
        if (c->state == SQL_STATE_UP)
            sql_conn_drain(c);
        c->source = NULL;
    }
    if (s->handle)
        c->ops->close(s);
    prefetch_forget(s);
    s->closed = true;
    return s->emulated ? 1 : 0;
}

void sql_statement_free(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    if (!s->closed)
        sql_close(pub);
    if (c->res.statement == pub)
        c->res.statement = NULL;
    free_statement(s);
    if (c->freed)
        sql_conn_release(c);
}

/* --- bulk insert --- */

static int send_bulk(void *arg, const char *text, size_t len)
{
    struct sql_conn *c = arg;

    sql_query(&c->pub, text, len);
    return c->pub.error == DB_ERROR_NONE ? 0 : -1;
}

int sql_bulk_init(sql_connection *pub, const char *prefix, size_t len)
{
    struct sql_conn *c = conn_of(pub);

    return sql_bulk_begin(&c->bulk, prefix, len, send_bulk, c);
}

int sql_bulk_next(sql_connection *pub, const char *row, size_t len)
{
    struct sql_conn *c = conn_of(pub);

    return sql_bulk_add(&c->bulk, row, len, send_bulk, c);
}

int sql_bulk_done(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    return sql_bulk_end(&c->bulk, send_bulk, c);
}
