/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See asks.h: noting a call, and making the one that was noted last.
 */
#include "script/asks.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "script/context.h"
#include "script/exports.h"

enum {
    ASK_CONNECT,
    ASK_DISCONNECT,
    ASK_RECONNECT,
    ASK_UNDO,
    ASK_QUERY,
    ASK_MORE_RESULTS,
    ASK_NEXT_RESULT,
    ASK_PREPARE,
    ASK_BIND,
    ASK_EXECUTE,
    ASK_CLOSE,
    ASK_FETCH,
    ASK_FREE,
    ASK_BULK_INIT,
    ASK_BULK_NEXT,
    ASK_BULK_DONE,
    ASK_MORE_EVENTS,
    ASK_USLEEP,
    ASK_SLEEP,
    ASK_NANOSLEEP,
    ASK_POLL
};

static void note(int kind, void *what, const void *text, size_t n)
{
    struct script_context *cx = context_get();

    if (cx)
        cx->ask[cx->asks++ % CONTEXT_ASKS] =
            (struct script_ask){.what = what, .text = text, .n = n, .kind = kind};
}

void sb_ask_connection_create(sql_driver *driver)
{
    note(ASK_CONNECT, driver, NULL, 0);
}

void sb_ask_connection_close(sql_connection *con)
{
    note(ASK_DISCONNECT, con, NULL, 0);
}

void sb_ask_connection_reconnect(sql_connection *con)
{
    note(ASK_RECONNECT, con, NULL, 0);
}

void sb_ask_undo(sql_connection *con)
{
    note(ASK_UNDO, con, NULL, 0);
}

void sb_ask_query(sql_connection *con, const char *query, size_t len)
{
    note(ASK_QUERY, con, query, len);
}

void sb_ask_more_results(sql_connection *con)
{
    note(ASK_MORE_RESULTS, con, NULL, 0);
}

void sb_ask_next_result(sql_connection *con)
{
    note(ASK_NEXT_RESULT, con, NULL, 0);
}

void sb_ask_prepare(sql_connection *con, const char *query, size_t len)
{
    note(ASK_PREPARE, con, query, len);
}

void sb_ask_bind_param(sql_statement *stmt, const sql_bind *params, size_t n)
{
    note(ASK_BIND, stmt, params, n);
}

void sb_ask_execute(sql_statement *stmt)
{
    note(ASK_EXECUTE, stmt, NULL, 0);
}

void sb_ask_close(sql_statement *stmt)
{
    note(ASK_CLOSE, stmt, NULL, 0);
}

void sb_ask_fetch_row(sql_result *rs)
{
    note(ASK_FETCH, rs, NULL, 0);
}

void sb_ask_free_results(sql_result *rs)
{
    note(ASK_FREE, rs, NULL, 0);
}

void sb_ask_bulk_insert_init(sql_connection *con, const char *query, size_t len)
{
    note(ASK_BULK_INIT, con, query, len);
}

void sb_ask_bulk_insert_next(sql_connection *con, const char *row, size_t len)
{
    note(ASK_BULK_NEXT, con, row, len);
}

void sb_ask_bulk_insert_done(sql_connection *con)
{
    note(ASK_BULK_DONE, con, NULL, 0);
}

void sb_ask_more_events(int thread_id)
{
    note(ASK_MORE_EVENTS, NULL, NULL, (size_t)thread_id);
}

void sb_ask_usleep(uint32_t microseconds)
{
    note(ASK_USLEEP, NULL, NULL, microseconds);
}

void sb_ask_sleep(uint32_t seconds)
{
    note(ASK_SLEEP, NULL, NULL, seconds);
}

void sb_ask_nanosleep(const void *want, void *left)
{
    note(ASK_NANOSLEEP, left, want, 0);
}

void sb_ask_poll(void *fds, unsigned long n, int timeout_ms)
{
    note(ASK_POLL, fds, NULL, n);
    if (context_get())
        context_get()->ask[(context_get()->asks - 1) % CONTEXT_ASKS].ms = timeout_ms;
}

/* Lua numbers hold any address: they are exact up to 2^53. */
static double address(const void *p)
{
    return (double)(uintptr_t)p;
}

static double make(const struct script_ask *a)
{
    switch (a->kind) {
    case ASK_CONNECT: return address(db_connection_create(a->what));
    case ASK_DISCONNECT: return db_connection_close(a->what);
    case ASK_RECONNECT: return db_connection_reconnect(a->what);
    case ASK_UNDO: db_undo(a->what); return 0;
    case ASK_QUERY: return address(db_query(a->what, a->text, a->n));
    case ASK_MORE_RESULTS: return db_more_results(a->what);
    case ASK_NEXT_RESULT: return address(db_next_result(a->what));
    case ASK_PREPARE: return address(db_prepare(a->what, a->text, a->n));
    case ASK_BIND: return db_bind_param(a->what, a->text, a->n);
    case ASK_EXECUTE: return address(db_execute(a->what));
    case ASK_CLOSE: return db_close(a->what);
    case ASK_FETCH: return address(db_fetch_row(a->what));
    case ASK_FREE: return db_free_results(a->what);
    case ASK_BULK_INIT: return db_bulk_insert_init(a->what, a->text, a->n);
    case ASK_BULK_NEXT: return db_bulk_insert_next(a->what, a->text, a->n);
    case ASK_BULK_DONE: return db_bulk_insert_done(a->what);
    case ASK_MORE_EVENTS: return sb_more_events((int)a->n);
    case ASK_USLEEP: return usleep((useconds_t)a->n);
    case ASK_SLEEP: return sleep((unsigned)a->n);
    case ASK_NANOSLEEP: return nanosleep(a->text, a->what);
    default: return poll(a->what, a->n, a->ms);
    }
}

/* The connection that it uses; NULL: none. */
static sql_connection *connection_of(const struct script_ask *a)
{
    switch (a->kind) {
    case ASK_DISCONNECT:
    case ASK_RECONNECT:
    case ASK_UNDO:
    case ASK_QUERY:
    case ASK_MORE_RESULTS:
    case ASK_NEXT_RESULT:
    case ASK_PREPARE:
    case ASK_BULK_INIT:
    case ASK_BULK_NEXT:
    case ASK_BULK_DONE: return a->what;
    case ASK_BIND:
    case ASK_EXECUTE:
    case ASK_CLOSE: return ((const sql_statement *)a->what)->connection;
    case ASK_FETCH:
    case ASK_FREE: return a->what ? sql_result_connection(a->what) : NULL;
    default: return NULL;
    }
}

/* What a call returns that could not be made. */
static double refused(const struct script_ask *a)
{
    log_alert("attempt to use a connection that is waiting for an answer");
    switch (a->kind) {
    case ASK_DISCONNECT:
    case ASK_RECONNECT: return -1;
    case ASK_BIND:
    case ASK_FREE:
    case ASK_BULK_INIT:
    case ASK_BULK_NEXT:
    case ASK_BULK_DONE: return 1;
    default: return 0;
    }
}

double asks_make(struct script_context *cx)
{
    struct script_context *owner;
    sql_connection *con, *old;
    struct script_ask a;
    double answer;

    if (cx->asks == 0)
        return 0; /* a script that calls wait() by itself */
    a = cx->ask[--cx->asks % CONTEXT_ASKS];
    con = connection_of(&a);
    if (!con)
        return make(&a);
    owner = sql_connection_owner(con);
    if (owner->closing)
        return 0; /* a finalizer of a client that has left */
    if (owner->in_use == con)
        return refused(
            &a); /* a finalizer or a hook of one client, run by another while the first one waits */
    old = owner->in_use;
    owner->in_use = con;
    answer = make(&a);
    owner->in_use = old;
    return answer;
}
