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

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/run.h"
#include "fiber/sched.h"
#include "report/snapshot.h"
#include "session/other_sessions.h"
#include "session/server_statements.h"
#include "session/server_waits.h"
#include "session/session_threads.h"
#include "session/status_names.h"
#include "session/wait_ring.h"
#include "sql/sql.h"
#include "sql/sql_sessions.h"
#include "telemetry/discover.h"
#include "telemetry/proc.h"

#define CONNECT_LIMIT  (5 * NS_PER_SEC)
#define QUIET_LIMIT    NS_PER_SEC /* for what nobody asked for, as far as the start waits */
#define ANSWER_LIMIT   (100 * NS_PER_MS)
#define QUESTION_LIMIT (30 * NS_PER_SEC)
/* Between two samples of waits: so many times what one costs the server, which is about what the
 * quickest of the last few took, and never less or more than these; where nobody asked for them,
 * five times as long, because they count in the server's CPU time per transaction: */
#define SAMPLE_SHARE     200
#define SAMPLE_LEAST     (100 * NS_PER_MS)
#define SAMPLE_MOST      (2 * NS_PER_SEC)
#define COSTS            8
#define WHO_PAUSE        NS_PER_SEC
#define THREADS_MOST     200        /* that are looked at in one sample */
#define TOLD_LATER       NS_PER_SEC /* PostgreSQL tells of what was executed before that */
#define REASONS          64
#define STATEMENTS_LIMIT (2 * NS_PER_SEC) /* the final report waits for them no longer */
#define END_LIMIT        NS_PER_SEC /* of what the thread may need to end, beside connecting */

struct server_status {
    struct status_source source; /* of the names */
    struct status_names names;
    const char *driver;
    sql_driver *(*driver_get)(const char *name);
    dur_ns question_limit;
    struct server_status_wants wants; /* constant */
    struct str query;
    char *reason[REASONS];     /* of readings, which may be those of long ago */
    struct counters *counters; /* of no client */
    struct sql_host host;
    sql_driver *sql;
    sql_connection *con;
    struct status_lives lives; /* of the thread, as are `con` and the next */
    struct {
        bool shared; /* constant */
        bool asked;  /* who this connection is */
        bool direct; /* no proxy stands before the server */
        bool greets; /* logins execute its init_connect, and it counts that */
        uint64_t newest;
        mono_ns at; /* when it was last known; 0: never */
        struct status_others sum;
        struct sql_ids ids;
        struct str query;
    } others;
    struct {
        enum wait_dialect dialect;
        bool found;          /* the server understands it */
        bool filled;         /* and fills its tables: of this connection, as the next two */
        bool here;           /* it has the sessions of all load hosts */
        const char *refused; /* why it never told; NULL */
        mono_ns due;         /* the next sample; 0: none before there was a request */
        /* Questions, which the server counts as well: until now, and until each of the last
         * samples; PostgreSQL tells of them later, as of all. */
        double asked;
        struct {
            mono_ns at;
            double asked;
        } until[32];
        double counted; /* of these, what the server's last answer has */
        size_t samples;
        dur_ns cost[COSTS], pause;
        struct rng chance; /* samples keep no time with the load */
        mono_ns at;        /* of the last that knew, 0: none did; and what it saw: */
        struct server_waits_seen seen;
        struct server_waits list, before; /* this one's, and that one's */
        int64_t blocker;                  /* the last; -1 */
        mono_ns blocker_at;               /* then it was named */
        int proc;                         /* /proc; -1: threads of the server cannot be seen */
        pid_t process;
        struct session_threads threads;
        struct status_waits sum;
    } waits;

    struct server_statements listed[2]; /* when measuring began and ended; the thread's, and after
                                         * an answer the reporting side's */

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t changed;
    int fd;         /* of the connection, -1: none */
    _Atomic int at; /* where it is, or was, of a list of several; -1 */
    bool connected, over, ended;
    bool sampling;   /* without a request */
    bool connecting; /* nothing can wake the thread */
    /* Numbers of the last request and of the last answer: of the counters, and of all. */
    uint64_t requested, counted, answered;
    unsigned wanted, told; /* so often: the statements */
    bool measured;         /* the last time at the end */
    struct status_reading answer;
    struct wait_ring ring;
    pid_t process; /* of the server, on this machine; 0: not known */
    pid_t backend; /* of the connection, where it has a process; 0 */
    char why[160];
};

static const char no_others[] =
    "the connections of other load hosts cannot be told from those of others";

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

/* --- sessions of others --- */

static const char *ask_others(struct server_status *s, double all,
                              struct other_sessions_answer *answer)
{
    bool rows = s->names.rows, told = false;
    uint64_t own = sql_connection_session(s->con);
    sql_row *row;

    sql_sessions_list(sql_connection_server(s->con), &s->others.ids);
    if (!s->others.ids.up)
        return "this program does not know its own sessions";
    *answer = (struct other_sessions_answer){.newest = s->others.newest};
    if (rows && s->others.direct && all == (double)s->others.ids.up)
        return NULL; /* there are no others: the list would cost more */
    str_reset(&s->others.query);
    other_sessions_question(&s->others.query, rows, &s->others.ids, s->others.newest,
                            s->others.at ? clock_mono() - s->others.at : 0);
    sql_result *res = sql_query(s->con, str_cstr(&s->others.query), s->others.query.len);
    while ((row = answer_row(res)) != NULL)
        told = other_sessions_take(answer, row->values, res->nfields);
    if (!told)
        return "the server refused the query for its sessions";
    s->others.direct = answer->own == own;
    return other_sessions_why(answer, rows, own, all);
}

static void read_others(struct server_status *s, struct status_reading *r)
{
    struct status_others *sum = &s->others.sum;
    struct other_sessions_answer answer = {0};
    double all = 0;

    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.name[i].name, "Threads_connected") == 0)
            all = r->v[i];
    sum->why = s->others.shared ? no_others
               : !r->have       ? "the server did not answer"
                                : ask_others(s, all, &answer);
    if (!sum->why) {
        mono_ns now = clock_mono();
        dur_ns since = s->others.at ? now - s->others.at : 0;
        sum->connected = answer.connected;
        sum->known += since;
        sum->active += since * answer.active;
        sum->busy += answer.active ? since : 0;
        s->others.newest = answer.newest;
        s->others.at = now;
    } else if (answer.own && s->others.direct) { /* a mean of the rest would be too low */
        sum->hidden++;
        sum->hides = sum->why;
    }
    r->others = *sum;
}

/* --- waits --- */

/* Up or not, the policy of the clients' errors decides that. */
static bool is_lost(const struct server_status *s)
{
    return !sql_connection_is_up(s->con) || sql_error_class(s->con) == ERROR_CONNECTION;
}

/* A number that is the answer to a question; 0: there is none. */
static double ask_number(struct server_status *s, const char *question)
{
    double v = 0;
    sql_row *row;

    sql_result *res = sql_query(s->con, question, strlen(question));
    while ((row = answer_row(res)) != NULL)
        if (res->nfields < 1 || !answer_number(&row->values[0], &v))
            v = 0;
    return v;
}

/* A server without its performance schema has the tables, too: they are empty. */
static bool fills_tables(struct server_status *s)
{
    if (s->waits.dialect != WAITS_PERFORMANCE || s->waits.filled)
        return true;
    s->waits.asked++;
    return s->waits.filled = ask_number(s, "SELECT @@performance_schema") > 0;
}

/* Older and newer MySQL, and MariaDB, have different tables.  NULL, or why none of them told. */
static const char *list_waits(struct server_status *s)
{
    const int last = s->names.rows ? WAITS_PERFORMANCE : WAITS_PGSQL;
    const char *why = NULL;
    bool told = false;
    sql_row *row;

    for (int d = s->waits.dialect; d <= last && !told; d++) {
        const char *question = server_waits_question((enum wait_dialect)d);
        s->waits.asked++;
        sql_result *res = sql_query(s->con, question, strlen(question));
        if (!res)
            why = is_lost(s) ? "the server did not answer"
                             : server_waits_refused((enum wait_dialect)d, s->con->sql_errno, why);
        if (!res && (s->waits.found || is_lost(s)))
            return why;
        told = res != NULL;
        server_waits_clear(&s->waits.list);
        while ((row = answer_row(res)) != NULL)
            told &=
                server_waits_take(&s->waits.list, (enum wait_dialect)d, row->values, res->nfields);
        if (told)
            s->waits.dialect = (enum wait_dialect)d;
    }
    s->waits.found |= told;
    if (!told)
        return why ? why : "the server's answer about waits is not understood";
    s->waits.found &= fills_tables(s);
    return s->waits.found ? NULL : "the server's performance_schema is off";
}

/* The server's process, if it runs on this machine, and has a thread for each session. */
static void find_process(struct server_status *s)
{
    struct discover *d = discover_new("/proc");
    struct err e = {0};
    bool tree = false;
    pid_t pid;

    discover_note_fd(d, s->fd);
    s->waits.proc = -1;
    if (discover_resolve(d, &pid, 1, &tree, &e) == 1) {
        s->waits.process = pid;
        s->waits.proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    if (s->waits.proc >= 0 && !thread_numbers_shared(s->waits.proc, pid)) {
        close(s->waits.proc);
        s->waits.proc = -1;
    }
    discover_free(d);
    pthread_mutex_lock(&s->lock);
    s->process = s->waits.proc >= 0 ? pid : 0;
    s->backend = s->names.rows ? 0 : (pid_t)sql_connection_session(s->con);
    pthread_mutex_unlock(&s->lock);
}

/* Of many, those of some say what those of the others do. */
static void look_at_threads(struct server_status *s)
{
    size_t looked = 0;

    for (size_t i = 0; s->names.rows && s->waits.proc >= 0 && i < s->waits.list.sessions; i++) {
        struct session_wait *v = &s->waits.list.session[i];
        if (v->ours && (!v->told || v->may_run) && v->thread && looked++ < THREADS_MOST)
            server_waits_thread(v, thread_does(s->waits.proc, s->waits.process, v->thread));
    }
}

/* Names the session of others that blocks most. */
static void name_blocker(struct server_status *s, int64_t blocker)
{
    struct status_waits *sum = &s->waits.sum;
    bool told = blocker == s->waits.blocker; /* it may have ended meanwhile */
    mono_ns now = clock_mono();
    sql_row *row;

    if (blocker < 0 || (told && now - s->waits.blocker_at < WHO_PAUSE))
        return;
    s->waits.blocker_at = now;
    sum->blockers += !told;
    s->waits.blocker = blocker;
    str_reset(&s->others.query);
    server_waits_who_question(&s->others.query, s->names.rows, blocker);
    s->waits.asked++;
    sql_result *res = sql_query(s->con, str_cstr(&s->others.query), s->others.query.len);
    while ((row = answer_row(res)) != NULL) {
        server_waits_who(sum->who, sizeof sum->who, s->names.rows, blocker, row->values,
                         res->nfields);
        told = true;
    }
    if (!told)
        server_waits_who(sum->who, sizeof sum->who, s->names.rows, blocker, NULL, 0);
}

/* Does the server call this connection as the library does?  Once for each. */
static bool is_direct(struct server_status *s)
{
    const char *question =
        s->names.rows ? "SELECT CONNECTION_ID()" : "SELECT pg_catalog.pg_backend_pid()";

    if (!s->others.asked && (!s->wants.counters || s->others.shared)) { /* else the list says so */
        s->others.asked = true;
        s->waits.asked++;
        s->others.direct = ask_number(s, question) == (double)sql_connection_session(s->con);
    }
    return s->others.direct;
}

/* Other load hosts may be at a proxy, or another server.  Once all were here, they are. */
static bool are_here(struct server_status *s)
{
    struct str *q = &s->others.query;

    if (!s->others.shared || s->waits.here)
        return true;
    str_reset(q);
    str_adds(q, s->names.rows ? "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (0"
                              : "SELECT count(*) FROM pg_stat_activity WHERE pid IN (0");
    for (size_t i = 0; i < s->others.ids.n; i++)
        str_printf(q, ",%lld", (long long)s->others.ids.id[i]);
    str_adds(q, ")");
    s->waits.asked++;
    return s->waits.here = ask_number(s, q->s) >= (double)s->others.ids.up;
}

static const char *ask_waits(struct server_status *s)
{
    if (s->wants.no_waits || s->waits.refused)
        return s->wants.no_waits ? s->wants.no_waits : s->waits.refused;
    if (!is_direct(s)) /* `ours` are not known */
        return s->wants.counters && s->others.sum.why ? s->others.sum.why
               : is_lost(s)                           ? "the server did not answer"
                                                      : other_sessions_proxied;
    sql_sessions_list(sql_connection_server(s->con), &s->others.ids);
    if (!s->others.ids.up)
        return "this program does not know its own sessions";
    if (s->others.ids.changing || !are_here(s))
        return "not all sessions of other load hosts are known";
    const char *why = list_waits(s);
    if (why && !s->waits.found && !is_lost(s)) /* it would log each refusal */
        s->waits.refused = why;
    return why;
}

/* As long as what was sampled took at least, which may be more than it cost: the server's CPUs are
 * others' as well. */
static mono_ns next_sample(struct server_status *s, mono_ns began)
{
    mono_ns now = clock_mono();
    dur_ns least = now - began, pause, shortest = (s->source.quiet ? 5 : 1) * SAMPLE_LEAST;

    if (s->waits.samples <= 1) /* it cost more than later ones, and the load had not begun */
        return now + SAMPLE_LEAST;
    s->waits.cost[s->waits.sum.samples % COSTS] = now - began;
    for (size_t i = 0; i < COSTS; i++)
        if (s->waits.cost[i] && s->waits.cost[i] < least)
            least = s->waits.cost[i];
    pause = SAMPLE_SHARE * least;
    pause = pause < shortest ? shortest : pause > SAMPLE_MOST ? SAMPLE_MOST : pause;
    if (pause < now - began)
        pause = now - began;
    s->waits.pause = pause;
    return now + (dur_ns)((0.5 + rng_double(&s->waits.chance)) * (double)pause);
}

/* `anew`: they are of a sample that is added for the first time.  From n * n to the next square it
 * is 2 * n + 1. */
static void add_sessions(struct status_waits *sum, const struct server_waits *list, dur_ns time,
                         bool anew)
{
    unsigned n[WAIT_CLASSES] = {0};

    for (size_t i = 0; i < list->sessions; i++) {
        const struct session_wait *v = &list->session[i];
        if (!v->ours)
            continue;
        waits_add(sum, v->class, v->name, time);
        sum->hits[v->class] += anew;
        sum->squares[v->class] += anew ? 2 * n[v->class]++ + 1 : 0;
    }
}

/* For standstills; `seen` NULL: why is known, and nothing else. */
static void note_sample(struct server_status *s, mono_ns asked, mono_ns answered,
                        const struct server_waits_seen *seen)
{
    pthread_mutex_lock(&s->lock);
    ring_add(&s->ring, asked, answered, s->waits.sum.why, &s->waits.before, seen, s->waits.sum.who);
    pthread_mutex_unlock(&s->lock);
}

/* Between two samples it is as if half of the time had been like each. */
static void sample_waits(struct server_status *s)
{
    struct status_waits *sum = &s->waits.sum;
    mono_ns now = clock_mono();

    s->waits.until[s->waits.samples % COUNT(s->waits.until)].at = now;
    s->waits.until[s->waits.samples++ % COUNT(s->waits.until)].asked = s->waits.asked;
    sum->why = ask_waits(s);
    mono_ns answered = clock_mono();
    s->waits.due = s->wants.no_waits || s->waits.refused ? 0 : next_sample(s, now);
    if (sum->why) {
        note_sample(s, now, answered, NULL);
        s->waits.at = 0;
        sum->blocked = false;
        return;
    }
    sum->samples++;
    sum->asking += clock_mono() - now;
    struct server_waits_seen seen = server_waits_see(&s->waits.list, &s->others.ids);
    look_at_threads(s);
    if (s->waits.at && sum->samples > 2) { /* see next_sample() */
        dur_ns half = (now - s->waits.at) / 2;
        sum->known += 2 * half;
        sum->behind += half * (seen.behind + s->waits.seen.behind);
        add_sessions(sum, &s->waits.before, half, false);
        add_sessions(sum, &s->waits.list, half, true);
    }
    sum->seen += seen.locks > 0;
    sum->blocked = seen.blocker >= 0;
    s->waits.at = now;
    s->waits.seen = seen;
    struct server_waits swap = s->waits.before;
    s->waits.before = s->waits.list;
    s->waits.list = swap;
    name_blocker(s, seen.blocker);
    note_sample(s, now, answered, &seen);
}

/* Of a report: where sessions have threads of their own, more is known than samples say. */
static void read_threads(struct server_status *s)
{
    if (!s->waits.sum.why)
        s->waits.asked +=
            session_threads_read(&s->waits.threads, s->con, s->waits.dialect, &s->others.ids,
                                 s->waits.proc, s->waits.process, &s->waits.sum);
}

/* Questions that the server has counted, when it is asked now. */
static double asked_until(const struct server_status *s, mono_ns now)
{
    const size_t n = COUNT(s->waits.until);
    double asked = 0;

    if (s->names.rows)
        return s->waits.asked;
    for (size_t i = s->waits.samples > n ? s->waits.samples - n : 0; i < s->waits.samples; i++)
        if (s->waits.until[i % n].at <= now - TOLD_LATER)
            asked = s->waits.until[i % n].asked;
    return asked;
}

/* Of what the server has counted: `before` the question and `after` the answer others had done the
 * rest. */
static void note_work(struct server_status *s, const struct status_more *more,
                      struct sql_work before, struct sql_work after)
{
    struct status_others *sum = &s->others.sum;

    sum->background = !s->names.rows;
    sum->no_work = after.several    ? SNAPSHOT_SEVERAL_HOSTS
                   : !more->counted ? "the server does not tell how many statements it executed"
                                    : NULL;
    sum->counted = more->counted;
    sum->greeted = s->others.greets ? after.logins : 0;
    sum->least = more->counted - (double)after.sent;
    sum->most = more->counted - (double)before.answered - s->names.rows; /* the question itself */
}

/* A reader that waits no longer has the counters, if not the sessions. */
static void note_counters(struct server_status *s, const struct status_reading *r, uint64_t request)
{
    pthread_mutex_lock(&s->lock);
    s->answer = *r;
    s->answer.others = s->others.sum;
    s->answer.others.why = "the server did not list its sessions within 0.1 s";
    s->answer.waits = s->waits.sum;
    s->counted = request;
    pthread_mutex_unlock(&s->lock);
}

/* The same, and of what options ask for. */
static void note_all(struct server_status *s, const struct status_reading *r)
{
    pthread_mutex_lock(&s->lock);
    s->answer = *r;
    pthread_mutex_unlock(&s->lock);
}

/* Completes an answer, or one that did not come; our questions are left out. */
static void join(struct server_status *s, double up, struct status_reading *r)
{
    status_join(&s->lives, s->names.name, s->names.n, up, r);
    for (size_t i = 0; i < s->names.n; i++) /* in all lives of the server */
        if (strcmp(s->names.name[i].name, "xact_commit") == 0 ||
            strcmp(s->names.name[i].name, "Queries") == 0)
            r->v[i] -= s->waits.counted;
}

/* --- what options ask for --- */

/* `printed`, which becomes its own or is freed. */
static const char *keep_reason(struct server_status *s, char *printed)
{
    size_t i = 0;

    while (i < REASONS && s->reason[i] && strcmp(s->reason[i], printed) != 0)
        i++;
    if (i < REASONS && !s->reason[i])
        return s->reason[i] = printed;
    free(printed);
    return i < REASONS ? s->reason[i] : "the server refused the query";
}

/* The first column of the first row.  NULL, or why it is no number. */
static const char *ask_one(struct server_status *s, const char *sql, double *v)
{
    const char *needs = strstr(sql, " -- "), *why = "the query has no row";
    char *said = NULL;
    sql_row *row;

    sql_result *res = sql_query(s->con, sql, strlen(sql));
    s->waits.asked += s->names.rows || !s->con->sql_errmsg; /* else it is a xact_rollback */
    if (!res)
        why = s->con->sql_errmsg ? s->con->sql_errmsg
              : is_lost(s)       ? "the server did not answer"
                                 : "the query has no result";
    while ((row = answer_row(res)) != NULL) {
        const sql_value *c = row->values;
        if (said || !why || !res->nfields)
            continue;
        if (answer_number(c, v) && isfinite(*v))
            why = NULL;
        else
            why = said = c->ptr ? mem_printf("it is '%.*s', which is no number",
                                             (int)(c->len < 40 ? c->len : 40), c->ptr)
                                : mem_printf("it is NULL");
    }
    if (why)
        why = keep_reason(s, mem_printf("%.*s%s%s", (int)strcspn(why, "\r\n"), why,
                                        needs ? "; " : "", needs ? needs + 4 : ""));
    free(said);
    return why;
}

/* To half of ANSWER_LIMIT.  A proxy may leave the setting to a client. */
static void limit_queries(struct server_status *s, bool on)
{
    static const char *const set[][2] = {
        {"RESET statement_timeout", "SET statement_timeout = 50"},
        {"SET /*M!100101 max_statement_time = DEFAULT, */ /*!50708 max_execution_time = DEFAULT, */"
         " @sysbench = NULL",
         "SET /*M!100101 max_statement_time = 0.05, */ /*!50708 max_execution_time = 50, */"
         " @sysbench = NULL"}};
    const char *question = set[s->names.rows][on];

    if (!s->others.direct || is_lost(s))
        return;
    s->waits.asked++;
    sql_query(s->con, question, strlen(question));
}

/* What is not among the counters, and what the server did not know among them: after each answer
 * `out` is complete, of a server of these `lives`, and known to a reader that waits no longer. */
static void ask_more(struct server_status *s, struct status_reading *r,
                     const struct status_lives *lives, double up, struct status_reading *out)
{
    const mono_ns until = r->at - r->cost_ns / 2 + ANSWER_LIMIT / 2;
    bool limited = false;

    note_all(s, out);
    for (size_t i = s->names.own; i < s->names.n; i++) {
        bool have = r->have >> i & 1, more = !have;
        while (more && !is_lost(s)) {
            const char *sql = status_names_query(&s->names, i, &s->others.query);
            if (sql && clock_mono() > until)
                break; /* its reader shall wait for the next request, too */
            if (sql && !limited)
                limit_queries(s, limited = true);
            r->no[i] = sql ? ask_one(s, sql, &r->v[i]) : "the server has no such variable";
            have = !r->no[i];
            more = !have && status_names_turn(&s->names, i);
        }
        s->names.ask[i].answered |= have;
        r->have |= (uint64_t)have << i;
        s->lives = *lives;
        *out = *r;
        join(s, up, out);
        note_all(s, out);
    }
    if (limited)
        limit_queries(s, false);
}

/* Request 0, the first of a connection, is for the names of the counters alone. */
static void read_values(struct server_status *s, struct status_reading *r, uint64_t request)
{
    mono_ns begin = clock_mono();
    struct status_more more = {0};
    sql_row *row;

    *r = (struct status_reading){.at = begin};
    if (!s->wants.counters) {
        sched_limit_waits(begin + s->question_limit);
        if (begin - s->waits.until[(s->waits.samples - 1) % COUNT(s->waits.until)].at >=
            s->waits.pause / 2) /* a report has its own, if that is cheap */
            sample_waits(s);
        read_threads(s);
        sched_limit_waits(0);
        r->others = s->others.sum;
        r->waits = s->waits.sum;
        return;
    }
    struct sql_work before = sql_sessions_work();
    double settled = (double)sql_settled(); /* so many are counted already */
    double asked = asked_until(s, begin);
    sched_limit_waits(begin + s->question_limit);
    sql_result *res = sql_query(s->con, str_cstr(&s->query), s->query.len);
    if (!res)
        snprintf(r->why, sizeof r->why, "the server refused the query: %.100s",
                 s->con->sql_errmsg ? s->con->sql_errmsg : "no answer");
    while ((row = answer_row(res)) != NULL)
        status_names_take(&s->names, r, row->values, res->nfields, &more);
    if (!request && s->names.rows && more.counted)
        s->others.greets = ask_number(s, "SELECT LENGTH(@@init_connect)") > 0;
    if (r->have) {
        note_work(s, &more, before, sql_sessions_work());
        s->waits.counted = asked;
    }
    for (size_t i = 0; i < s->names.n; i++)
        if (strcmp(s->names.name[i].name, "xact_commit") == 0)
            r->v[i] -= settled;
    mono_ns end = clock_mono();
    r->at = begin + (end - begin) / 2;
    r->cost_ns = end - begin;
    for (size_t i = s->names.own; i < s->names.n; i++)
        r->no[i] = r->have >> i & 1 || !r->have ? NULL : "the server did not answer within 0.1 s";
    struct status_lives lives = s->lives;
    struct status_reading told = *r;
    join(s, more.up, r);
    if (request) {
        note_counters(s, r, request);
        read_others(s, r);
        sample_waits(s);
        read_threads(s);
        r->waits = s->waits.sum;
    }
    told.others = r->others;
    told.waits = r->waits;
    if (request && r->have && s->names.own < s->names.n)
        ask_more(s, &told, &lives, more.up, r);
    sched_limit_waits(0);
}

static void disconnect(struct server_status *s)
{
    sql_connection_free(s->con);
    s->con = NULL;
    s->others.asked = s->others.direct = s->waits.filled = s->waits.here = false;
    s->waits.refused = NULL;
    session_threads_free(&s->waits.threads);
    s->others.newest = 0; /* ids of a server that was restarted begin anew */
    s->waits.at = 0;
    if (s->waits.proc >= 0)
        close(s->waits.proc);
    s->waits.proc = -1;
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
        find_process(s);
    pthread_mutex_lock(&s->lock);
    s->connecting = false;
    pthread_mutex_unlock(&s->lock);
}

static void drop_lost(struct server_status *s)
{
    if (is_lost(s))
        disconnect(s);
}

/* A request on the connection, or on a new one in place of one that was lost. */
static void answer(struct server_status *s, struct status_reading *r, uint64_t request)
{
    if (!s->con)
        make_connection(s);
    if (s->con) {
        read_values(s, r, request);
        drop_lost(s);
        return;
    }
    *r = (struct status_reading){.at = clock_mono()};
    snprintf(r->why, sizeof r->why,
             "the connection for --server-status was lost, and there is no new one yet");
    r->others = s->others.sum;
    r->waits = s->waits.sum;
    r->others.why = "the connection for --server-status was lost";
    r->waits.why = s->wants.no_waits   ? s->wants.no_waits
                   : s->wants.counters ? r->others.why
                                       : "the connection for --server-waits was lost";
    join(s, 0, r);
}

/* With the lock, as the next.  False: a sample of waits is due instead. */
static bool wait_for_request(struct server_status *s)
{
    struct timespec due = {.tv_sec = s->waits.due / NS_PER_SEC,
                           .tv_nsec = s->waits.due % NS_PER_SEC};

    if (s->con && s->waits.due)
        return pthread_cond_timedwait(&s->changed, &s->lock, &due) != ETIMEDOUT;
    pthread_cond_wait(&s->changed, &s->lock);
    return true;
}

/* With the lock: what no request is for. */
static void work_between(struct server_status *s)
{
    const unsigned wanted = s->wanted;
    const bool lists = wanted != s->told;
    struct server_statements *list = &s->listed[s->measured];

    s->sampling = true;
    pthread_mutex_unlock(&s->lock);
    sched_limit_waits(clock_mono() + s->question_limit);
    if (!lists)
        sample_waits(s);
    else if (s->con)
        server_statements_ask(list, s->con, s->names.rows, list != s->listed, &s->waits.asked);
    else
        list->why = "the connection for --server-status was lost";
    sched_limit_waits(0);
    if (s->con)
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
        read_values(s, &r, 0);
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
        snprintf(s->why, sizeof s->why, "no connection for --server-%s could be made",
                 s->wants.counters ? "status" : "waits");
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
    int root = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

    pthread_mutex_lock(&s->lock);
    if (s->process && is_stopped(root, s->process) && (!s->backend || is_stopped(root, s->backend)))
        ring_stopped(&s->ring, clock_mono());
    pthread_mutex_unlock(&s->lock);
    if (root >= 0)
        close(root);
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
    int rc = 0;

    *out = (struct status_reading){.at = clock_mono()};
    pthread_mutex_lock(&s->lock);
    if (!s->connected) {
        snprintf(out->why, sizeof out->why, "%s", s->why);
        out->others.why = "there is no connection for --server-status";
        out->waits.why = s->wants.no_waits   ? s->wants.no_waits
                         : s->wants.counters ? out->others.why
                                             : "there is no connection for --server-waits";
        pthread_mutex_unlock(&s->lock);
        return;
    }
    uint64_t request = ++s->requested;
    pthread_cond_broadcast(&s->changed);
    struct timespec limit = deadline(ANSWER_LIMIT);
    while (s->answered < request && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
    *out = s->answer;
    if (s->answered < request && s->counted < request) { /* it is what was last known */
        out->at = clock_mono();
        out->have = 0;
        out->others.why = "the server did not answer within 0.1 s";
        snprintf(out->why, sizeof out->why, "the server did not answer within 0.1 s");
    }
    pthread_mutex_unlock(&s->lock);
}

static void read_statements(void *arg, struct status_statements *out)
{
    struct server_status *s = arg;
    struct timespec limit = deadline(STATEMENTS_LIMIT);
    int rc = 0;

    pthread_mutex_lock(&s->lock);
    const bool began = s->wanted && s->told == s->wanted;
    if (s->connected && (!out || began)) {
        s->measured = out != NULL;
        s->wanted++;
        pthread_cond_broadcast(&s->changed);
    }
    while (out && began && s->told != s->wanted && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&s->changed, &s->lock, &limit);
    if (out && began && s->told == s->wanted)
        server_statements_diff(&s->listed[0], &s->listed[1], s->names.rows, out);
    else if (out)
        *out = (struct status_statements){
            .why = s->connected ? "the server did not list its statements in time"
                                : "there is no connection for --server-status"};
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
    s->source = (struct status_source){.arg = s,
                                       .read = read_status,
                                       .name = s->names.name,
                                       .n = s->names.n,
                                       .look = look_at_server,
                                       .between = tell_between};
    s->wants = (struct server_status_wants){.counters = true, .waits = true};
    s->counters = mem_array_aligned(1, sizeof *s->counters);
    s->waits.dialect = names.rows ? WAITS_MARIADB : WAITS_PGSQL;
    s->waits.proc = -1;
    rng_seed_pair(&s->waits.chance, (uint64_t)clock_mono(), (uint64_t)getpid());
    s->waits.blocker = -1;
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

int server_status_add(struct server_status *s, const char *variables, char *const *query,
                      size_t queries, struct err *e)
{
    int rc = variables ? status_names_add(&s->names, variables, e) : 0;

    for (size_t i = 0; i < queries && !rc; i++)
        rc = status_names_add_query(&s->names, query[i], e);
    s->source.n = s->names.n;
    str_reset(&s->query);
    status_names_question(&s->names, &s->query);
    return rc;
}

void server_status_shared(struct server_status *s)
{
    s->others.shared = true;
}

void server_status_want(struct server_status *s, const struct server_status_wants *w)
{
    s->wants = *w;
    s->source.quiet = w->quiet;
    s->source.statements = w->counters ? read_statements : NULL;
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
    struct timespec limit = deadline(END_LIMIT);
    int rc = 0;

    if (!s)
        return;
    if (s->running) {
        pthread_mutex_lock(&s->lock);
        s->over = true;
        /* a question: wake it up */
        if (s->fd >= 0 && (s->requested != s->answered || s->sampling || !s->connected))
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
    free(s->others.ids.id);
    status_names_free(&s->names);
    for (size_t i = 0; i < REASONS; i++)
        free(s->reason[i]);
    str_free(&s->others.query);
    server_statements_free(&s->listed[0]);
    server_statements_free(&s->listed[1]);
    server_waits_free(&s->waits.list);
    server_waits_free(&s->waits.before);
    free(s->counters);
    free(s);
}
