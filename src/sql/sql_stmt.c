/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prepared statements: the calls that scripts make, above the drivers.  A statement outlives the
 * server connection that knows it: whenever it has no handle of the driver, its next execution
 * prepares it first, after a reconnect as with --db-ps-mode=prepare=lazy.  One that the server
 * cannot prepare is emulated: its parameters are written into its text (sql_bind.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "sql/sql.h"
#include "sql/sql_conn.h"
#include "sql/sql_text.h"

static struct sql_stmt *stmt_of(sql_statement *s)
{
    return (struct sql_stmt *)s; /* pub is the first member */
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
    struct sql_template t;

    if ((!c->ps_server || c->mode & DB_NO_PREPARE) && !c->ops->dry) {
        emulate(s);
        return true;
    }
    if (c->ps_lazy && !c->ops->dry) { /* the first execution does, as after a reconnect */
        sql_template_init(&t, s->query, s->query_len, c->ops->lex(c));
        s->nplaceholders = t.nplaceholders;
        sql_template_fini(&t);
        return true;
    }
    enum sql_outcome v = prepare_on_server(s, true);
    if (v == SQL_DONE) {
        if (s->emulated)
            emulate(s);
        return true;
    }
    if (v == SQL_LOST || (v == SQL_IGNORABLE && c->fail.by_policy)) {
        sql_conn_finish(c, v);
    } else {
        sql_conn_note_error(c, false);
        sql_conn_misuse(c);
    }
    return false;
}

sql_statement *sql_prepare(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = (struct sql_conn *)pub;

    if (!sql_conn_begin(c))
        return NULL;
    struct sql_stmt *s = mem_alloc(sizeof *s);
    s->pub.connection = pub;
    s->kind = STMT_KIND_UNKNOWN;
    s->count_as = -1;
    s->conn = c;
    s->query = mem_alloc(len + 1);
    memcpy(s->query, query, len);
    s->query_len = len;
    s->next = c->stmts;
    if (s->next)
        s->next->prev = s;
    c->stmts = s;
    bool prepared = prepare_first(s);
    sql_conn_leave(c);
    if (!prepared) {
        free_statement(s);
        return NULL;
    }
    return &s->pub;
}

int sql_bind_param(sql_statement *pub, const sql_bind *params, size_t n)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    if (n != s->nplaceholders && !c->ops->dry) {
        log_msg(c->ops->wrong_count.level, "%s", c->ops->wrong_count.text);
        return 1;
    }
    free(s->params);
    s->params = mem_array(n, sizeof *params);
    if (n > 0)
        memcpy(s->params, params, n * sizeof *params);
    s->nparams = n;
    if (c->ops->dry)
        s->nplaceholders = n; /* nobody has counted them */
    if (s->handle && c->ops->bind(s)) {
        sql_conn_note_error(c, false);
        sql_conn_set_error(c, DB_ERROR_FATAL);
        return 1;
    }
    return 0;
}

const sql_bind *sql_params(const sql_statement *pub)
{
    return ((const struct sql_stmt *)pub)->params; /* pub is the first member */
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

    sql_stop_preparing(c, 0, NULL);
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

/* Prepares it if need be; false: it cannot be executed, and the script knows why. */
static SQL_COLD bool get_ready(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;

    if (s->closed) {
        log_alert("attempt to use an already closed statement");
        sql_conn_misuse(c);
        return false;
    }
    /* It is not known on the current server connection: that is a new one, or this is its first
     * execution.  The server's count of parameters is the one that holds. */
    if (!s->handle && !s->emulated) {
        enum sql_outcome v = prepare_on_server(s, false);
        if (v == SQL_DONE && s->emulated)
            emulate(s);
        else if (v == SQL_DONE && s->nparams > 0 && s->nparams == s->nplaceholders &&
                 c->ops->bind(s))
            v = SQL_FATAL;
        if (v != SQL_DONE) {
            sql_conn_finish(c, v);
            return false;
        }
    }
    if (s->nparams != s->nplaceholders) {
        log_alert("wrong number of parameters in prepared statement");
        sql_conn_misuse(c);
        return false;
    }
    return true;
}

/* Whatever became of it: DONE if it succeeded in another way. */
static SQL_COLD enum sql_outcome not_executed(struct sql_stmt *s, enum sql_outcome v)
{
    if (s->forgotten && !s->emulated)
        v = forgotten(s, v);
    if (v != SQL_DONE)
        sql_conn_note_commit(s->conn, s->query, s->query_len);
    return v;
}

sql_result *sql_execute(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    if (!sql_conn_begin(c))
        return NULL;
    bool ready = (s->handle || s->emulated) && !s->closed && s->nparams == s->nplaceholders;
    if (!ready && !get_ready(s)) {
        sql_conn_leave(c);
        return NULL;
    }
    c->res.statement = pub;
    if (prefetch_here)
        sql_conn_note_memory(c, s);
    mono_ns began = sql_stats_begin(c);
    if (!s->emulated)
        c->source = s;
    enum sql_outcome v = s->emulated ? execute_emulated(s) : c->ops->execute(s);
    if (v != SQL_DONE)
        v = not_executed(s, v);
    if (began)
        sql_stats_statement(s, began, v);
    if (c->host->by_word && v == SQL_DONE)
        sql_count_by_word(c, s->query, s->query_len);
    if (s->count_as >= 0)
        c->res.counter = (uint32_t)s->count_as;
    return sql_conn_finish(c, v);
}

static void close_on_server(struct sql_stmt *s)
{
    struct sql_conn *c = s->conn;

    if (s->close_talks)
        sql_wait_for_statement(c);
    c->ops->close(s);
    sql_wait_over(c);
}

int sql_close(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;
    bool failed = false;

    if (c->source == s) {
        if (c->more)
            sql_conn_clear_error(c);
        failed = c->state == SQL_STATE_UP && !sql_conn_drain(c);
        c->source = NULL;
    }
    if (s->handle && s->close_talks && c->more) /* those of others are theirs to read */
        c->late = true;
    else if (s->handle)
        close_on_server(s);
    prefetch_forget(s);
    s->closed = true;
    return failed ? -1 : s->emulated ? 1 : 0;
}

void sql_close_late(struct sql_conn *c)
{
    struct sql_stmt *next, *s = c->late ? c->stmts : NULL;

    c->late = false;
    for (; s; s = next) {
        next = s->next;
        if (s->closed && s->handle)
            close_on_server(s);
        if (s->orphan)
            sql_statement_free(&s->pub);
    }
}

void sql_statement_free(sql_statement *pub)
{
    struct sql_stmt *s = stmt_of(pub);
    struct sql_conn *c = s->conn;

    s->orphan =
        c->more && c->state == SQL_STATE_UP && (c->source == s || (s->handle && s->close_talks));
    if (s->orphan) {
        c->late = true; /* sql_close_late() comes back to it */
        return;
    }
    if (!s->closed)
        sql_close(pub);
    if (c->res.statement == pub)
        c->res.statement = NULL;
    free_statement(s);
    if (c->freed)
        sql_conn_release(c);
}
