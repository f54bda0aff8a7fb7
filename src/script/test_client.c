/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The engine of paper of script_test.h: engine/client.h without clients, clocks and statistics.
 */
#include "script/script_test.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool client_next(struct client *c)
{
    c->wrong += c->open;
    return c->next < c->events && ++c->next;
}

struct stmt_stats_shard *client_begin(struct client *c)
{
    c->wrong += c->open;
    c->open = true;
    c->begun++;
    return NULL;
}

static inline void over(struct client *c, int *count)
{
    c->wrong += !c->open;
    c->open = false;
    ++*count;
}

void client_end(struct client *c)
{
    over(c, &c->ended);
}

void client_fail(struct client *c)
{
    over(c, &c->failed);
}

void client_cancel(struct client *c)
{
    over(c, &c->cancelled);
}

bool client_retry(struct client *c)
{
    return c->retries-- > 0;
}

void client_after_error(struct client *c, bool in_event, bool fails, bool pauses) {}

void client_error_backoff(struct client *c) {}

void client_commit_lost(void *arg) {}

void client_error(struct client *c, const struct client_error *e) {}

void client_reconnected(struct client *c) {}

void client_connected_again(void *arg, dur_ns took, dur_ns away) {}

void client_at_host(struct client *c, int host, bool up, bool decides) {}

bool client_refused(void *arg, int errnum)
{
    return false;
}

int client_id(const struct client *c)
{
    return c->id;
}

int client_index(const struct client *c)
{
    return c->id;
}

uint64_t client_place(const struct client *c)
{
    return (uint64_t)c->id;
}

struct counters *client_counters(struct client *c)
{
    return c->counters;
}

_Atomic bool *client_in_statement(struct client *c)
{
    return NULL;
}

struct rng *client_rng(struct client *c)
{
    return &c->rng;
}

enum generation test_generation;

const struct generation_facts *client_generation(const struct client *c)
{
    return generation_facts(test_generation);
}

struct stmt_stats_shard *client_stmt_stats(struct client *c)
{
    return NULL;
}

bool client_keep_trying(void *arg)
{
    return true;
}

void client_pause(void *arg, dur_ns d) {}

bool client_connecting(void *arg, bool begins, int fd)
{
    return true;
}
