/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The current context, what the SQL floor may ask of it, and the connections it has open.
 */
#include "script/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct script_context *context_set(struct script_context *cx)
{
    struct script_context *old = fiber_local;

    fiber_local = cx;
    return old;
}

/* Client g begins at server g of the list, its second connection at the next one.  Commands on
 * threads do likewise. */
static uint64_t host_place(void *arg)
{
    struct script_context *cx = arg;

    return (cx->client ? client_place(cx->client) : (uint64_t)cx->tid) + cx->opened++;
}

static void host_presence(void *arg, const void *connection, enum sql_presence p, int server,
                          int fd)
{
    struct script_context *cx = arg;
    bool up = p == SQL_ARRIVED;

    if (up && !cx->main_connection)
        cx->main_connection = connection;
    if (cx->client)
        client_at_host(cx->client, server, up, cx->main_connection == connection);
    if (p == SQL_CLOSED && cx->main_connection == connection)
        cx->main_connection = NULL;
    if (!up)
        return;
    if (cx->lost && cx->client)
        client_reconnected(cx->client);
    cx->lost -= cx->lost > 0;
    if (cx->listener && cx->listener->connected && cx->client)
        cx->listener->connected(cx->listener->arg, fd, server);
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

static void host_after_error(void *arg, enum error_action action, bool holds)
{
    struct script_context *cx = arg;

    if (cx->client)
        client_after_error(cx->client, cx->event == EVENT_BEGUN, action == ACTION_FAIL, !holds);
}

void context_init(struct script_context *cx, int tid, struct rng *rng, struct counters *counters)
{
    memset(cx, 0, sizeof *cx);
    cx->tid = tid;
    cx->rng = rng;
    cx->counters = counters;
    cx->host = (struct sql_host){.counters = counters,
                                 .random = rng,
                                 .arg = cx,
                                 .place = host_place,
                                 .presence = host_presence,
                                 .error = host_error,
                                 .after_error = host_after_error};
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
    cx->host.random = cx->rng;
    cx->host.client = client;
    cx->host.in_statement = client_in_statement(client);
    cx->host.keep_trying = client_keep_trying;
    cx->host.pause = client_pause;
    cx->host.connecting = client_connecting;
    cx->host.reconnected = client_connected_again;
    cx->host.refused = client_refused;
    cx->host.commit_lost = client_commit_lost;
    cx->host.by_word = client_generation(client)->counts_by_word;
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

sql_connection *context_unread(const struct script_context *cx)
{
    for (size_t i = 0; cx && i < cx->nconnections; i++)
        if (sql_more_results(cx->connection[i]))
            return cx->connection[i];
    return NULL;
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
