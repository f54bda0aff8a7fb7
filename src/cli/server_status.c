/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_status.h.  The thread sleeps on a condition until it is asked, asks the server, and
 * hands the answer over under the lock.  An answer that comes too late is dropped: it belongs to no
 * interval.  At the end the socket is shut down under the library, so that a thread that waits for
 * a server wakes up.
 */
#include "cli/server_status.h"

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
#include "sql/sql.h"

#define CONNECT_LIMIT (5 * NS_PER_SEC)
#define ANSWER_LIMIT  (100 * NS_PER_MS)

static const struct status_name mysql_names[] = {
    {"Threads_running", true},
    {"Threads_connected", true},
    {"Queries", false},
    {"Rows_read", false}, /* MariaDB; it has no Innodb_rows_* from 10.8 on */
    {"Handler_write", false},
    {"Handler_update", false},
    {"Handler_delete", false},
    {"Innodb_rows_read", false},
    {"Innodb_rows_inserted", false},
    {"Innodb_rows_updated", false},
    {"Innodb_rows_deleted", false},
    {"Innodb_row_lock_waits", false},
    {"Innodb_row_lock_time", false},
    {"Innodb_buffer_pool_read_requests", false},
    {"Innodb_buffer_pool_reads", false},
    {"Innodb_data_written", false},
    {"Bytes_received", false},
    {"Bytes_sent", false},
};

static const struct status_name pgsql_names[] = {
    {"active", true},         {"numbackends", true},   {"xact_commit", false},
    {"xact_rollback", false}, {"tup_returned", false}, {"tup_fetched", false},
    {"tup_inserted", false},  {"tup_updated", false},  {"tup_deleted", false},
    {"blks_hit", false},      {"blks_read", false},    {"temp_bytes", false},
    {"conflicts", false},     {"deadlocks", false},
};

struct server_status {
    struct status_source source;
    struct status_name name[STATUS_MAX]; /* what source.name points to */
    bool rows; /* the answer has a row for each name (MySQL), or one row with a column for each */
    const char *driver;
    struct str question;
    struct counters *counters; /* of nobody */
    struct sql_host host;
    sql_connection *con;

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t changed;
    int fd; /* of the connection, -1: none */
    bool connected, over, ended;
    uint64_t asked, answered;
    struct status_reading answer;
    char why[160];
};

static void make_question(struct server_status *s)
{
    struct str *q = &s->question;

    str_adds(
        q,
        s->rows
            ? "SHOW GLOBAL STATUS WHERE Variable_name IN ("
            : "SELECT (SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = "
              "current_database())");
    for (size_t i = s->rows ? 0 : 1; i < s->source.n; i++) /* "active" is the first column */
        str_printf(q, "%s%s%s%s", i ? "," : "", s->rows ? "'" : "", s->source.name[i].name,
                   s->rows ? "'" : "");
    str_adds(q, s->rows ? ")" : " FROM pg_stat_database WHERE datname = current_database()");
}

static struct timespec after(dur_ns d)
{
    mono_ns t = clock_mono() + d;
    return (struct timespec){.tv_sec = t / NS_PER_SEC, .tv_nsec = t % NS_PER_SEC};
}

static void choose_names(struct server_status *s, const struct status_name *name, size_t n)
{
    assert(n <= STATUS_MAX);
    memcpy(s->name, name, n * sizeof *name);
    s->source.name = s->name;
    s->source.n = n;
}

/* --- the thread ------------------------------------------------------------------------------- */

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void note_socket(void *arg, int fd)
{
    struct server_status *s = arg;

    pthread_mutex_lock(&s->lock);
    s->fd = fd;
    pthread_mutex_unlock(&s->lock);
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

static void take(struct status_reading *r, size_t i, const sql_value *v)
{
    if (number(v, &r->v[i]))
        r->have |= UINT32_C(1) << i;
}

/* Variable_name, Value */
static void take_named(const struct server_status *s, struct status_reading *r, const sql_row *row)
{
    const sql_value *name = &row->values[0];

    for (size_t i = 0; i < s->source.n; i++)
        if (name->ptr && strlen(s->source.name[i].name) == name->len &&
            strncasecmp(s->source.name[i].name, name->ptr, name->len) == 0)
            take(r, i, &row->values[1]);
}

static void ask(struct server_status *s, struct status_reading *r)
{
    mono_ns begin = clock_mono(), end;
    sql_result *res = sql_query(s->con, str_cstr(&s->question), s->question.len);
    sql_row *row;

    *r = (struct status_reading){0};
    if (!res)
        snprintf(r->why, sizeof r->why, "the server refused the query: %.100s",
                 s->con->sql_errmsg ? s->con->sql_errmsg : "no answer");
    while (res && (row = sql_fetch_row(res))) {
        if (s->rows)
            take_named(s, r, row);
        else
            for (size_t i = 0; i < s->source.n && i < res->nfields; i++)
                take(r, i, &row->values[i]);
    }
    if (res)
        sql_free_results(res);
    end = clock_mono();
    r->at = begin + (end - begin) / 2;
    r->cost_ns = end - begin;
}

/* Servers of different kinds and ages have different ones: only those that this one has are shown.
 */
static void keep_known(struct server_status *s)
{
    struct status_reading r;
    size_t kept = 0;

    ask(s, &r);
    pthread_mutex_lock(&s->lock);
    if (!s->over && r.have) { /* else nobody waits any more, or it has none of them */
        for (size_t i = 0; i < s->source.n; i++)
            if (r.have & UINT32_C(1) << i)
                s->name[kept++] = s->name[i];
        s->source.n = kept;
        str_reset(&s->question);
        make_question(s);
    }
    pthread_mutex_unlock(&s->lock);
}

static void serve(struct server_status *s)
{
    struct status_reading r;
    uint64_t question;

    pthread_mutex_lock(&s->lock);
    while (!s->over) {
        if (s->asked == s->answered) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        question = s->asked;
        pthread_mutex_unlock(&s->lock);
        ask(s, &r);
        pthread_mutex_lock(&s->lock);
        s->answer = r;
        s->answered = question;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

static void *status_thread(void *arg)
{
    struct server_status *s = arg;
    sql_driver *d;

    log_mute_thread(true); /* its failures are the reasons of n/a, not the run's */
    d = sql_driver_get(s->driver);
    s->con = d ? sql_connect(d, &s->host) : NULL;
    if (s->con)
        keep_known(s);
    pthread_mutex_lock(&s->lock);
    s->connected = s->con && !s->over;
    if (!s->con && !s->over)
        snprintf(s->why, sizeof s->why, "no connection for --server-status could be made");
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->con) {
        serve(s);
        sql_disconnect(s->con);
        sql_connection_free(s->con);
    }
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- the reporting side ----------------------------------------------------------------------- */

static void read_status(void *arg, struct status_reading *out)
{
    struct server_status *s = arg;
    struct timespec limit;
    uint64_t question;
    int rc = 0;

    *out = (struct status_reading){.at = clock_mono()};
    pthread_mutex_lock(&s->lock);
    if (!s->connected) {
        snprintf(out->why, sizeof out->why, "%s", s->why);
        pthread_mutex_unlock(&s->lock);
        return;
    }
    question = ++s->asked;
    pthread_cond_broadcast(&s->changed);
    limit = after(ANSWER_LIMIT);
    while (s->answered < question && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
    if (s->answered >= question)
        *out = s->answer;
    else
        snprintf(out->why, sizeof out->why, "the server did not answer within 0.1 s");
    pthread_mutex_unlock(&s->lock);
}

struct server_status *server_status_new(const char *driver)
{
    bool mysql = strcmp(driver, "mysql") == 0;
    struct server_status *s;
    pthread_condattr_t attr;

    if (!mysql && strcmp(driver, "pgsql") != 0)
        return NULL;
    s = mem_alloc(sizeof *s);
    s->rows = mysql;
    s->driver = driver;
    s->source = (struct status_source){.arg = s, .read = read_status};
    if (mysql)
        choose_names(s, mysql_names, sizeof mysql_names / sizeof *mysql_names);
    else
        choose_names(s, pgsql_names, sizeof pgsql_names / sizeof *pgsql_names);
    s->counters = mem_array_aligned(1, sizeof *s->counters);
    s->host = (struct sql_host){.arg = s,
                                .counters = s->counters,
                                .keep_trying = never,
                                .connected = note_socket,
                                .aside = true};
    s->fd = -1;
    snprintf(s->why, sizeof s->why, "there is no connection to a server");
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_condattr_destroy(&attr);
    make_question(s);
    return s;
}

void server_status_connect(struct server_status *s)
{
    struct timespec limit = after(CONNECT_LIMIT);
    int rc = 0;

    if (s->running)
        return;

    pthread_mutex_lock(&s->lock);
    s->why[0] = '\0';
    s->running = pthread_create(&s->thread, NULL, status_thread, s) == 0;
    while (s->running && !s->connected && !s->why[0] && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
    if (!s->connected && !s->why[0]) {
        s->over = true; /* names may be read from now on: the thread changes nothing any more */
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
    if (!s)
        return;
    if (s->running) {
        bool stuck;
        pthread_mutex_lock(&s->lock);
        stuck =
            s->over && !s->ended; /* still connecting: nothing can wake it, the process ends soon */
        s->over = true;
        if (s->fd >= 0 && s->asked != s->answered) /* it waits for the server: wake it up */
            shutdown(s->fd, SHUT_RDWR);
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
        if (stuck) {
            pthread_detach(s->thread);
            return;
        }
        pthread_join(s->thread, NULL);
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    str_free(&s->question);
    free(s->counters);
    free(s);
}
