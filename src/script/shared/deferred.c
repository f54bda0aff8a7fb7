/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See deferred.h: recording a call, and making the one that was recorded last.
 */
#include "script/shared/deferred.h"

#include <poll.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "script/context.h"
#include "script/exports.h"

/* A script may declare it itself and call it in a state that is not shared: nothing happens. */
void sb_defer(uintptr_t a, uintptr_t b, uintptr_t c, int function)
{
    struct script_context *cx = context_get();

    if (cx && cx->deferred)
        cx->deferred->call[cx->deferred->depth++ % DEFERRED_DEPTH] =
            (struct deferred_call){function, a, b, c};
}

/* Lua numbers hold any address: they are exact up to 2^53. */
static double address(const void *p)
{
    return (double)(uintptr_t)p;
}

static double make(const struct deferred_call *call)
{
    void *const a = (void *)call->a, *const b = (void *)call->b; /* where they are pointers */
    const size_t c = call->c;

    switch ((enum deferred_function)call->function) {
    case DB_CONNECTION_CREATE: return address(db_connection_create(a));
    case DB_CONNECTION_CLOSE: return db_connection_close(a);
    case DB_CONNECTION_RECONNECT: return db_connection_reconnect(a);
    case DB_UNDO: db_undo(a); return 0;
    case DB_QUERY: return address(db_query(a, b, c));
    case DB_PEEK: return address(db_peek(a, b, c));
    case DB_MORE_RESULTS: return db_more_results(a);
    case DB_NEXT_RESULT: return address(db_next_result(a));
    case DB_DISCARD_RESULTS: return db_discard_results(a);
    case DB_PREPARE: return address(db_prepare(a, b, c));
    case DB_BIND_PARAM: return db_bind_param(a, b, c);
    case DB_EXECUTE: return address(db_execute(a));
    case DB_CLOSE: return db_close(a);
    case DB_FETCH_ROW: return address(db_fetch_row(a));
    case DB_FREE_RESULTS: return db_free_results(a);
    case DB_BULK_INSERT_INIT: return db_bulk_insert_init(a, b, c);
    case DB_BULK_INSERT_NEXT: return db_bulk_insert_next(a, b, c);
    case DB_BULK_INSERT_DONE: return db_bulk_insert_done(a);
    case SB_MORE_EVENTS: return sb_more_events((int)call->a);
    case SB_EVENT_RETRY: return sb_event_retry((int)call->a);
    case USLEEP: return usleep((uint32_t)call->a);
    case SLEEP: return sleep((uint32_t)call->a);
    case NANOSLEEP: return nanosleep(a, b);
    case POLL: return poll(a, call->b, (int)c);
    case DEFERRED_FUNCTIONS: break;
    }
    return 0;
}

/* The connection that the call uses, by its first argument; NULL: none. */
static sql_connection *connection_of(const struct deferred_call *call)
{
    void *const a = (void *)call->a;

    switch (call->function) {
    case DB_BIND_PARAM:
    case DB_EXECUTE:
    case DB_CLOSE: return ((const sql_statement *)a)->connection;
    case DB_FETCH_ROW:
    case DB_FREE_RESULTS: return a ? sql_result_connection(a) : NULL;
    case DB_CONNECTION_CREATE: return NULL;
    default: return call->function < SB_MORE_EVENTS ? a : NULL;
    }
}

/* What is answered when another client is in the middle of a call on that connection. */
static const signed char refused[DEFERRED_FUNCTIONS] = {
    [DB_CONNECTION_CLOSE] = -1, [DB_CONNECTION_RECONNECT] = -1, [DB_DISCARD_RESULTS] = 1,
    [DB_BIND_PARAM] = 1,        [DB_FREE_RESULTS] = 1,          [DB_BULK_INSERT_INIT] = 1,
    [DB_BULK_INSERT_NEXT] = 1,  [DB_BULK_INSERT_DONE] = 1};

double deferred_make(struct deferred_stack *s)
{
    if (s->depth == 0)
        return 0; /* a script that calls wait() itself */
    struct deferred_call call = s->call[--s->depth % DEFERRED_DEPTH];
    sql_connection *con = connection_of(&call);
    if (!con)
        return make(&call);
    struct script_context *owner = sql_connection_owner(con);
    if (owner->closing)
        return 0; /* a finalizer of a client that has left */
    struct deferred_stack *of = owner->deferred;
    if (of->in_use == con) {
        /* a finalizer or a hook of one client, run by another while the first one waits */
        log_alert("attempt to use a connection that is waiting for an answer");
        return refused[call.function];
    }
    sql_connection *old = of->in_use;
    of->in_use = con;
    double answer = make(&call);
    of->in_use = old;
    return answer;
}
