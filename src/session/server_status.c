/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See server_status.h.  The thread waits for a request, queries the server, and passes the answer
 * on under the lock.  A late answer is dropped: it belongs to no interval.  At the end the socket
 * is shut down under the client library, which wakes a thread that waits for the server.  Nothing
 * wakes one that connects: the end of the run leaves it alone, and does not wait.
 *
 * If the connection is lost, the next request begins with a new one, made by the thread: the
 * reporting side waits no longer than for any other answer.  One without an answer for
 * STATUS_QUESTION_LIMIT is taken for lost: its server may have moved, and its old host swallow all
 * packets.
 */
#include "session/server_status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/run.h"
#include "fiber/sched.h"
#include "session/answers.h"
#include "session/status_thread.h"
#include "telemetry/proc.h"

#define CONNECT_LIMIT    (5 * NS_PER_SEC)
#define QUIET_LIMIT      NS_PER_SEC       /* for what nobody asked for, as far as the start waits */
#define STATEMENTS_LIMIT (2 * NS_PER_SEC) /* the final report waits for them no longer */
#define END_LIMIT        NS_PER_SEC /* of what the thread may need to end, beside connecting */

/* With the lock, for a change.  False: it is that late. */
static bool wait_until(struct server_status *s, mono_ns t)
{
    struct timespec at = {.tv_sec = t / NS_PER_SEC, .tv_nsec = t % NS_PER_SEC};

    return pthread_cond_timedwait(&s->changed, &s->lock, &at) != ETIMEDOUT;
}

static void tell_missing(const struct server_status *s, struct status_reading *r, const char *why)
{
    snprintf(r->why, sizeof r->why, "%s", why);
    r->others.why = why;
    r->waits.why = s->wants.no_waits ? s->wants.no_waits : why;
}

/* All names become the question. */
static void ask_for_names(struct server_status *s)
{
    s->source.n = s->names.n;
    str_reset(&s->query);
    status_names_question(&s->names, &s->query);
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

/* In the server's own words, and whose limit it is, where these do not say so. */
static void note_error(void *arg, const struct sql_error *e)
{
    struct server_status *s = arg;
    const char *fatal = e->text ? strstr(e->text, "FATAL:  ") : NULL; /* PostgreSQL's */
    const char *text = fatal ? fatal + 8 : e->text ? e->text : "";
    bool limit = e->class == ERROR_OVERLOAD && !strstr(text, "max_") &&
                 strncmp(text, "too many connections for", 24) != 0;
    snprintf(s->error, sizeof s->error, "%s: %.*s (%s)", limit ? " (max_connections)" : "",
             (int)strcspn(text, "\n"), text, e->state);
}

static void disconnect(struct server_status *s)
{
    status_waits_end(s);
    sql_connection_free(s->con);
    s->con = NULL;
    s->others.asked = s->others.direct = false;
    s->others.newest = 0; /* ids of a server that was restarted begin anew */
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
    if (s->con)
        status_waits_begin(s);
    pthread_mutex_lock(&s->lock);
    s->connecting = false;
    pthread_mutex_unlock(&s->lock);
}

static void drop_lost(struct server_status *s)
{
    if (s->con && answers_lost(s->con))
        disconnect(s);
}

/* A request on the connection, or on a new one in place of one that was lost. */
static void answer(struct server_status *s, struct status_reading *r, uint64_t request)
{
    if (!s->con)
        make_connection(s);
    if (s->con) {
        status_values_read(s, r, request);
        drop_lost(s);
        return;
    }
    *r = (struct status_reading){.at = clock_mono()};
    r->others = s->others.sum;
    r->waits = s->waits.sum;
    tell_missing(s, r, "the connection that watches the server was lost");
    status_values_join(s, 0, r);
}

/* With the lock, as the next.  False: a sample of waits is due instead. */
static bool wait_for_request(struct server_status *s)
{
    if (s->con && s->waits.due && !s->waits.refused && !s->wants.no_waits)
        return wait_until(s, s->hurried && s->waits.early < s->waits.due ? s->waits.early
                                                                         : s->waits.due);
    pthread_cond_wait(&s->changed, &s->lock);
    return true;
}

/* With the lock: what no request is for. */
static void work_between(struct server_status *s)
{
    const unsigned wanted = s->wanted;
    const bool last = s->listed;

    s->sampling = true;
    pthread_mutex_unlock(&s->lock);
    sched_limit_waits(clock_mono() + s->question_limit);
    if (wanted == s->told)
        status_waits_sample(s, clock_mono() < s->waits.due);
    else
        server_statements_list(&s->lists, s->con, s->names.rows, last, &s->waits.asked);
    sched_limit_waits(0);
    drop_lost(s);
    pthread_mutex_lock(&s->lock);
    s->answer.waits = s->waits.sum; /* for a reader that waits no longer for an answer */
    s->sampling = false;
    s->told = wanted;
    pthread_cond_broadcast(&s->changed);
}

static void *status_thread(void *arg)
{
    struct server_status *s = arg;
    struct status_reading r = {0};

    log_mute_thread(true); /* its failures are reasons of n/a, not of the run */
    s->sql = s->driver_get(s->driver);
    if (s->sql)
        make_connection(s);
    if (s->con && s->wants.counters)
        status_values_read(s, &r, 0);
    pthread_mutex_lock(&s->lock);
    /* servers of different kinds and versions have different counters: only those that this one has
     * are shown */
    if (!s->over && r.have) { /* else no reader waits, or there was no answer */
        status_names_keep(&s->names, r.have);
        s->lives = (struct status_lives){0}; /* its values are of all names */
        ask_for_names(s);
    }
    s->connected = s->con && !s->over;
    if (!s->con && !s->over)
        snprintf(s->why, sizeof s->why, "no connection for --server-%s could be made%s",
                 s->wants.counters ? "status" : "waits", s->error);
    pthread_cond_broadcast(&s->changed);
    while (s->connected && !s->over) { /* serve requests */
        if (s->requested == s->answered) {
            if (s->told != s->wanted || !wait_for_request(s))
                work_between(s);
            continue;
        }
        uint64_t request = s->requested;
        pthread_mutex_unlock(&s->lock);
        answer(s, &r, request);
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

static bool is_stopped(int root, pid_t pid)
{
    struct proc_stat st;

    return proc_stat_read(root, pid, &st) == 0 && (st.state == 'T' || st.state == 't');
}

static void look_at_server(void *arg)
{
    struct server_status *s = arg;

    pthread_mutex_lock(&s->lock);
    if (s->process && is_stopped(s->proc, s->process) &&
        (!s->backend || is_stopped(s->proc, s->backend)))
        ring_stopped(&s->ring, clock_mono());
    s->hurried = s->source.quiet;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static bool tell_between(void *arg, mono_ns from, mono_ns to, char *out, size_t size)
{
    struct server_status *s = arg;

    pthread_mutex_lock(&s->lock);
    bool known = ring_tell(&s->ring, from, to, out, size);
    pthread_mutex_unlock(&s->lock);
    return known;
}

static void read_status(void *arg, struct status_reading *out)
{
    struct server_status *s = arg;

    *out = (struct status_reading){.at = clock_mono()};
    pthread_mutex_lock(&s->lock);
    if (!s->connected) {
        tell_missing(s, out, s->why);
        pthread_mutex_unlock(&s->lock);
        return;
    }
    uint64_t request = ++s->requested;
    pthread_cond_broadcast(&s->changed);
    mono_ns limit = clock_mono() + STATUS_ANSWER_LIMIT;
    while (s->answered < request && wait_until(s, limit))
        ;
    *out = s->answer;
    if (s->answered < request && s->counted < request) { /* it is what was last known */
        out->at = clock_mono();
        out->have = 0;
        out->others.why = "the server did not answer within 0.1 s";
        snprintf(out->why, sizeof out->why, "the server did not answer within 0.1 s");
    }
    pthread_mutex_unlock(&s->lock);
}

static void ask_for_list(void *arg)
{
    struct server_status *s = arg;

    pthread_mutex_lock(&s->lock);
    s->wanted += s->connected && !s->listed;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void read_statements(void *arg, const struct status_span *v, struct status_statements *out)
{
    struct server_status *s = arg;
    const struct statement_lists *l = &s->lists;
    const mono_ns limit = clock_mono() + STATEMENTS_LIMIT;
    size_t i[2] = {0};

    pthread_mutex_lock(&s->lock);
    if (s->wanted && !s->listed) {
        s->listed = true;
        s->wanted++;
        pthread_cond_broadcast(&s->changed);
        while (s->told != s->wanted && wait_until(s, limit))
            ;
    }
    for (int k = 0; k < 2 && s->told == s->wanted; k++)
        while (i[k] + 1 < l->n && l->of[i[k]].at < v->at[k])
            i[k]++;
    if (i[0] < i[1] && l->of[i[0]].at <= v->by[0] && l->of[i[1]].at <= v->by[1])
        server_statements_diff(l, i[0], i[1], s->names.rows, out);
    else
        *out = (struct status_statements){
            .why = s->connected ? "the server did not list its statements in time" : s->why};
    pthread_mutex_unlock(&s->lock);
}

struct server_status *server_status_new(const char *driver,
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
    s->source = (struct status_source){.arg = s,
                                       .read = read_status,
                                       .name = s->names.name,
                                       .look = look_at_server,
                                       .between = tell_between};
    s->wants.counters = s->wants.waits = s->source.waits = true;
    s->counters = mem_array_aligned(1, sizeof *s->counters);
    s->waits.dialect = names.rows ? WAITS_MARIADB : WAITS_PGSQL;
    s->proc = -1;
    s->waits.blocker = -1;
    rng_seed_pair(&s->waits.chance, (uint64_t)clock_mono(), (uint64_t)getpid());
    s->host = (struct sql_host){.arg = s,
                                .counters = s->counters,
                                .presence = note_presence,
                                .error = note_error,
                                .auxiliary = true};
    s->fd = -1;
    s->at = -1;
    snprintf(s->why, sizeof s->why, "there is no connection to a server");
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_condattr_destroy(&attr);
    ask_for_names(s);
    return s;
}

int server_status_add(struct server_status *s, const char *variables, char *const *query,
                      size_t queries, struct err *e)
{
    int rc = variables ? status_names_add(&s->names, variables, e) : 0;

    for (size_t i = 0; i < queries && !rc; i++)
        rc = status_names_add_query(&s->names, query[i], e);
    ask_for_names(s);
    return rc;
}

void server_status_want(struct server_status *s, const struct server_status_wants *w)
{
    s->wants.counters = w->counters;
    s->wants.shared = w->shared;
    s->wants.no_waits = w->no_waits;
    s->wants.waits = w->waits;
    s->source.waits = w->waits && !w->quiet; /* until clients turn out to connect */
    s->source.quiet = w->quiet;
    s->source.list = w->counters ? ask_for_list : NULL;
    s->source.statements = read_statements;
    if (!w->counters)
        s->source.n = s->names.n = s->names.own = 0;
    s->others.sum.why = s->others.sum.no_work =
        w->counters ? NULL : "not asked for (--server-status)";
}

int server_status_host(const struct server_status *s)
{
    return s->at;
}

void server_status_connect(struct server_status *s)
{
    mono_ns until =
        clock_mono() + (s->source.quiet && !s->wants.counters ? QUIET_LIMIT : CONNECT_LIMIT);

    s->source.waits = s->wants.waits;
    if (s->running || (!s->wants.counters && s->wants.no_waits))
        return;

    s->proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    pthread_mutex_lock(&s->lock);
    s->why[0] = '\0';
    s->running = pthread_create(&s->thread, NULL, status_thread, s) == 0;
    while (s->running && !s->connected && !s->why[0] && !run_is_signalled() && clock_mono() < until)
        wait_until(s, clock_mono() + STATUS_ANSWER_LIMIT);
    if (!s->connected && !s->why[0]) {
        s->over = true; /* from now on the thread changes no names */
        snprintf(s->why, sizeof s->why, "the connection for --server-%s did not come up in time",
                 s->wants.counters ? "status" : "waits");
    }
    pthread_mutex_unlock(&s->lock);
}

const struct status_source *server_status_source(const struct server_status *s)
{
    return &s->source;
}

void server_status_free(struct server_status *s)
{
    mono_ns limit = clock_mono() + END_LIMIT;

    if (!s)
        return;
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->over = true;
        /* a question: wake it up */
        if (s->fd >= 0 && (s->requested != s->answered || s->sampling || !s->connected))
            shutdown(s->fd, SHUT_RDWR);
        pthread_cond_broadcast(&s->changed);
        while (!s->ended && !s->connecting && wait_until(s, limit))
            ;
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
    free(s->others.ids.id);
    status_names_free(&s->names);
    for (size_t i = 0; i < COUNT(s->reason); i++)
        free(s->reason[i]);
    str_free(&s->others.query);
    server_statements_free(&s->lists);
    server_waits_free(&s->waits.list);
    free(s->counters);
    fd_close(s->proc);
    free(s);
}
