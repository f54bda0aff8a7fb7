/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_conn.h.
 *
 * backoff_note: a successful reconnect does not clear c->backoff, the first successful statement
 * does.  So a server that accepts connections and then drops them is not flooded either.
 *
 * home_note: with a list of servers each connection has one where it begins (its home), so that
 * clients spread evenly.  When an attempt fails, the next one goes to the next server, and the
 * connection stays where it was accepted: nothing takes a connection away that works.  After the
 * next loss it begins at its home again, so a server that is back gets its clients back one by one.
 *
 * The host waits (pause, keep_trying), because it knows when the run ends and what runs the client.
 * Attempts are not logged below --verbosity=5, because programs parse stdout.
 */
#include "sql/sql_conn.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "sql/sql_stats.h"

#define BACKOFF_FIRST NS_PER_MS
#define BACKOFF_LAST  NS_PER_SEC
/* If the listen queue is full for longer than this, the server does not accept connections. */
#define BUSY_PATIENCE (30 * NS_PER_SEC)

void sql_row_reserve(struct sql_conn *c, size_t n)
{
    if (n > c->nvalues) {
        c->values = mem_grow(c->values, n, sizeof *c->values);
        c->nvalues = n;
    }
    c->res.row.values = c->values;
}

static uint64_t first_place(struct sql_driver_slot *d, const struct sql_host *host)
{
    if (host->auxiliary)
        return d->watched > 0 ? (uint64_t)d->watched : 0;
    if (host->place)
        return host->place(host->arg);
    return atomic_fetch_add_explicit(&d->next_place, 1, memory_order_relaxed);
}

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host)
{
    struct sql_conn *c = mem_alloc(sizeof *c);

    c->pub.driver = &d->pub;
    c->ops = d->ops;
    c->cfg = d->cfg;
    c->policy = &d->policy;
    c->limits = &d->limits;
    c->ps_server = d->ps_server;
    c->ps_lazy = d->ps_lazy;
    c->host = host;
    c->state = SQL_STATE_CLOSED;
    c->server = -1;
    c->endpoint = c->home = first_place(d, host);
    c->kind = STMT_KIND_UNKNOWN;
    rng_seed_pair(&c->rng, (uint64_t)sql_now(c), (uint64_t)(uintptr_t)c);
    return c;
}

void sql_conn_release(struct sql_conn *c)
{
    c->freed = true;
    if (c->stmts)
        return;
    sql_bulk_drop(&c->bulk);
    str_free(&c->digest);
    str_free(&c->stmt_name);
    free(c->values);
    free(c);
}

static const struct sql_servers *servers_of(const struct sql_conn *c)
{
    return &((const struct sql_driver_slot *)c->pub.driver)->servers; /* pub is the first member */
}

/* libpq tries one host after the other, and says which one it was. */
static int chosen(struct sql_conn *c)
{
    const struct sql_servers *s = servers_of(c);
    const char *port = NULL, *host = c->ops->chosen ? c->ops->chosen(c, &port) : NULL;

    for (size_t i = 0; host && i < s->positions; i++) {
        int n = sql_servers_at(s, c->endpoint + i);
        if (strcmp(s->host[n], host) == 0 &&
            (!s->port[n] || (port && strcmp(s->port[n], port) == 0)))
            return n;
    }
    return sql_servers_at(s, c->endpoint);
}

int sql_conn_server(const struct sql_conn *c)
{
    return c->server >= 0 ? c->server : sql_servers_at(servers_of(c), c->endpoint);
}

static void arrive(struct sql_conn *c)
{
    c->server = chosen(c);
    if (c->server >= 0 && c->host->at_server)
        c->host->at_server(c->host->arg, c, c->server, SQL_ARRIVED);
}

static void depart(struct sql_conn *c, bool over)
{
    int was = c->server;

    c->server = -1;
    if ((was >= 0 || over) && c->host->at_server)
        c->host->at_server(c->host->arg, c, was, over ? SQL_CLOSED : SQL_LEFT);
}

/* Waits between half and all of c->backoff, then doubles it. */
static void back_off(struct sql_conn *c)
{
    _Atomic uint32_t never = 0;
    dur_ns half, d;

    if (c->backoff == 0)
        c->backoff = BACKOFF_FIRST;
    half = c->backoff / 2;
    d = half + (dur_ns)(rng_double(&c->rng) * (double)half);
    if (c->host->pause)
        c->host->pause(c->host->arg, d);
    else
        clock_sleep_until(clock_mono() + d, &never, 0);
    c->backoff = c->backoff * 2 < BACKOFF_LAST ? c->backoff * 2 : BACKOFF_LAST;
}

static enum sql_outcome try_connect(struct sql_conn *c, bool again)
{
    enum sql_outcome v;
    mono_ns began;

    if (c->host->connecting && !c->host->connecting(c->host->arg, true, -1)) {
        sql_fail(c, 0, NULL,
                 sql_conn_keep_trying(c) ? "this process may open no more descriptors (ulimit -n)"
                                         : "the run ended before the connection was made");
        return SQL_FATAL;
    }
    began = sql_stats_begin(c);
    sql_wait_begin(c, again ? WAIT_RECONNECT : WAIT_CONNECT);
    v = c->ops->connect(c, again);
    sql_wait_over(c);
    sql_stats_fixed(c, STMT_KIND_CONNECT, began, v);
    if (c->host->connecting)
        c->host->connecting(c->host->arg, false, v == SQL_DONE ? c->ops->socket(c) : -1);
    if (v == SQL_DONE) {
        c->state = SQL_STATE_UP;
        arrive(c);
        if (c->host->connected)
            c->host->connected(c->host->arg, c->ops->socket(c));
    } else if (v != SQL_BUSY) {
        sql_conn_note_error(c, false);
    }
    return v;
}

enum sql_outcome sql_conn_open(struct sql_conn *c, bool again)
{
    mono_ns give_up = sql_now(c) + BUSY_PATIENCE;
    enum sql_outcome v = try_connect(c, again);

    while (v == SQL_BUSY && sql_now(c) < give_up && sql_conn_keep_trying(c)) {
        back_off(c);
        v = try_connect(c, again);
    }
    return v;
}

enum sql_outcome sql_conn_first(struct sql_conn *c)
{
    enum sql_outcome v = sql_conn_open(c, false);

    while (v != SQL_DONE && c->host->refused && c->host->refused(c->host->arg, c->fail.errnum)) {
        back_off(c);
        if (sql_conn_keep_trying(
                c)) /* else the host ends this: at the end of a run there is room */
            v = sql_conn_open(c, false);
    }
    return v;
}

void sql_conn_drop(struct sql_conn *c, enum sql_state state)
{
    if (c->state != SQL_STATE_CLOSED)
        depart(c, state == SQL_STATE_CLOSED);
    if (c->state == SQL_STATE_UP) {
        if (c->open)
            c->ops->free_result(c);
        for (struct sql_stmt *s = c->stmts; s; s = s->next) {
            if (s->handle)
                c->ops->close(s);
            prefetch_forget(s);
        }
        c->ops->disconnect(c);
        prefetch_forget(c);
    }
    c->open = c->more = false;
    c->source = NULL;
    c->state = state;
}

bool sql_conn_refused_for_good(const struct sql_conn *c)
{
    return c->fail.by_policy && c->fail.action == ACTION_FATAL;
}

bool sql_conn_recover(struct sql_conn *c)
{
    mono_ns lost = sql_now(c), began;

    c->endpoint = c->home; /* home_note */
    log_debug("Reconnecting");
    for (;;) {
        if (c->backoff > 0 && sql_conn_keep_trying(c))
            back_off(c); /* see backoff_note */
        sql_wait_for_turn(c);
        if (!sql_conn_keep_trying(c))
            return false;
        began = sql_now(c);
        if (try_connect(c, true) == SQL_DONE)
            break;
        log_debug("Reconnect failed: error %d: %s", c->fail.errnum, c->fail.msg);
        c->endpoint++; /* the next server of the list */
        c->refused = c->refused || sql_conn_keep_trying(c);
        if (sql_conn_refused_for_good(c))
            return false;
        if (c->backoff == 0)
            c->backoff = BACKOFF_FIRST;
    }
    if (c->backoff == 0)
        c->backoff = BACKOFF_FIRST;
    if (c->host->reconnected)
        c->host->reconnected(c->host->arg, sql_now(c) - began, sql_now(c) - lost);
    log_debug("Reconnected");
    return true;
}

SQL_COLD bool sql_conn_begin_down(struct sql_conn *c)
{
    if (c->state == SQL_STATE_CLOSED) {
        log_alert("attempt to use an already closed connection");
        sql_conn_misuse(c);
        return false;
    }
    if (sql_conn_recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        sql_wait_for_statement(c);
        return true;
    }
    if (sql_conn_refused_for_good(c)) {
        sql_conn_give_up(c);
        return false;
    }
    sql_conn_set_error(c, DB_ERROR_FATAL);
    counters_add(c->host->counters, CNT_ERROR, 1);
    return false;
}

void sql_conn_note_memory(struct sql_conn *c, struct sql_stmt *s)
{
    struct prefetch_list *l;

    if ((l = prefetch_for(PREFETCH_OF_CONNECTION, c)))
        prefetch_add(l, c, offsetof(struct sql_conn, endpoint));
    if (s && (l = prefetch_for(PREFETCH_OF_STATEMENT, s))) {
        prefetch_add(l, s, offsetof(struct sql_stmt, template));
        prefetch_add(l, s->handle, CACHE_LINE); /* the driver's record; NULL when emulated */
    }
}
