/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The current context, what the SQL floor may ask of it, and the connections it has open.
 */
#include "script/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fiber/sched.h"

struct script_context *context_set(struct script_context *cx)
{
    struct script_context *old = fiber_local;

    fiber_local = cx;
    return old;
}

static void host_limit(void *arg, dur_ns d)
{
    (void)arg;
    sched_limit_waits(d ? clock_mono() + d : 0);
}

static bool host_waits_over(void *arg)
{
    (void)arg;
    return sched_waits_over();
}

static bool host_keep_trying(void *arg)
{
    struct script_context *cx = arg;

    return !cx->client || client_keep_trying(cx->client);
}

static void host_pause(void *arg, dur_ns d)
{
    struct script_context *cx = arg;
    _Atomic uint32_t nobody = 0;

    if (cx->client)
        client_pause(cx->client, d);
    else
        clock_sleep_until(clock_mono() + d, &nobody, 0);
}

static void host_connected(void *arg, int fd)
{
    struct script_context *cx = arg;

    if (cx->lost && cx->client)
        client_reconnected(cx->client);
    cx->lost -= cx->lost > 0;
    if (cx->listener && cx->listener->connected && cx->client)
        cx->listener->connected(cx->listener->arg, fd, cx->server);
}

/* Client g begins at server g of the list, its second connection at the next one.  Commands on
 * threads do likewise. */
static uint64_t host_place(void *arg)
{
    struct script_context *cx = arg;

    return (cx->client ? client_place(cx->client) : (uint64_t)cx->tid) + cx->opened++;
}

static void host_at_server(void *arg, const void *connection, int server, enum sql_presence p)
{
    struct script_context *cx = arg;

    if (p == SQL_ARRIVED)
        cx->server = server;
    if (p == SQL_ARRIVED && !cx->main_connection)
        cx->main_connection = connection;
    if (cx->client)
        client_at_host(cx->client, server, p == SQL_ARRIVED, cx->main_connection == connection);
    if (p == SQL_CLOSED && cx->main_connection == connection)
        cx->main_connection = NULL;
}

static void host_reconnected(void *arg, dur_ns took, dur_ns away)
{
    struct script_context *cx = arg;

    if (cx->client)
        client_connected_again(cx->client, took, away);
}

static void host_error(void *arg, const struct sql_error *e)
{
    struct script_context *cx = arg;
    enum error_class k = e->class;
    /* what an outage begins with: the server, or what is left of its cluster, takes no statement */
    bool outage = e->lost || k == ERROR_CONNECTION || k == ERROR_SHUTDOWN || k == ERROR_READ_ONLY ||
                  k == ERROR_CLUSTER;
    const struct client_error told = {.code = e->errnum,
                                      .sqlstate = e->state,
                                      .text = e->text,
                                      .class = error_class_name(e->class),
                                      .outage = outage,
                                      .lost = e->lost,
                                      .host = e->server};

    cx->lost += e->lost;
    if (cx->client)
        client_error(cx->client, &told);
}

static bool host_connecting(void *arg, bool begins, int fd)
{
    struct script_context *cx = arg;

    return !cx->client || client_connecting(cx->client, begins, fd);
}

static void host_after_error(void *arg, enum error_action action, bool holds)
{
    struct script_context *cx = arg;

    if (cx->client)
        client_after_error(cx->client, cx->event == EVENT_BEGUN, action == ACTION_FAIL, !holds);
}

static void host_commit_lost(void *arg)
{
    struct script_context *cx = arg;

    if (cx->client)
        client_commit_lost(cx->client);
}

static bool host_refused(void *arg, int errnum)
{
    struct script_context *cx = arg;

    return cx->client && client_refused(cx->client, errnum);
}

static uint64_t host_random(void *arg)
{
    struct script_context *cx = arg;

    return rng_next(cx->rng);
}

void context_init(struct script_context *cx, int tid, struct rng *rng, struct counters *counters)
{
    memset(cx, 0, sizeof *cx);
    cx->tid = tid;
    cx->server = -1;
    cx->rng = rng;
    cx->counters = counters;
    cx->host = (struct sql_host){.arg = cx,
                                 .counters = counters,
                                 .limit = host_limit,
                                 .waits_over = host_waits_over,
                                 .keep_trying = host_keep_trying,
                                 .pause = host_pause,
                                 .connecting = host_connecting,
                                 .connected = host_connected,
                                 .place = host_place,
                                 .at_server = host_at_server,
                                 .reconnected = host_reconnected,
                                 .refused = host_refused,
                                 .error = host_error,
                                 .after_error = host_after_error,
                                 .commit_lost = host_commit_lost,
                                 .random = host_random};
}

void context_attach(struct script_context *cx, struct client *client,
                    const struct script_peers *peers)
{
    cx->client = client;
    cx->peers = peers;
    cx->tid = client_id(client);
    cx->rng = client_rng(client);
    cx->counters = client_counters(client);
    cx->host.counters = cx->counters;
    cx->host.stmt_stats = client_stmt_stats(client);
    cx->host.by_word = client_generation(client)->old;
}

void context_adopt(struct script_context *cx, sql_connection *con)
{
    cx->connection = mem_grow(cx->connection, cx->nconnections + 1, sizeof(sql_connection *));
    cx->connection[cx->nconnections++] = con;
}

bool context_release(struct script_context *cx, sql_connection *con)
{
    for (size_t i = 0; i < cx->nconnections; i++) {
        if (cx->connection[i] == con) {
            cx->connection[i] = cx->connection[--cx->nconnections];
            sql_connection_free(con);
            return true;
        }
    }
    return false;
}

void context_hang_up(struct script_context *cx)
{
    for (size_t i = 0; i < cx->nconnections; i++)
        sql_hang_up(cx->connection[i]);
}

void context_abandon(struct script_context *cx)
{
    for (size_t i = 0; i < cx->nconnections; i++)
        sql_abandon(cx->connection[i]);
}

void context_fini(struct script_context *cx)
{
    for (size_t i = 0; i < cx->nconnections; i++)
        sql_connection_free(cx->connection[i]);
    free(cx->load);
    cx->load = NULL;
    free(cx->connection);
    cx->connection = NULL;
    cx->nconnections = 0;
}
