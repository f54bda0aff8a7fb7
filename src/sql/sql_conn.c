/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_conn.h.
 *
 * backoff_note: a successful reconnect does not clear c->backoff, the first successful statement
 * does.  So a server that accepts connections and then drops them is not flooded either.
 *
 * The host waits (pause, keep_trying), because it knows when the run ends and what runs the client.
 * Attempts are not logged below --verbosity=5, because programs parse stdout.
 */
#include "sql/sql_conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "sql/sql_stats.h"
#include "sql/sql_waits.h"

#define BACKOFF_FIRST NS_PER_MS
#define BACKOFF_LAST  NS_PER_SEC
/* If the listen queue is full for longer than this, the server does not accept connections. */
#define BUSY_PATIENCE (30 * NS_PER_SEC)

/* ER_QUERY_TIMEOUT of MySQL and query_canceled of PostgreSQL, which has no numbers. */
#define TIMED_OUT_ERRNO 3024
#define TIMED_OUT_STATE "57014"

void sql_fail(struct sql_conn *c, int errnum, const char *state, const char *msg)
{
    char text[160];
    const char *why = sql_wait_failed(c, text, sizeof text);

    c->fail.timed_out = why != NULL;
    if (why && c->waiting == WAIT_STATEMENT) {
        state = errnum ? "HY000" : TIMED_OUT_STATE;
        errnum = errnum ? TIMED_OUT_ERRNO : 0;
    }
    msg = why ? why : msg;
    c->fail.errnum = errnum;
    c->fail.action = ACTION_FATAL; /* until sql_decide() says otherwise */
    c->fail.by_policy = c->fail.lost = false;
    c->fail.class = error_class_of(errnum, state, msg);
    snprintf(c->fail.state, sizeof c->fail.state, "%s", state ? state : "");
    snprintf(c->fail.msg, sizeof c->fail.msg, "%s", msg ? msg : "");
}

static enum error_action listed_action(enum sql_outcome listed)
{
    switch (listed) {
    case SQL_LOST: return ACTION_RECONNECT;
    case SQL_IGNORABLE: return ACTION_RETRY;
    default: return ACTION_FATAL;
    }
}

enum sql_outcome sql_decide(struct sql_conn *c, enum sql_outcome listed, bool lost)
{
    struct sql_failure *f = &c->fail;

    f->action = c->policy ? (enum error_action)c->policy->action[f->class] : ACTION_LISTED;
    f->by_policy = f->action != ACTION_LISTED;
    if (f->timed_out) {
        lost = true; /* its answer may still come, so nothing else can be done with it */
        listed = listed == SQL_IGNORABLE ? SQL_LOST : listed;
    }
    f->lost = lost;
    switch (f->action) {
    case ACTION_FATAL: return SQL_FATAL;
    case ACTION_RECONNECT: return SQL_LOST;
    case ACTION_RETRY:
    case ACTION_FAIL: return lost ? SQL_LOST : SQL_IGNORABLE;
    default: f->action = listed_action(listed); return listed;
    }
}

void sql_row_reserve(struct sql_conn *c, size_t n)
{
    if (n > c->nvalues) {
        c->values = mem_grow(c->values, n, sizeof *c->values);
        c->nvalues = n;
    }
    c->res.row.values = c->values;
}

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host)
{
    struct sql_conn *c = mem_alloc(sizeof *c);

    c->pub.driver = &d->pub;
    c->ops = d->ops;
    c->cfg = d->cfg;
    c->policy = &d->policy;
    c->limits = &d->limits;
    c->ps_server = d->ps_server;
    c->host = host;
    c->state = SQL_STATE_CLOSED;
    c->endpoint = SQL_NO_ENDPOINT;
    c->kind = STMT_KIND_UNKNOWN;
    rng_seed_pair(&c->rng, (uint64_t)sql_now(c), (uint64_t)(uintptr_t)c);
    return c;
}

void sql_conn_release(struct sql_conn *c)
{
    c->freed = true;
    if (c->stmts)
        return;
    sql_bulk_drop(&c->bulk);
    str_free(&c->digest);
    str_free(&c->stmt_name);
    free(c->values);
    free(c);
}

static bool keep_trying(const struct sql_conn *c)
{
    return !c->host->keep_trying || c->host->keep_trying(c->host->arg);
}

/* Waits between half and all of c->backoff, then doubles it. */
static void back_off(struct sql_conn *c)
{
    _Atomic uint32_t never = 0;
    dur_ns half, d;

    if (c->backoff == 0)
        c->backoff = BACKOFF_FIRST;
    half = c->backoff / 2;
    d = half + (dur_ns)(rng_double(&c->rng) * (double)half);
    if (c->host->pause)
        c->host->pause(c->host->arg, d);
    else
        clock_sleep_until(clock_mono() + d, &never, 0);
    c->backoff = c->backoff * 2 < BACKOFF_LAST ? c->backoff * 2 : BACKOFF_LAST;
}

static enum sql_outcome try_connect(struct sql_conn *c, bool again)
{
    enum sql_outcome v;
    mono_ns began;

    if (c->host->connecting && !c->host->connecting(c->host->arg, true, -1)) {
        sql_fail(c, 0, NULL,
                 keep_trying(c) ? "this process may open no more descriptors (ulimit -n)"
                                : "the run ended before the connection was made");
        return SQL_FATAL;
    }
    began = sql_stats_begin(c);
    sql_wait_begin(c, again ? WAIT_RECONNECT : WAIT_CONNECT);
    v = c->ops->connect(c, again);
    sql_wait_over(c);
    sql_stats_fixed(c, STMT_KIND_CONNECT, began, v);
    if (c->host->connecting)
        c->host->connecting(c->host->arg, false, v == SQL_DONE ? c->ops->socket(c) : -1);
    if (v == SQL_DONE) {
        c->state = SQL_STATE_UP;
        if (c->host->connected)
            c->host->connected(c->host->arg, c->ops->socket(c));
    } else if (v != SQL_BUSY) {
        sql_conn_note_error(c, false);
    }
    return v;
}

enum sql_outcome sql_conn_open(struct sql_conn *c, bool again)
{
    mono_ns give_up = sql_now(c) + BUSY_PATIENCE;
    enum sql_outcome v = try_connect(c, again);

    while (v == SQL_BUSY && sql_now(c) < give_up && keep_trying(c)) {
        back_off(c);
        v = try_connect(c, again);
    }
    return v;
}

enum sql_outcome sql_conn_first(struct sql_conn *c)
{
    enum sql_outcome v = sql_conn_open(c, false);

    while (v != SQL_DONE && c->host->refused && c->host->refused(c->host->arg, c->fail.errnum)) {
        back_off(c);
        v = sql_conn_open(c, false);
    }
    return v;
}

void sql_conn_drop(struct sql_conn *c, enum sql_state state)
{
    if (c->state == SQL_STATE_UP) {
        if (c->open)
            c->ops->free_result(c);
        for (struct sql_stmt *s = c->stmts; s; s = s->next) {
            if (s->handle)
                c->ops->close(s);
            prefetch_forget(s);
        }
        c->ops->disconnect(c);
        prefetch_forget(c);
    }
    c->open = c->more = false;
    c->source = NULL;
    c->state = state;
}

/* The last attempt to connect met an error that --on-error makes fatal. */
static bool refused_for_good(const struct sql_conn *c)
{
    return c->fail.by_policy && c->fail.action == ACTION_FATAL;
}

bool sql_conn_recover(struct sql_conn *c)
{
    mono_ns lost = sql_now(c), began;

    log_debug("Reconnecting");
    for (;;) {
        if (c->backoff > 0 && keep_trying(c))
            back_off(c); /* see backoff_note */
        sql_wait_for_turn(c);
        if (!keep_trying(c))
            return false;
        began = sql_now(c);
        if (try_connect(c, true) == SQL_DONE)
            break;
        log_debug("Reconnect failed: error %d: %s", c->fail.errnum, c->fail.msg);
        if (c->endpoint != SQL_NO_ENDPOINT)
            c->endpoint++; /* the next server of the list */
        c->refused = c->refused || keep_trying(c);
        if (refused_for_good(c))
            return false;
        if (c->backoff == 0)
            c->backoff = BACKOFF_FIRST;
    }
    if (c->backoff == 0)
        c->backoff = BACKOFF_FIRST;
    if (c->host->reconnected)
        c->host->reconnected(c->host->arg, sql_now(c) - began, sql_now(c) - lost);
    log_debug("Reconnected");
    return true;
}

void sql_conn_clear_error(struct sql_conn *c)
{
    c->pub.error = DB_ERROR_NONE;
    c->pub.sql_errno = 0;
    c->pub.sql_state = NULL;
    c->pub.sql_errmsg = NULL;
}

void sql_conn_set_error(struct sql_conn *c, sql_error_t class)
{
    if (class == DB_ERROR_FATAL && !c->host->auxiliary)
        sql_note_failure(c);
    c->reported = c->fail;
    c->pub.error = class;
    c->pub.sql_errno = c->reported.errnum;
    c->pub.sql_state = c->reported.state;
    c->pub.sql_errmsg = c->reported.msg;
}

void sql_conn_note_error(struct sql_conn *c, bool lost)
{
    const struct sql_failure *f = &c->fail;
    const struct sql_error e = {.errnum = f->errnum,
                                .state = f->state,
                                .text = f->msg,
                                .class = f->class,
                                .action = f->action,
                                .lost = lost};

    if (c->host->error)
        c->host->error(c->host->arg, &e);
}

void sql_conn_misuse(struct sql_conn *c)
{
    sql_conn_clear_error(c);
    c->pub.error = DB_ERROR_FATAL;
}

static void after_error(struct sql_conn *c, enum error_action action, bool holds)
{
    if (c->host->after_error)
        c->host->after_error(c->host->arg, action, holds);
}

/* --on-error forbids to go on without this connection. */
static void give_up(struct sql_conn *c)
{
    c->ops->print_connect_error(c);
    sql_conn_set_error(c, DB_ERROR_FATAL);
    counters_add(c->host->counters, CNT_ERROR, 1);
}

static void replace_lost(struct sql_conn *c)
{
    enum error_action action = c->fail.action;

    log_info("connection lost: error %d: %s", c->fail.errnum, c->fail.msg);
    if (c->fail.by_policy && c->fail.class == ERROR_READ_ONLY && c->endpoint != SQL_NO_ENDPOINT)
        c->endpoint++; /* this server answers, but another one is the primary now */
    sql_conn_set_error(c, DB_ERROR_IGNORABLE);
    sql_conn_drop(c, SQL_STATE_LOST);
    c->refused = false;
    if (sql_conn_recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        after_error(c, action, false);
    } else if (refused_for_good(c)) {
        give_up(c);
    } else {
        /* the run has ended, so the event is not retried; sql_check_recovered() reports all
         * clients' losses in one sentence */
        if (!c->host->auxiliary)
            sql_note_lost(c);
        counters_add(c->host->counters, CNT_ERROR, 1);
    }
}

void sql_conn_rollback(struct sql_conn *c)
{
    mono_ns began;
    bool done;

    if (!c->ops->transaction_open(c))
        return;
    began = sql_stats_begin(c);
    sql_wait_for_statement(c);
    done = c->ops->rollback(c);
    sql_wait_over(c);
    sql_stats_rollback(c, began, done ? SQL_DONE : SQL_FATAL);
}

static void ignore_error(struct sql_conn *c)
{
    /* a transaction that fails is not the script's to go on with */
    bool holds = (c->manners & DB_KEEP_TRANSACTION) && c->fail.action != ACTION_FAIL;

    log_debug("Ignoring error %d %s, ", c->fail.errnum, c->fail.msg);
    sql_conn_set_error(c, DB_ERROR_IGNORABLE);
    counters_add(c->host->counters, CNT_ERROR, 1);
    if (!holds)
        sql_conn_rollback(c);
    after_error(c, c->fail.action, holds);
}

static sql_result *finish_failure(struct sql_conn *c, enum sql_outcome v)
{
    c->more = false;
    sql_conn_note_error(c, v == SQL_LOST);
    switch (v) {
    case SQL_LOST:
        if (c->fail.lost || keep_trying(c))
            replace_lost(c);
        else
            ignore_error(c); /* it works, and the run is over: no reason to replace it */
        break;
    case SQL_IGNORABLE: ignore_error(c); break;
    default:
        sql_conn_set_error(c, DB_ERROR_FATAL);
        counters_add(c->host->counters, CNT_ERROR, 1);
        break;
    }
    return NULL;
}

sql_result *sql_conn_finish(struct sql_conn *c, enum sql_outcome v)
{
    sql_wait_over(c);
    if (v != SQL_DONE)
        return finish_failure(c, v);
    c->backoff = 0;
    counters_add(c->host->counters, (enum counter)c->res.counter, 1);
    c->open = c->res.nfields > 0;
    return c->open ? &c->res : NULL;
}

bool sql_conn_drain(struct sql_conn *c)
{
    if (c->open)
        c->ops->free_result(c);
    c->open = false;
    while (c->more) {
        enum sql_outcome v = c->ops->next(c);
        if (v == SQL_DONE) {
            if (c->res.nfields > 0)
                c->ops->free_result(c);
            continue;
        }
        finish_failure(c, v);
        if (v == SQL_LOST || v == SQL_FATAL)
            return false;
        sql_conn_clear_error(c);
    }
    return true;
}

bool sql_conn_begin(struct sql_conn *c)
{
    sql_conn_clear_error(c);
    if (c->state == SQL_STATE_UP) {
        sql_wait_for_statement(c);
        return !(c->open || c->more) || sql_conn_drain(c);
    }
    if (c->state == SQL_STATE_CLOSED) {
        log_alert("attempt to use an already closed connection");
        sql_conn_misuse(c);
        return false;
    }
    if (sql_conn_recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        sql_wait_for_statement(c);
        return true;
    }
    if (refused_for_good(c)) {
        give_up(c);
        return false;
    }
    sql_conn_set_error(c, DB_ERROR_FATAL);
    counters_add(c->host->counters, CNT_ERROR, 1);
    return false;
}
