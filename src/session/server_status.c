/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_status.h.  The thread waits for a request, queries the server, and passes the answer
 * on under the lock.  A late answer is dropped: it belongs to no interval.  At the end the socket
 * is shut down under the client library, which wakes a thread that waits for the server.  Nothing
 * wakes one that connects: the end of the run leaves it alone, and does not wait.
 *
 * If the connection is lost, the next request begins with a new one, made by the thread: the
 * reporting side waits no longer than for any other answer.  One without an answer for
 * QUESTION_LIMIT is taken for lost: its server may have moved, and its old host swallow all
 * packets.
 */
#include "session/server_status.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/run.h"
#include "fiber/sched.h"
#include "sql/sql.h"

/* --- the names --- */

/* Rows_read and Handler_* are MariaDB's, which has no Innodb_rows_* from 10.8 on. */
/* clang-format off */
static const struct status_name mysql[] = {
    {"Threads_running", true}, {"Threads_connected", true}, {"Queries", false},
    {"Rows_read", false}, {"Handler_write", false}, {"Handler_update", false},
    {"Handler_delete", false}, {"Innodb_rows_read", false}, {"Innodb_rows_inserted", false},
    {"Innodb_rows_updated", false}, {"Innodb_rows_deleted", false},
    {"Innodb_row_lock_waits", false}, {"Innodb_row_lock_time", false},
    {"Innodb_buffer_pool_read_requests", false}, {"Innodb_buffer_pool_reads", false},
    {"Innodb_data_written", false}, {"Bytes_received", false}, {"Bytes_sent", false},
};
/* clang-format on */

static const struct status_name pgsql[] = {
    {"active", true},         {"numbackends", true},   {"xact_commit", false},
    {"xact_rollback", false}, {"tup_returned", false}, {"tup_fetched", false},
    {"tup_inserted", false},  {"tup_updated", false},  {"tup_deleted", false},
    {"blks_hit", false},      {"blks_read", false},    {"temp_bytes", false},
    {"conflicts", false},     {"deadlocks", false},
};

bool status_names_init(struct status_names *s, const char *driver)
{
    bool rows = strcmp(driver, "mysql") == 0;

    static_assert(sizeof mysql <= sizeof s->name && sizeof pgsql <= sizeof s->name, "room for all");
    *s = (struct status_names){.rows = rows};
    if (rows || strcmp(driver, "pgsql") == 0)
        s->n = rows ? sizeof mysql / sizeof *mysql : sizeof pgsql / sizeof *pgsql;
    memcpy(s->name, rows ? mysql : pgsql, s->n * sizeof *mysql);
    return s->n > 0;
}

void status_names_question(const struct status_names *s, struct str *out)
{
    static const char active[] = /* of another view */
        "(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = "
        "current_database())";

    str_adds(out, s->rows ? "SHOW GLOBAL STATUS WHERE Variable_name IN (" : "SELECT ");
    for (size_t i = 0; i < s->n; i++)
        str_printf(out, s->rows ? "'%s'," : "%s,",
                   strcmp(s->name[i].name, "active") == 0 ? active : s->name[i].name);
    str_adds(out, s->rows ? "'Uptime')"
                          : "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) "
                            "FROM pg_stat_database WHERE datname = current_database()");
}

static bool number(const sql_value *v, double *out)
{
    char text[40], *end;

    if (!v->ptr || v->len == 0 || v->len >= sizeof text)
        return false;
    memcpy(text, v->ptr, v->len);
    text[v->len] = '\0';
    *out = strtod(text, &end);
    return *end == '\0';
}

static bool is_named(const sql_value *v, const char *name)
{
    return v->ptr && v->len == strlen(name) && strncasecmp(name, v->ptr, v->len) == 0;
}

void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, double *up)
{
    if (s->rows && columns >= 2) { /* Variable_name, Value */
        if (is_named(&column[0], "Uptime"))
            number(&column[1], up);
        for (size_t i = 0; i < s->n; i++)
            if (is_named(&column[0], s->name[i].name) && number(&column[1], &r->v[i]))
                r->have |= UINT32_C(1) << i;
    }
    if (!s->rows && columns > s->n)
        number(&column[s->n], up);
    for (size_t i = 0; !s->rows && i < s->n && i < columns; i++)
        if (number(&column[i], &r->v[i]))
            r->have |= UINT32_C(1) << i;
}

void status_names_keep(struct status_names *s, uint32_t have)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        if (have & UINT32_C(1) << i)
            s->name[kept++] = s->name[i];
    s->n = kept;
}

#define CONNECT_LIMIT  (5 * NS_PER_SEC)
#define ANSWER_LIMIT   (100 * NS_PER_MS)
#define QUESTION_LIMIT (30 * NS_PER_SEC)
#define END_LIMIT      NS_PER_SEC /* of what the thread may need to end, beside connecting */

struct server_status {
    struct status_source source; /* of the names */
    struct status_names names;
    const char *driver;
    sql_driver *(*driver_get)(const char *name);
    dur_ns question_limit;
    struct str query;
    struct counters *counters; /* of no client */
    struct sql_host host;
    sql_driver *sql;
    sql_connection *con;
    struct status_lives lives; /* of the thread, as is `con` */

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t changed;
    int fd;         /* of the connection, -1: none */
    _Atomic int at; /* where it is, or was, of a list of several; -1 */
    bool connected, over, ended;
    bool connecting;              /* nothing can wake the thread */
    uint64_t requested, answered; /* numbers of the last request and of the last answer */
    struct status_reading answer;
    char why[160];
};

static struct timespec deadline(dur_ns d)
{
    mono_ns t = clock_mono() + d;
    return (struct timespec){.tv_sec = t / NS_PER_SEC, .tv_nsec = t % NS_PER_SEC};
}

/* --- the thread --- */

static void note_presence(void *arg, const void *connection, enum sql_presence p, int host, int fd)
{
    struct server_status *s = arg;

    (void)connection;
    if (p == SQL_ARRIVED)
        s->at = host;
    pthread_mutex_lock(&s->lock);
    s->fd = fd;
    pthread_mutex_unlock(&s->lock);
}

static void read_values(struct server_status *s, struct status_reading *r)
{
    mono_ns begin = clock_mono();
    double up = 0;
    sql_row *row;

    *r = (struct status_reading){0};
    double settled = (double)sql_settled(); /* so many are counted already */
    sched_limit_waits(begin + s->question_limit);
    sql_result *res = sql_query(s->con, str_cstr(&s->query), s->query.len);
    sched_limit_waits(0);
    if (!res)
        snprintf(r->why, sizeof r->why, "the server refused the query: %.100s",
                 s->con->sql_errmsg ? s->con->sql_errmsg : "no answer");
    while (res && (row = sql_fetch_row(res)))
        status_names_take(&s->names, r, row->values, res->nfields, &up);
    if (res)
        sql_free_results(res);
    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.name[i].name, "xact_commit") == 0)
            r->v[i] -= settled;
    mono_ns end = clock_mono();
    r->at = begin + (end - begin) / 2;
    r->cost_ns = end - begin;
    status_join(&s->lives, s->names.name, s->names.n, up, r);
}

static void disconnect(struct server_status *s)
{
    sql_connection_free(s->con);
    s->con = NULL;
}

static void make_connection(struct server_status *s)
{
    pthread_mutex_lock(&s->lock);
    bool over = s->over;
    s->connecting = !over;
    pthread_cond_broadcast(&s->changed); /* whoever waits for the end */
    pthread_mutex_unlock(&s->lock);
    if (over)
        return;
    sched_limit_waits(clock_mono() + CONNECT_LIMIT);
    s->con = sql_connect(s->sql, &s->host);
    sched_limit_waits(0);
    pthread_mutex_lock(&s->lock);
    s->connecting = false;
    pthread_mutex_unlock(&s->lock);
}

/* A request on the connection, or on a new one in place of one that was lost. */
static void answer(struct server_status *s, struct status_reading *r)
{
    if (!s->con)
        make_connection(s);
    if (s->con) {
        read_values(s, r);
        if (!sql_connection_is_up(s->con) || sql_error_class(s->con) == ERROR_CONNECTION)
            disconnect(s); /* up or not, the policy of the clients' errors decides that */
        return;
    }
    *r = (struct status_reading){.at = clock_mono()};
    snprintf(r->why, sizeof r->why,
             "the connection for --server-status was lost, and there is no new one yet");
    status_join(&s->lives, s->names.name, s->names.n, 0, r);
}

static void *status_thread(void *arg)
{
    struct server_status *s = arg;
    struct status_reading r = {0};

    log_mute_thread(true); /* its failures are reasons of n/a, not of the run */
    s->sql = s->driver_get(s->driver);
    if (s->sql)
        make_connection(s);
    if (s->con)
        read_values(s, &r);
    pthread_mutex_lock(&s->lock);
    /* servers of different kinds and versions have different counters: only those that this one has
     * are shown */
    if (!s->over && r.have) { /* else no reader waits, or there was no answer */
        status_names_keep(&s->names, r.have);
        s->lives = (struct status_lives){0}; /* its values are of all names */
        s->source.n = s->names.n;
        str_reset(&s->query);
        status_names_question(&s->names, &s->query);
    }
    s->connected = s->con && !s->over;
    if (!s->con && !s->over)
        snprintf(s->why, sizeof s->why, "no connection for --server-status could be made");
    pthread_cond_broadcast(&s->changed);
    while (s->connected && !s->over) { /* serve requests */
        if (s->requested == s->answered) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        uint64_t request = s->requested;
        pthread_mutex_unlock(&s->lock);
        answer(s, &r);
        pthread_mutex_lock(&s->lock);
        s->answer = r;
        s->answered = request;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    if (s->con)
        disconnect(s);
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- the reporting side --- */

static void read_status(void *arg, struct status_reading *out)
{
    struct server_status *s = arg;
    int rc = 0;

    *out = (struct status_reading){.at = clock_mono()};
    pthread_mutex_lock(&s->lock);
    if (!s->connected) {
        snprintf(out->why, sizeof out->why, "%s", s->why);
        pthread_mutex_unlock(&s->lock);
        return;
    }
    uint64_t request = ++s->requested;
    pthread_cond_broadcast(&s->changed);
    struct timespec limit = deadline(ANSWER_LIMIT);
    while (s->answered < request && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
    *out = s->answer;
    if (s->answered < request) { /* it is what was last known */
        out->at = clock_mono();
        out->have = 0;
        snprintf(out->why, sizeof out->why, "the server did not answer within 0.1 s");
    }
    pthread_mutex_unlock(&s->lock);
}

struct server_status *server_status_new_with(const char *driver,
                                             sql_driver *(*driver_get)(const char *name),
                                             dur_ns question_limit)
{
    struct status_names names;
    pthread_condattr_t attr;

    if (!status_names_init(&names, driver))
        return NULL;
    struct server_status *s = mem_alloc(sizeof *s);
    s->names = names;
    s->driver = driver;
    s->driver_get = driver_get;
    s->question_limit = question_limit;
    s->source = (struct status_source){
        .arg = s, .read = read_status, .name = s->names.name, .n = s->names.n};
    s->counters = mem_array_aligned(1, sizeof *s->counters);
    s->host = (struct sql_host){
        .arg = s, .counters = s->counters, .presence = note_presence, .auxiliary = true};
    s->fd = -1;
    s->at = -1;
    snprintf(s->why, sizeof s->why, "there is no connection to a server");
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_condattr_destroy(&attr);
    status_names_question(&s->names, &s->query);
    return s;
}

struct server_status *server_status_new(const char *driver)
{
    return server_status_new_with(driver, sql_driver_get, QUESTION_LIMIT);
}

int server_status_host(const struct server_status *s)
{
    return s->at;
}

void server_status_connect(struct server_status *s)
{
    mono_ns until = clock_mono() + CONNECT_LIMIT;

    if (s->running)
        return;

    pthread_mutex_lock(&s->lock);
    s->why[0] = '\0';
    s->running = pthread_create(&s->thread, NULL, status_thread, s) == 0;
    while (s->running && !s->connected && !s->why[0] && !run_is_signalled() &&
           clock_mono() < until) {
        struct timespec piece = deadline(ANSWER_LIMIT);
        pthread_cond_timedwait(&s->changed, &s->lock, &piece);
    }
    if (!s->connected && !s->why[0]) {
        s->over = true; /* from now on the thread changes no names */
        snprintf(s->why, sizeof s->why,
                 "the connection for --server-status did not come up in time");
    }
    pthread_mutex_unlock(&s->lock);
}

const struct status_source *server_status_source(const struct server_status *s)
{
    return &s->source;
}

void server_status_free(struct server_status *s)
{
    struct timespec limit = deadline(END_LIMIT);
    int rc = 0;

    if (!s)
        return;
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->over = true;
        /* a question: wake it up */
        if (s->fd >= 0 && (s->requested != s->answered || !s->connected))
            shutdown(s->fd, SHUT_RDWR);
        pthread_cond_broadcast(&s->changed);
        while (!s->ended && !s->connecting && rc != ETIMEDOUT)
            rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
        bool ended = s->ended;
        pthread_mutex_unlock(&s->lock);
        if (!ended) { /* it connects, or does not end */
            sql_leave();
            pthread_detach(s->thread);
            return;
        }
        pthread_join(s->thread, NULL);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    str_free(&s->query);
    free(s->counters);
    free(s);
}
