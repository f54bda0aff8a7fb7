/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the outcome of a statement does to its connection (sql_conn.h).  A success counts.  A
 * failure is classified, told to the host, copied into the fields that scripts read, and then ends
 * the transaction or replaces the connection.  Whatever only a failure reaches is out of line.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "sql/sql_conn.h"
#include "sql/sql_stats.h"
#include "sql/sql_words.h"

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

void sql_conn_set_error(struct sql_conn *c, sql_error_t class)
{
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
                                .lost = lost,
                                .server = sql_conn_server(c)};

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

void sql_conn_give_up(struct sql_conn *c)
{
    c->ops->print_connect_error(c);
    sql_conn_set_error(c, DB_ERROR_FATAL);
    counters_add(c->host->counters, CNT_ERROR, 1);
}

static void replace_lost(struct sql_conn *c)
{
    enum error_action action = c->fail.action;

    log_info("connection lost: error %d: %s", c->fail.errnum, c->fail.msg);
    if (c->fail.by_policy && c->fail.class == ERROR_READ_ONLY)
        c->home = c->endpoint + 1; /* this server answers, but another one is the primary now */
    sql_conn_set_error(c, DB_ERROR_IGNORABLE);
    sql_conn_drop(c, SQL_STATE_LOST);
    c->refused = false;
    if (sql_conn_recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        after_error(c, action, false);
    } else if (sql_conn_refused_for_good(c)) {
        sql_conn_give_up(c);
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

SQL_COLD sql_result *sql_conn_failed(struct sql_conn *c, enum sql_outcome v)
{
    c->more = false;
    sql_conn_note_error(c, v == SQL_LOST);
    switch (v) {
    case SQL_LOST:
        if (c->fail.lost || sql_conn_keep_trying(c))
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

SQL_COLD void sql_conn_note_commit(const struct sql_conn *c, const char *text, size_t len)
{
    if (c->fail.lost && c->host->commit_lost && sql_words(text, len).commit)
        c->host->commit_lost(c->host->arg);
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
        sql_conn_failed(c, v);
        if (v == SQL_LOST || v == SQL_FATAL)
            return false;
        sql_conn_clear_error(c);
    }
    return true;
}
