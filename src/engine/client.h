/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One client (one tid) as its workload sees it: take the next planned start, run, record.
 *
 *     while (client_next(c)) {        take a ticket, sleep until its planned start, ask the limits
 *         client_begin(c);            one clock reading: lag = now - planned
 *         ... the transaction ...
 *         client_end(c);              one clock reading: service and response time
 *     }
 *
 * Only the client's own thread, or the worker that runs it, may call these.
 */
#ifndef SB_ENGINE_CLIENT_H
#define SB_ENGINE_CLIENT_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/rng.h"
#include "opt/generation.h"
#include "stats/counters.h"

/* A failure that a client met, whatever follows from it. */
struct client_error {
    int code; /* 0: it has none */
    const char *sqlstate, *text;
    const char *class; /* a constant text */
    bool outage;       /* of the kind that an outage begins with */
    bool lost;         /* a connection of the client is gone */
    int host;          /* where it happened, of the plan's list; -1: there is none */
};

struct client;

/* The client's list in base/prefetch.h. */
enum { PREFETCH_OF_CLIENT = 0 };

bool client_next(struct client *c);
struct stmt_stats_shard *client_begin(struct client *c); /* see client_stmt_stats() */
void client_end(struct client *c);                       /* the transaction is done */
void client_fail(struct client *c); /* it was begun and failed for good: counted as failed */
/* it was begun and its script withdrew: not counted as done */
void client_cancel(struct client *c);

/* True when a failed transaction may be retried as the same one; if its errors repeat, after a
 * pause.  False when the time is over, the run was stopped, another client failed, --trx-retries is
 * used up or --on-error lets it fail. */
bool client_retry(struct client *c);
/* A statement failed, and that does not end the run: pauses if errors repeat.  `in_event`: a
 * transaction has begun; `fails`: it is not to be run again; `pauses`: now is the time to. */
void client_after_error(struct client *c, bool in_event, bool fails, bool pauses);
/* The transaction of such a statement is over, or goes on: the same pause for those loops that
 * only then know of it. */
void client_error_backoff(struct client *c);

/* True when the transaction that has begun is measured, not part of the warm-up.  For workloads
 * with limits of their own. */
bool client_measuring(const struct client *c);

/* Where it begins in a list of database hosts. */
uint64_t client_place(const struct client *c);
int client_id(const struct client *c);    /* its tid, among the clients of all ranks */
int client_index(const struct client *c); /* among those of this process */
struct counters *client_counters(struct client *c);
struct rng *client_rng(struct client *c);
_Atomic bool *client_in_statement(struct client *c);
const struct generation_facts *client_generation(const struct client *c); /* of the run */
/* NULL: statements are not timed by kind.  A new one after the warm-up. */
struct stmt_stats_shard *client_stmt_stats(struct client *c);

/* client_error.c: for the errors by code, and the outages.  Not those of a warm-up. */
void client_error(struct client *c, const struct client_error *e);
void client_reconnected(struct client *c); /* a connection that was lost is back */

/* collect.c: a connection of the client is up at this host of the plan's list, or no longer;
 * `decides`: its transactions are done there from now on. */
void client_at_host(struct client *c, int host, bool up, bool decides);

/* With the signatures of struct sql_host; arg is the struct client. */
bool client_keep_trying(void *arg);
void client_pause(void *arg, dur_ns d);
bool client_connecting(void *arg, bool begins, int fd);
/* Its first connection was refused: try again?  (--min-clients, executor.c) */
bool client_refused(void *arg, int errnum);
void client_connected_again(void *arg, dur_ns took, dur_ns away);
/* The answer to a COMMIT was lost with the connection. */
void client_commit_lost(void *arg);

#endif
