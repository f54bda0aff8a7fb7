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
 * Each call is for the client's own thread (or whoever carries the client) only.
 */
#ifndef SB_ENGINE_CLIENT_H
#define SB_ENGINE_CLIENT_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/rng.h"
#include "stats/counters.h"

struct client;
struct kinds_shard;
struct plan;

bool client_next(struct client *c);
void client_begin(struct client *c);
void client_end(struct client *c);  /* the transaction is done */
void client_fail(struct client *c); /* it was begun and failed for good: counted as failed */
void client_cancel(
    struct client *c); /* it was begun and its script withdrew: not counted as done */

/* May a failed transaction be tried again as the same one?  False when the time is over, the run
 * was stopped or another client failed. */
bool client_retry(struct client *c);

/* Does the transaction that has begun belong to the figures, not to the warm-up?  For workloads
 * with limits of their own. */
bool client_measuring(const struct client *c);

int client_id(const struct client *c);
struct counters *client_counters(struct client *c);
struct rng *client_rng(struct client *c);
struct kinds_shard *client_kinds(struct client *c); /* NULL: statements are not timed by kind */

/* In the form that struct sql_host wants them; arg is the struct client. */
bool client_keep_trying(void *arg);
void client_pause(void *arg, dur_ns d);
bool client_connecting(void *arg, bool begins, int fd);

#endif
