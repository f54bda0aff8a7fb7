/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: the connection state machine: how a connection is opened, lost and
 * re-established, and what the outcome of a statement does to it.
 *
 *     CLOSED --open--> UP --outcome LOST--> LOST --attempt--> UP
 *                                           |  ^  failed: wait 1 ms, 2 ms, ... 1 s, with jitter
 *                                           |  '--'
 *                                           '--> stays LOST once the run has ended
 *
 * Leaving UP closes the server side of all prepared statements; the next execute of each prepares
 * it again.
 *
 * Every statement calls sql_conn_begin() before and sql_conn_finish() after the driver's function.
 * The fast path of both is a handful of loads and stores, which is inlined.  Client's thread only.
 */
#ifndef SB_SQL_SQL_CONN_H
#define SB_SQL_SQL_CONN_H

#include "fiber/sched.h"
#include "sql/sql_driver.h"

/* --- how long a connection waits --- */

/*
 * --connect-timeout and --query-timeout limit one attempt to connect and one statement, from its
 * first byte to its answer; what drops the unread results of a statement has the same limit for all
 * of them.  --max-result-size limits the length of an answer.  --connect-timeout=rate limits how
 * many attempts all clients make a second after losses, so that a server that has just come back is
 * not met by all of them at once.
 *
 *     sql_wait_for(c, WAIT_STATEMENT);
 *     ... the driver's call, whose poll(2) ends at the limit ...
 *     sql_wait_over(c);
 *
 * The client library takes the end of the wait for a lost connection; sql_fail() puts in its place
 * which option it was.
 */

void sql_wait_begin(struct sql_conn *c, enum sql_waiting what);
void sql_wait_end(struct sql_conn *c);

/* Around the calls of a statement: a load and a branch without --query-timeout. */
static inline void sql_wait_for_statement(struct sql_conn *c)
{
    if (c->limits->statement)
        sql_wait_begin(c, WAIT_STATEMENT);
}
static inline void sql_wait_over(struct sql_conn *c)
{
    if (c->waiting || c->counting)
        sql_wait_end(c);
}

/* By a driver, before its library reads an answer: counts its bytes until sql_wait_over(). */
static inline void sql_count_answer(struct sql_conn *c)
{
    if (c->limits->answer && !c->counting) {
        c->counting = true;
        sched_limit_answer(c->limits->answer);
    }
}

/* --- statistics: statements are timed where they are executed, around the driver's call; if they
 * are not timed (host->stmt_stats is NULL), that pointer is tested and no more --- */

#define STMT_KIND_UNKNOWN UINT32_MAX /* not looked up yet */

/* The start time; 0: not timed. */
static inline mono_ns sql_stats_begin(const struct sql_conn *c)
{
    return c->host->stmt_stats ? sql_now(c) : 0;
}

/* Record what has just ended; `began` is the result of sql_stats_begin (0: do nothing). */
void sql_stats_query(struct sql_conn *c, const char *text, size_t len, mono_ns began,
                     enum sql_outcome v);
void sql_stats_statement(struct sql_stmt *s, mono_ns began, enum sql_outcome v);
/* a ROLLBACK of ours, after an error */
void sql_stats_rollback(struct sql_conn *c, mono_ns began, enum sql_outcome v);
void sql_stats_fixed(struct sql_conn *c, unsigned kind, mono_ns began, enum sql_outcome v);

/* --- the state machine --- */

/* What only failures reach: away from the code of a statement that succeeds. */
#define SQL_COLD __attribute__((cold, noinline))

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host);

/* Frees the connection: now, or with its last statement. */
void sql_conn_release(struct sql_conn *c);

/* The first connect, tried again for as long as the host says. */
enum sql_outcome sql_conn_first(struct sql_conn *c);

/* Releases what belongs to the server connection and enters `state` (CLOSED or LOST). */
void sql_conn_drop(struct sql_conn *c, enum sql_state state);

/* The script replaces it: reconnects (LOST to UP), and counts that.  False: the error fields say
 * why, and every statement fails until the script has replaced it. */
bool sql_conn_replace(struct sql_conn *c);

/* The limit of an attempt to connect, or to reconnect, for a client library: in whole seconds, of
 * which it is never less; 0: none. */
unsigned sql_connect_seconds(const struct sql_conn *c, bool again);

/* Rolls back the transaction that the last error left open, if any. */
void sql_conn_rollback(struct sql_conn *c);

/* Copies c->fail into the fields that scripts read. */
void sql_conn_set_error(struct sql_conn *c, sql_error_t class);
/* Tells the host of the failure in c->fail. */
void sql_conn_note_error(struct sql_conn *c, bool lost);
/* Misuse: an error without number, state or message. */
void sql_conn_misuse(struct sql_conn *c);
/* A statement failed.  If it was a COMMIT whose answer was lost with the connection, nobody knows
 * what the server did. */
void sql_conn_note_commit(const struct sql_conn *c, const char *text, size_t len);

/* As 0.4 and 0.5 counted it: after a success, lets c->res.counter name how the statement is
 * counted, and counts the end of a transaction. */
void sql_count_by_word(struct sql_conn *c, const char *text, size_t len);

/* Frees the current result, then reads and drops the rest, within the limit of one statement; false
 * after an error: the error fields say which. */
bool sql_conn_drain(struct sql_conn *c);

/* sql_stmt.c: closes and frees the statements that had to wait for that until no results are
 * unread. */
void sql_close_late(struct sql_conn *c);

/* Notes the memory of ours that a statement uses, to prefetch it at the client's next turn
 * (base/prefetch.h); s NULL: a plain query. */
void sql_conn_note_memory(struct sql_conn *c, struct sql_stmt *s);

static inline void sql_conn_clear_error(struct sql_conn *c)
{
    c->pub.error = DB_ERROR_NONE;
    c->pub.sql_errno = 0;
    c->pub.sql_state = NULL;
    c->pub.sql_errmsg = NULL;
}

bool sql_conn_begin_down(struct sql_conn *c); /* of sql_conn_begin() */
bool sql_conn_in_step(struct sql_conn *c);    /* likewise */

/* For who samples where clients spend their time: between sql_conn_begin() and the end of what
 * sql_conn_finish() does, and while they connect. */
static inline void sql_in_statement(const struct sql_conn *c, bool in)
{
    if (c->host->in_statement)
        atomic_store_explicit(c->host->in_statement, in, memory_order_relaxed);
}

/* Prepares for a statement: clears the error fields, reconnects if LOST, drops earlier results.
 * False: the error fields say why. */
static inline bool sql_conn_begin(struct sql_conn *c)
{
    sql_conn_clear_error(c);
    sql_in_statement(c, true);
    if (c->state != SQL_STATE_UP)
        return sql_conn_begin_down(c);
    if ((c->more || c->late) && !sql_conn_drain(c))
        return false;
    if ((c->waits != sched_waits || c->astray) && !sql_conn_in_step(c))
        return false;
    sql_wait_for_statement(c);
    if (c->open)
        c->ops->free_result(c);
    c->open = false;
    return true;
}

/* Ends what has begun, without an outcome. */
static inline void sql_conn_leave(struct sql_conn *c)
{
    sql_wait_over(c);
    sql_in_statement(c, false);
}

sql_result *sql_conn_failed(struct sql_conn *c, enum sql_outcome v); /* of sql_conn_finish() */

/* Counts the outcome of a statement and returns its result set or NULL.  After a failure it sets
 * the error fields and rolls the transaction back or replaces the connection. */
static inline sql_result *sql_conn_finish(struct sql_conn *c, enum sql_outcome v)
{
    sql_wait_over(c);
    if (v != SQL_DONE)
        return sql_conn_failed(c, v);
    sql_in_statement(c, false);
    c->loss.backoff = 0;
    c->waits = sched_waits;
    counters_add(c->host->counters, (enum counter)c->res.counter, 1);
    c->open = c->res.nfields > 0;
    return c->open ? &c->res : NULL;
}

#endif
