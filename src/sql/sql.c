/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The calls that scripts make on connections, and plain queries.  Each has three steps: check the
 * state of the handle (sql_conn_begin), call the driver, process the outcome (sql_conn_finish). The
 * state machine is in sql_conn.c, what an outcome leads to in sql_outcome.c, prepared statements in
 * sql_stmt.c, result rows in sql_result.c, bulk inserts in sql_bulk.c.
 */
#include "sql/sql.h"

#include "base/log.h"
#include "base/prefetch.h"
#include "sql/sql_conn.h"
#include "sql/sql_stats.h"
#include "sql/sql_words.h"

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

sql_result *sql_query(sql_connection *pub, const char *query, size_t len)
{
    struct sql_conn *c = conn_of(pub);
    enum sql_outcome v;
    mono_ns began;

    if (!sql_conn_begin(c))
        return NULL;
    c->source = NULL;
    c->res.statement = NULL;
    if (prefetch_here)
        sql_conn_note_memory(c, NULL);
    began = sql_stats_begin(c);
    v = c->ops->query(c, query, len);
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
    unsigned manners = c->manners;

    if (c->state != SQL_STATE_UP || !sql_conn_begin(c))
        return NULL;
    c->source = NULL;
    c->res.statement = NULL;
    c->manners |= DB_QUIET;
    if (c->ops->query(c, query, len) == SQL_DONE) {
        c->open = c->res.nfields > 0; /* all rows are here */
        if (c->ops->transaction_open(c))
            c->ops->rollback(c);
    } else if (c->fail.timed_out) {
        sql_conn_drop(c, SQL_STATE_LOST); /* its answer may still come: the next call replaces it */
    }
    c->manners = manners;
    sql_wait_over(c);
    return c->open ? &c->res : NULL;
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

void sql_rollback(sql_connection *pub)
{
    struct sql_conn *c = conn_of(pub);

    if (c->state == SQL_STATE_UP)
        sql_conn_rollback(c);
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

size_t sql_bulk_unsent(const sql_connection *pub)
{
    return ((const struct sql_conn *)pub)->bulk.rows;
}
