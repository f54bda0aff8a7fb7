/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The calls that scripts make on connections: plain queries, result rows, bulk inserts, and what a
 * script changes of its handles.  Each has three steps: check the state of the handle
 * (sql_conn_begin), call the driver, process the outcome (sql_conn_finish).  The state machine is
 * in sql_conn.c, prepared statements are in sql_stmt.c.
 */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "fiber/sched.h"
#include "sql/sql_bind.h"
#include "sql/sql_conn.h"
#include "sql/sql_text.h"

static struct sql_conn *conn_of(sql_connection *c)
{
    return (struct sql_conn *)c; /* pub is the first member */
}

/* --- connections --- */

sql_connection *sql_connect(sql_driver *d, const struct sql_host *host)
{
    struct sql_conn *c = sql_conn_new((struct sql_driver_slot *)d, host);

    if (sql_conn_first(c) != SQL_DONE) {
        c->ops->print_connect_error(c);
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

    sql_conn_clear_error(c);
    sql_conn_drop(c, SQL_STATE_LOST);
    return sql_conn_replace(c) ? 0 : -1;
}

bool sql_connection_is_up(const sql_connection *pub)
{
    return ((const struct sql_conn *)(const void *)pub)->state == SQL_STATE_UP;
}

uint64_t sql_connection_session(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    return c->ops->session ? c->ops->session(c) : 0;
}

int sql_connection_server(const sql_connection *pub)
{
    return ((const struct sql_conn *)(const void *)pub)->server;
}

void sql_connection_free(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    sql_conn_drop(c, SQL_STATE_CLOSED);
    sql_conn_release(c);
}

/* --- plain queries --- */

void sql_count_by_word(struct sql_conn *c, const char *text, size_t len)
{
    struct sql_keywords w = sql_keywords(text, len);

    c->res.counter = w.counter;
    if (w.commit)
        counters_add(c->host->counters, CNT_COMMIT, 1);
}

sql_result *sql_query(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = conn_of(pub);

    if (!sql_conn_begin(c))
        return NULL;
    c->source = NULL;
    c->res.statement = NULL;
    if (prefetch_here)
        sql_conn_note_memory(c, NULL);
    mono_ns began = sql_stats_begin(c);
    enum sql_outcome v = c->ops->query(c, query, len);
    if (began)
        sql_stats_query(c, query, len, began, v);
    if (c->host->by_word && v == SQL_DONE)
        sql_count_by_word(c, query, len);
    if (v != SQL_DONE)
        sql_conn_note_commit(c, query, len);
    return sql_conn_finish(c, v);
}

sql_result *sql_peek(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = conn_of(pub);
    unsigned mode = c->mode;

    if (c->state != SQL_STATE_UP || !sql_conn_begin(c))
        return NULL;
    c->source = NULL;
    c->res.statement = NULL;
    c->mode |= DB_QUIET;
    struct str text = STR_INIT;
    bool hasty = c->ops->hasty_select && len > 7 && memcmp(query, "SELECT ", 7) == 0;
    str_printf(&text, "%s%s", hasty ? c->ops->hasty_select : "", query + (hasty ? 6 : 0));
    sql_wait_begin(c, WAIT_PEEK);
    if (c->ops->query(c, str_cstr(&text), text.len) == SQL_DONE) {
        c->open = c->res.nfields > 0; /* all rows are here */
        if (c->ops->transaction_open(c))
            c->ops->rollback(c);
    } else if (c->fail.given_up || c->fail.class == ERROR_LOCK_WAIT ||
               c->fail.class == ERROR_CANCELLED) {
        sql_conn_set_error(c, DB_ERROR_NONE); /* its text alone is to be read */
        if (c->fail.given_up) /* its answer may still come: the next call replaces it */
            sql_conn_drop(c, SQL_STATE_LOST);
    }
    str_free(&text);
    c->mode = mode;
    sql_conn_leave(c);
    return c->open ? &c->res : NULL;
}

bool sql_more_results(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    return c->state == SQL_STATE_UP && c->more;
}

bool sql_discard_results(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state != SQL_STATE_UP || !c->more)
        return true;
    sql_conn_clear_error(c);
    return sql_conn_drain(c);
}

sql_result *sql_next_result(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state != SQL_STATE_UP) {
        sql_conn_begin(c); /* sets the error, or reconnects */
        sql_conn_leave(c);
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

void sql_rollback(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state == SQL_STATE_UP && c->more)
        sql_conn_drain(c);
    if (c->state == SQL_STATE_UP)
        sql_conn_rollback(c);
}

static _Atomic bool settles;
static _Atomic uint64_t settled;

void sql_settle_ends(bool on)
{
    settles = on;
}

void sql_settle(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (!settles || !c->ops->settle || c->state != SQL_STATE_UP || c->more)
        return;
    sched_limit_waits(clock_mono() + NS_PER_SEC);
    bool done = c->ops->settle(c);
    settled += done && ((const struct sql_driver_slot *)pub->driver)->servers.n < 2;
    sched_limit_waits(0);
}

uint64_t sql_settled(void)
{
    return settled;
}

/* --- results --- */

static struct sql_conn *conn_of_result(sql_result *r)
{
    return (struct sql_conn *)((char *)r - offsetof(struct sql_conn, res));
}

sql_connection *sql_result_connection(sql_result *r)
{
    return &conn_of_result(r)->pub;
}

sql_row *sql_fetch_row(sql_result *r)
{
    struct sql_conn *c = r ? conn_of_result(r) : NULL;

    if (!c || !c->open) {
        log_alert("attempt to fetch row from an invalid result set");
        return NULL;
    }
    if (r->nrows == 0) {
        log_alert("attempt to fetch row from an empty result set");
        return NULL;
    }
    enum sql_outcome v = SQL_DONE;
    if (!c->ops->fetch(c, &v)) {
        if (v != SQL_DONE)
            sql_conn_finish(c, v);
        return NULL;
    }
    const struct sql_stmt *s = (const struct sql_stmt *)r->statement; /* pub is the first member */
    if (s && s->nresults && s->nresults != r->nfields)
        log_alert("%zu result buffers are bound to a statement whose rows have %u columns",
                  s->nresults, (unsigned)r->nfields);
    for (size_t i = 0; s && s->nresults == r->nfields && i < s->nresults; i++)
        sql_bind_store(&s->results[i], r->row.values[i].ptr, r->row.values[i].len);
    return &r->row;
}

int sql_free_results(sql_result *r)
{
    struct sql_conn *c = r ? conn_of_result(r) : NULL;

    if (!c || !c->open) {
        log_alert("attempt to free an invalid result set");
        return 1;
    }
    c->ops->free_result(c);
    c->open = false;
    return 0;
}

int sql_bind_result(sql_statement *pub, const sql_bind *results, size_t n)
{
    struct sql_stmt *s = (struct sql_stmt *)pub;

    if (!s || s->closed || (n > 0 && !results)) {
        log_alert(s && !s->closed ? "no result buffers to bind"
                                  : "attempt to bind results to a closed statement");
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (sql_bind_kind(results[i].type) == SQL_BIND_NULL) {
            log_alert("Unsupported type of result buffer %zu: %d", i + 1, (int)results[i].type);
            return 1;
        }
    }
    free(s->results);
    s->results = n ? mem_array(n, sizeof *results) : NULL;
    if (n)
        memcpy(s->results, results, n * sizeof *results);
    s->nresults = n;
    return 0;
}

/* --- rows of our own: a server that does not take them (or may not: local_infile = 0, a proxy)
 *     refuses before it asks for the first row; that is no failure, the caller has other ways ---
 */

int sql_load(sql_connection *pub, const char *text, size_t len, struct sql_feed *feed,
             uint64_t *rows)
{
    struct sql_conn *c = conn_of(pub);
    unsigned mode = c->mode;

    if (!sql_conn_begin(c))
        return -1;
    if (!c->ops->load || !c->host->loads) {
        sql_conn_leave(c);
        return 1;
    }
    c->source = NULL;
    c->res.statement = NULL;
    feed->begun = false;
    c->mode |= DB_QUIET; /* the driver's lines would quote the statement, which nobody wrote */
    c->feed = feed;
    enum sql_outcome v = c->ops->load(c, text, len, feed);
    c->feed = NULL;
    c->mode = mode;
    if (v != SQL_DONE && !feed->begun && !c->fail.lost) { /* refused before the first row */
        sql_conn_leave(c);
        sql_conn_set_error(c, DB_ERROR_NONE);
        return 1;
    }
    sql_conn_finish(c, v);
    *rows = c->res.nrows;
    return v == SQL_DONE ? 0 : -1;
}

bool sql_runs_again(const sql_connection *pub)
{
    enum error_action action = ((const struct sql_conn *)pub)->reported.action;

    return pub->error == DB_ERROR_IGNORABLE &&
           (action == ACTION_RETRY || action == ACTION_RECONNECT);
}

enum error_class sql_error_class(const sql_connection *pub)
{
    return ((const struct sql_conn *)pub)->reported.class;
}

/* --- bulk insert --- */

/* Length and terminating NUL within the packet, without overflow for absurd lengths. */
static bool fits(size_t have, size_t more)
{
    return more < SQL_BULK_PACKET && have + more < SQL_BULK_PACKET;
}

static int too_long(void)
{
    log_fatal("Query length exceeds the maximum value (%u), aborting", SQL_BULK_PACKET);
    return -1;
}

/* Sends the rows gathered so far, and truncates the text to its prefix. */
static int flush(struct sql_conn *c)
{
    struct sql_bulk *b = &c->bulk;
    bool sends = b->rows > 0;

    if (sends)
        sql_query(&c->pub, b->text.s, b->text.len);
    b->rows = 0;
    b->text.len = b->prefix_len;
    return sends && c->pub.error != DB_ERROR_NONE ? -1 : 0;
}

int sql_bulk_init(sql_connection *pub, const char *prefix, size_t len)
{
    struct sql_bulk *b = &conn_of(pub)->bulk;

    if (sql_bulk_done(pub))
        return -1;
    if (!fits(0, len))
        return too_long();
    str_add(&b->text, prefix, len);
    b->prefix_len = len;
    b->active = true;
    return 0;
}

int sql_bulk_next(sql_connection *pub, const char *row, size_t len)
{
    struct sql_bulk *b = &conn_of(pub)->bulk;

    if (!b->active) {
        log_alert("attempt to call bulk_insert_next() before bulk_insert_init()");
        return -1;
    }
    if (!fits(b->prefix_len, len))
        return too_long();
    if (b->rows > 0 && !fits(b->text.len + 1, len) && flush(conn_of(pub)))
        return -1;
    if (b->rows > 0)
        str_add(&b->text, ",", 1);
    str_add(&b->text, row, len);
    b->rows++;
    return 0;
}

int sql_bulk_done(sql_connection *pub)
{
    struct sql_bulk *b = &conn_of(pub)->bulk;
    int rc = b->active ? flush(conn_of(pub)) : 0;

    str_free(&b->text);
    *b = (struct sql_bulk){0};
    return rc;
}

size_t sql_bulk_unsent(const sql_connection *pub)
{
    return ((const struct sql_conn *)pub)->bulk.rows;
}

/* --- what a script changes of its handles --- */

void sql_set_transaction_mode(sql_connection *c, unsigned mode)
{
    conn_of(c)->mode = mode;
}

void sql_abandon(sql_connection *c)
{
    if (conn_of(c)->mode & DB_KEEP_TRANSACTION)
        sql_rollback(c);
}

void sql_count_as(sql_statement *s, int counter)
{
    ((struct sql_stmt *)s)->count_as = counter;
}
