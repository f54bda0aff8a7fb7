/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: whose call is it?  ffi.C functions (exports.h) carry no context, so the
 * calling thread has a current one: the client (or the main state, a report state, a command's
 * thread) whose Lua state is running. One pointer holds it; who enters a Lua state sets it and
 * restores the previous one.  It is fiber_local (fiber/fiber.h): a thread's own, and where a worker
 * carries many clients, switched with the client.  Never keep a copy.
 */
#ifndef SB_SCRIPT_CONTEXT_H
#define SB_SCRIPT_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/dist.h"
#include "base/rng.h"
#include "base/uniq.h"
#include "fiber/fiber.h"
#include "engine/client.h"
#include "sql/sql.h"
#include "stats/counters.h"

/* What script_on_connect and script_marks (script.h) have named. */
struct script_listener {
    void (*connected)(void *arg, int fd, int server); /* on the connecting thread */
    void *arg;
    struct marks *marks; /* NULL: marks go nowhere */
};

/* Counters of the clients of a run by tid, for sb_counter_val; an entry is NULL until its client
 * opens. */
struct script_peers {
    size_t n;
    struct counters *_Atomic *counters;
};

/* How far the event of the client's loop is. */
enum script_event { EVENT_NONE, EVENT_GRANTED, EVENT_BEGUN };

struct script_context {
    int tid;
    enum script_event event;
    bool again;            /* the event begun is being tried again */
    struct client *client; /* NULL outside a run */
    struct rng *rng;
    const struct dist_params *dist;
    struct uniq *uniq;                      /* shared by the process */
    struct counters *counters;              /* of this context alone */
    const struct script_peers *peers;       /* NULL outside a run */
    struct progress *progress;              /* shared by the states of one script */
    const struct script_listener *listener; /* who is told of connections and marks; NULL: nobody */
    struct sql_host host;                   /* what the SQL floor gets to know about us */
    sql_connection **connection;            /* all that the state has opened and not freed */
    size_t nconnections;
    struct load_hand *load; /* exports_load.c: the tables it loads; NULL: none */
    unsigned lost;          /* connections that were lost and are not back */
    unsigned opened;        /* connections */
    /* where the transactions are done, among several: the one that was opened first */
    const void *main_connection;
    bool closing; /* the Lua state is being closed: finalizers do nothing */
    /* the Lua state is shared with other clients (shared.h); NULL: it is our own */
    struct shared_state *shared;
    struct deferred_stack *deferred; /* there: its deferred calls (shared/deferred.h) */
};

/* NULL: no Lua state is running on this thread (or for this client of it). */
static inline struct script_context *context_get(void)
{
    return fiber_local;
}

/* Makes cx current, returns what was current before. */
struct script_context *context_set(struct script_context *cx);

/* A context outside a run: counters and stream are the caller's. */
void context_init(struct script_context *cx, int tid, struct rng *rng, struct counters *counters);

/* From now on the context is the client's: its tid, stream and counters. */
void context_attach(struct script_context *cx, struct client *client,
                    const struct script_peers *peers);

/* Connections that the state opened, and those that its collector has found lost. */
void context_adopt(struct script_context *cx, sql_connection *con);
/* false: it is not one of them */
bool context_release(struct script_context *cx, sql_connection *con);

/* One of them with results that nobody has read; NULL: none. */
sql_connection *context_unread(const struct script_context *cx);

/* Pulls exports*.o into a program that is linked from a library: scripts find them by name only. */
void exports_link(void);

/* Ends the connections that are left, but their memory stays for Lua objects that point to it. */
void context_hang_up(struct script_context *cx);

/* Its event has failed and another one may follow: gives up the transactions that are open. */
void context_abandon(struct script_context *cx);

/* Frees the connections that are left.  After the Lua state was closed. */
void context_fini(struct script_context *cx);

#endif
