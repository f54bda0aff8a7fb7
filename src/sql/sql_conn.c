/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_conn.h.
 *
 * backoff_note: a successful reconnect does not clear c->loss.backoff, the first successful
 * statement does.  So a server that accepts connections and then drops them is not flooded either.
 *
 * home_note: with a list of servers each connection has one where it begins (its home), so that
 * clients spread evenly.  When an attempt fails, the next one goes to the next server, and the
 * connection stays where it was accepted: nothing takes a connection away that works.  After the
 * next loss it begins at its home again, so a server that is back gets its clients back one by one.
 *
 * Turns of --connect-timeout=rate are given in the order of asking: `next` is the instant of the
 * turn after the last one.  A tenth of a second's worth of turns that nobody took may be taken at
 * once.
 *
 * The outcome of a statement: a success counts.  A failure is classified, told to the host, copied
 * into the fields that scripts read, and then ends the transaction or replaces the connection.
 * Whatever only a failure reaches is out of line.
 *
 * The host waits (pause, keep_trying), because it knows when the run ends and what runs the client.
 * Attempts are not logged below --verbosity=5, because programs parse stdout.
 */
#include "sql/sql_conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "sql/sql_sessions.h"
#include "sql/sql_text.h"

/* --- waits --- */

#define BURST (NS_PER_SEC / 10)
/* Of sql_peek(): twice what the server is told, so that it can answer before. */
#define PEEK_LIMIT (NS_PER_SEC / 2)

static dur_ns limit_of(const struct sql_conn *c, enum sql_waiting what)
{
    const struct sql_limits *l = c->limits;

    if (what == WAIT_PEEK)
        return l->statement && l->statement < PEEK_LIMIT ? l->statement : PEEK_LIMIT;
    if (what == WAIT_STATEMENT)
        return l->statement;
    return l->connect || what != WAIT_RECONNECT ? l->connect : SQL_RECONNECT_LIMIT;
}

unsigned sql_connect_seconds(const struct sql_conn *c, bool again)
{
    dur_ns d = limit_of(c, again ? WAIT_RECONNECT : WAIT_CONNECT);

    return (unsigned)((d + NS_PER_SEC - 1) / NS_PER_SEC);
}

void sql_wait_begin(struct sql_conn *c, enum sql_waiting what)
{
    dur_ns d = limit_of(c, what);

    if (d == 0 || c->host->auxiliary)
        return;
    /* libpq tries the hosts of a list one after the other, each for whole seconds, at least two: a
     * shorter time for all of them would end while it tries the first */
    if (what < WAIT_STATEMENT && c->limits->hosts > 1) {
        d = (d + NS_PER_SEC - 1) / NS_PER_SEC;
        d = c->limits->hosts * (d > 2 ? d : 2) * NS_PER_SEC;
    }
    c->waiting = (unsigned char)what;
    sched_limit_waits(clock_mono() + d);
}

void sql_wait_end(struct sql_conn *c)
{
    if (c->waiting || !c->counting) /* or the limit is somebody else's */
        sched_limit_waits(0);
    if (c->counting)
        sched_limit_answer(0);
    c->waiting = WAIT_NONE;
    c->counting = false;
}

static void pause_for(const struct sql_conn *c, dur_ns d)
{
    _Atomic uint32_t never = 0;

    if (c->host->pause)
        c->host->pause(c->host->client, d);
    else
        clock_sleep_until(clock_mono() + d, &never, 0);
}

/* Before an attempt to reconnect after a loss: waits for its turn (--connect-timeout=rate). */
static void wait_for_turn(struct sql_conn *c)
{
    struct sql_limits *l = c->limits;
    mono_ns now = sql_now(c), next;

    if (l->reconnects <= 0 || c->host->auxiliary)
        return;
    dur_ns step = (dur_ns)(1e9 / l->reconnects);
    mono_ns turn = atomic_load(&l->next_turn);
    do {
        next = (turn > now - BURST ? turn : now - BURST) + step;
    } while (!atomic_compare_exchange_weak(&l->next_turn, &turn, next));
    if (next > now + step) /* jitter, so that turns of several processes do not coincide */
        pause_for(c, next - now + (dur_ns)(rng_double(&c->rng) * (double)step));
}

/* --- connections --- */

#define BACKOFF_FIRST NS_PER_MS
#define BACKOFF_LAST  NS_PER_SEC
/* If the listen queue is full for longer than this, the server does not accept connections. */
#define BUSY_PATIENCE (30 * NS_PER_SEC)

static bool keep_trying(const struct sql_conn *c)
{
    return c->host->keep_trying ? c->host->keep_trying(c->host->client) : !c->host->auxiliary;
}

/* The last attempt to connect met an error that --on-error makes fatal. */
static bool refused_for_good(const struct sql_conn *c)
{
    return c->fail.by_policy && c->fail.action == ACTION_FATAL;
}

void sql_row_reserve(struct sql_conn *c, size_t n)
{
    if (n > c->nvalues) {
        c->values = mem_grow(c->values, n, sizeof *c->values);
        c->nvalues = n;
    }
    c->res.row.values = c->values;
}

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host)
{
    struct sql_conn *c = mem_alloc(sizeof *c);
    const struct sql_options *o = d->options;

    c->pub.driver = &d->pub;
    c->ops = d->ops;
    c->cfg = d->cfg;
    c->policy = &o->policy;
    c->limits = &d->limits;
    c->ps_server = o->ps_server;
    c->ps_lazy = o->ps_lazy;
    c->host = host;
    c->state = SQL_STATE_CLOSED;
    c->server = -1;
    if (host->place)
        c->loss.home = host->place(host->arg);
    else if (host->auxiliary)
        c->loss.home = o->watched > 0 ? (uint64_t)o->watched : 0;
    else
        c->loss.home = atomic_fetch_add_explicit(&d->next_place, 1, memory_order_relaxed);
    c->endpoint = c->loss.home;
    c->kind = STMT_KIND_UNKNOWN;
    rng_seed_pair(&c->rng, (uint64_t)sql_now(c), (uint64_t)(uintptr_t)c);
    return c;
}

void sql_conn_release(struct sql_conn *c)
{
    c->freed = true;
    if (c->stmts)
        return;
    str_free(&c->bulk.text);
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

/* Waits between half and all of c->loss.backoff, then doubles it. */
static void back_off(struct sql_conn *c)
{
    if (c->loss.backoff == 0)
        c->loss.backoff = BACKOFF_FIRST;
    dur_ns half = c->loss.backoff / 2;
    pause_for(c, half + (dur_ns)(rng_double(&c->rng) * (double)half));
    c->loss.backoff = c->loss.backoff * 2 < BACKOFF_LAST ? c->loss.backoff * 2 : BACKOFF_LAST;
}

static enum sql_outcome try_connect(struct sql_conn *c, bool again)
{
    if (c->host->connecting && !c->host->connecting(c->host->client, true, -1)) {
        sql_fail(c, 0, NULL,
                 keep_trying(c) ? "this process may open no more descriptors (ulimit -n)"
                                : "the run ended before the connection was made");
        return SQL_FATAL;
    }
    mono_ns began = sql_stats_begin(c);
    sql_wait_begin(c, again ? WAIT_RECONNECT : WAIT_CONNECT);
    enum sql_outcome v = c->ops->connect(c, again);
    v = v == SQL_LOST ? SQL_IGNORABLE : v; /* there is none to be lost */
    sql_wait_over(c);
    sql_stats_fixed(c, STMT_KIND_CONNECT, began, v);
    if (c->host->connecting)
        c->host->connecting(c->host->client, false, v == SQL_DONE ? c->ops->socket(c) : -1);
    if (v == SQL_DONE) {
        c->state = SQL_STATE_UP;
        c->fail.lost = false; /* that was another connection */
        c->waits = sched_waits;
        c->server = chosen(c);
        if (c->ops->session)
            c->session = sql_session_add(c->ops->session(c), c->server);
        if (c->ops->counts_login)
            sql_note_sent(c);
        if (c->host->presence)
            c->host->presence(c->host->arg, c, SQL_ARRIVED, c->server, c->ops->socket(c));
    } else if (v != SQL_BUSY) {
        sql_conn_note_error(c, false);
    }
    return v;
}

/* The first connect, or a reconnect by the script.  SQL_DONE, or the driver's outcome; SQL_BUSY
 * only after retrying for a while. */
static enum sql_outcome open_conn(struct sql_conn *c, bool again)
{
    mono_ns deadline = sql_now(c) + BUSY_PATIENCE;
    enum sql_outcome v = try_connect(c, again);

    while (v == SQL_BUSY && sql_now(c) < deadline && keep_trying(c)) {
        back_off(c);
        v = try_connect(c, again);
    }
    return v;
}

enum sql_outcome sql_conn_first(struct sql_conn *c)
{
    sql_in_statement(c, true);
    enum sql_outcome v = open_conn(c, false);

    while (v != SQL_DONE && c->host->refused && c->host->refused(c->host->client, c->fail.errnum)) {
        back_off(c);
        if (keep_trying(c)) /* else the host ends this: at the end of a run there is room */
            v = open_conn(c, false);
    }
    sql_in_statement(c, false);
    return v;
}

/* How long closing a connection may take. */
#define LAST_WORDS NS_PER_SEC

/* A socket that is closed with unread answers takes along what it has just sent, and the server
 * counts an aborted client: the answers are read.  A server that goes on is cut off, or the
 * libraries would read on when they close a statement; so is one that was lost, to which libpq
 * would go on sending what it had not taken. */
static void hang_up(struct sql_conn *c)
{
    dur_ns limit = c->limits->statement;
    bool limits = !c->host->auxiliary; /* whose waits have another limit */
    unsigned mode = c->mode;

    if (limits)
        sched_limit_waits(clock_mono() + (limit && limit < LAST_WORDS ? limit : LAST_WORDS));
    c->mode |= DB_QUIET;
    while (limits && c->more && !c->fail.lost && !sched_waits_over() && c->ops->next(c) == SQL_DONE)
        if (c->res.nfields > 0)
            c->ops->free_result(c);
    c->mode = mode;
    int fd = c->more || c->fail.lost ? c->ops->socket(c) : -1;
    if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
    for (struct sql_stmt *s = c->stmts; s; s = s->next) {
        if (s->handle)
            c->ops->close(s);
        prefetch_forget(s);
    }
    c->ops->disconnect(c);
    sql_session_end(c->session);
    c->session = NULL;
    prefetch_forget(c);
    if (limits)
        sched_limit_waits(0);
    sql_wait_over(c);
}

void sql_conn_drop(struct sql_conn *c, enum sql_state state)
{
    bool over = state == SQL_STATE_CLOSED;

    if (c->state != SQL_STATE_CLOSED && (c->server >= 0 || over) && c->host->presence)
        c->host->presence(c->host->arg, c, over ? SQL_CLOSED : SQL_LEFT, c->server, -1);
    if (c->state != SQL_STATE_CLOSED)
        c->server = -1;
    if (c->state == SQL_STATE_UP) {
        if (c->open)
            c->ops->free_result(c);
        c->open = false;
        hang_up(c);
    }
    c->open = c->more = c->astray = false;
    c->source = NULL;
    c->state = state;
    sql_close_late(c);
}

/* Reconnects until it succeeds (LOST to UP) or the run ends.  Counts nothing. */
static bool recover(struct sql_conn *c)
{
    mono_ns lost = sql_now(c), began;

    c->endpoint = c->loss.home; /* home_note */
    log_debug("Reconnecting");
    for (;;) {
        if (c->loss.backoff > 0 && keep_trying(c))
            back_off(c); /* see backoff_note */
        wait_for_turn(c);
        if (!keep_trying(c))
            return false;
        began = sql_now(c);
        if (try_connect(c, true) == SQL_DONE)
            break;
        log_debug("Reconnect failed: error %d: %s", c->fail.errnum, c->fail.msg);
        c->endpoint++; /* the next server of the list */
        c->loss.refused = c->loss.refused || keep_trying(c);
        if (refused_for_good(c))
            return false;
        if (c->loss.backoff == 0)
            c->loss.backoff = BACKOFF_FIRST;
    }
    if (c->loss.backoff == 0)
        c->loss.backoff = BACKOFF_FIRST;
    if (c->host->reconnected)
        c->host->reconnected(c->host->client, sql_now(c) - began, sql_now(c) - lost);
    log_debug("Reconnected");
    return true;
}

bool sql_conn_replace(struct sql_conn *c)
{
    sql_in_statement(c, true);
    enum sql_outcome v = open_conn(c, true);
    bool up = v == SQL_DONE || (v == SQL_IGNORABLE && recover(c));

    sql_in_statement(c, false);
    c->loss.given_up = false;
    if (up) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        return true;
    }
    if (keep_trying(c)) { /* else it is needed no more: the run is over */
        c->ops->print_connect_error(c);
        c->loss.given_up = true;
    }
    sql_conn_set_error(c, DB_ERROR_FATAL);
    return false;
}

SQL_COLD bool sql_conn_begin_down(struct sql_conn *c)
{
    if (c->state == SQL_STATE_CLOSED) {
        sql_in_statement(c, false);
        log_alert("attempt to use an already closed connection");
        sql_conn_misuse(c);
        return false;
    }
    if (!c->loss.given_up && recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        sql_wait_for_statement(c);
        return true;
    }
    sql_in_statement(c, false);
    if (!c->loss.given_up && refused_for_good(c))
        c->ops->print_connect_error(c);
    sql_conn_set_error(c, DB_ERROR_FATAL);
    counters_add(c->host->counters, CNT_ERROR, 1);
    return false;
}

SQL_COLD bool sql_conn_in_step(struct sql_conn *c)
{
    enum sql_outcome v = c->ops->in_step ? c->ops->in_step(c) : SQL_DONE;

    if (v == SQL_DONE)
        c->waits = sched_waits;
    else
        sql_conn_finish(c, v);
    return v == SQL_DONE;
}

void sql_conn_note_memory(struct sql_conn *c, struct sql_stmt *s)
{
    struct prefetch_list *l;

    if ((l = prefetch_for(PREFETCH_OF_CONNECTION, c))) {
        prefetch_add(l, c, offsetof(struct sql_conn, endpoint));
        if (c->ops->note)
            c->ops->note(c, NULL, l);
    }
    if (s && (l = prefetch_for(PREFETCH_OF_STATEMENT, s))) {
        prefetch_add(l, s, offsetof(struct sql_stmt, template));
        if (c->ops->note && s->handle)
            c->ops->note(c, s, l);
        else
            prefetch_add(l, s->handle, CACHE_LINE); /* NULL when emulated */
    }
}

/* --- outcomes --- */

/* ER_QUERY_TIMEOUT of MySQL, CR_NET_PACKET_TOO_LARGE of its library; query_canceled of PostgreSQL,
 * which has no numbers. */
#define TIMED_OUT_ERRNO 3024
#define TOO_LONG_ERRNO  2020
#define GIVEN_UP_STATE  "57014"

void sql_fail(struct sql_conn *c, int errnum, const char *state, const char *msg)
{
    bool statement = c->waiting >= WAIT_STATEMENT;
    char text[160];

    bool too_long = c->too_long || (c->counting && sched_answer_over());
    bool timed_out = !too_long && c->waiting != WAIT_NONE && sched_waits_over();
    if (too_long) {
        snprintf(text, sizeof text,
                 "an answer of more than %lld bytes (--max-result-size), the connection was closed",
                 (long long)c->limits->answer);
        msg = text;
        state = errnum ? "HY000" : GIVEN_UP_STATE;
        errnum = errnum ? TOO_LONG_ERRNO : 0;
    } else if (timed_out) {
        snprintf(text, sizeof text,
                 c->waiting == WAIT_PEEK ? "no answer within %g s, the connection was closed"
                 : statement ? "no answer within --query-timeout=%g s, the connection was closed"
                 : c->limits->connect
                     ? "the server did not answer within --connect-timeout=%g s"
                     : "the server did not answer an attempt to reconnect within %g s",
                 dur_sec(limit_of(c, c->waiting)));
        msg = text;
        state = !statement ? state : errnum ? "HY000" : GIVEN_UP_STATE;
        errnum = statement && errnum ? TIMED_OUT_ERRNO : errnum;
    }
    c->too_long = false;
    c->fail.given_up = too_long || timed_out;
    c->fail.errnum = errnum;
    c->fail.action = ACTION_FATAL; /* until sql_decide() says otherwise */
    c->fail.by_policy = c->fail.lost = false;
    c->fail.class = too_long ? ERROR_CANCELLED : error_class_of(errnum, state, msg);
    snprintf(c->fail.state, sizeof c->fail.state, "%s", state ? state : "");
    snprintf(c->fail.msg, sizeof c->fail.msg, "%s", msg ? msg : "");
}

enum sql_outcome sql_decide(struct sql_conn *c, enum sql_outcome listed, bool lost)
{
    struct sql_failure *f = &c->fail;

    f->action = (enum error_action)c->policy->action[f->class];
    f->by_policy = f->action != ACTION_LISTED;
    if (f->given_up) {
        lost = true; /* its answer may still come, so nothing else can be done with it */
        listed = listed == SQL_IGNORABLE ? SQL_LOST : listed;
    }
    f->lost = lost;
    switch (f->action) {
    case ACTION_FATAL: return SQL_FATAL;
    case ACTION_RECONNECT: return SQL_LOST;
    case ACTION_RETRY:
    case ACTION_FAIL: return lost ? SQL_LOST : SQL_IGNORABLE;
    default:
        f->action = listed == SQL_LOST        ? ACTION_RECONNECT
                    : listed == SQL_IGNORABLE ? ACTION_RETRY
                                              : ACTION_FATAL;
        return listed;
    }
}

void sql_conn_set_error(struct sql_conn *c, sql_error_t class)
{
    c->reported = c->fail;
    c->pub.error = class;
    c->pub.sql_errno = c->reported.errnum;
    c->pub.sql_state = c->reported.state;
    c->pub.sql_errmsg = c->reported.msg;
}

void sql_conn_note_error(struct sql_conn *c, bool lost)
{
    const struct sql_failure *f = &c->fail;
    const struct sql_error e = {
        .errnum = f->errnum,
        .state = f->state,
        .text = f->msg,
        .class = f->class,
        .action = f->action,
        .lost = lost,
        .server = c->server >= 0 ? c->server : sql_servers_at(servers_of(c), c->endpoint)};

    if (c->host->error)
        c->host->error(c->host->arg, &e);
}

void sql_conn_misuse(struct sql_conn *c)
{
    sql_conn_clear_error(c);
    c->pub.error = DB_ERROR_FATAL;
}

static void replace_lost(struct sql_conn *c)
{
    enum error_action action = c->fail.action;

    log_info("connection lost: error %d: %s", c->fail.errnum, c->fail.msg);
    if (c->fail.by_policy && c->fail.class == ERROR_READ_ONLY)
        c->loss.home = c->endpoint + 1; /* it answers, but another one is the primary now */
    sql_conn_set_error(c, DB_ERROR_IGNORABLE);
    sql_conn_drop(c, SQL_STATE_LOST);
    c->loss.refused = false;
    if (recover(c)) {
        counters_add(c->host->counters, CNT_RECONNECT, 1);
        if (c->host->after_error)
            c->host->after_error(c->host->arg, action, false);
    } else {
        /* if the run has ended, the event is not retried; sql_check_recovered() reports all
         * clients' losses in one sentence */
        if (refused_for_good(c)) {
            c->ops->print_connect_error(c);
            sql_conn_set_error(c, DB_ERROR_FATAL);
        } else if (!c->host->auxiliary) {
            sql_note_lost(c);
        }
        counters_add(c->host->counters, CNT_ERROR, 1);
    }
}

void sql_conn_rollback(struct sql_conn *c)
{
    if (!c->ops->transaction_open(c))
        return;
    mono_ns began = sql_stats_begin(c);
    sql_wait_for_statement(c);
    bool done = c->ops->rollback(c);
    sql_wait_over(c);
    sql_stats_rollback(c, began, done ? SQL_DONE : SQL_FATAL);
}

static void ignore_error(struct sql_conn *c)
{
    /* a transaction that fails is not the script's to go on with */
    bool holds = (c->mode & DB_KEEP_TRANSACTION) && c->fail.action != ACTION_FAIL;

    log_debug("Ignoring error %d %s, ", c->fail.errnum, c->fail.msg);
    sql_conn_set_error(c, DB_ERROR_IGNORABLE);
    counters_add(c->host->counters, CNT_ERROR, 1);
    if (!holds)
        sql_conn_rollback(c);
    if (c->host->after_error)
        c->host->after_error(c->host->arg, c->fail.action, holds);
}

SQL_COLD sql_result *sql_conn_failed(struct sql_conn *c, enum sql_outcome v)
{
    c->more = false;
    sql_conn_note_error(c, v == SQL_LOST);
    switch (v) {
    case SQL_LOST:
        if (c->fail.lost || keep_trying(c))
            replace_lost(c);
        else
            ignore_error(c); /* it works, and the run is over: no reason to replace it */
        break;
    case SQL_IGNORABLE: ignore_error(c); break;
    default:
        sql_conn_set_error(c, DB_ERROR_FATAL);
        counters_add(c->host->counters, CNT_ERROR, 1);
        break;
    }
    sql_in_statement(c, false);
    return NULL;
}

SQL_COLD void sql_conn_note_commit(const struct sql_conn *c, const char *text, size_t len)
{
    if (c->fail.lost && c->host->commit_lost && sql_keywords(text, len).commit)
        c->host->commit_lost(c->host->client);
}

bool sql_conn_drain(struct sql_conn *c)
{
    enum sql_outcome v = SQL_DONE;

    if (c->open)
        c->ops->free_result(c);
    c->open = false;
    sql_wait_for_statement(c);
    while (c->more && v == SQL_DONE) {
        v = c->ops->next(c);
        if (v == SQL_DONE && c->res.nfields > 0)
            c->ops->free_result(c);
    }
    sql_wait_over(c);
    c->waits = sched_waits;
    if (v != SQL_DONE)
        sql_conn_failed(c, v);
    sql_close_late(c);
    return v == SQL_DONE;
}
