/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_thread.h: samples of what our sessions do in the server, from one question each, up to
 * ten times a second, and less often where they cost more.  From two samples follows the time in
 * between; who blocks is asked for at most once a second.
 *
 * early_note: in a standstill, or when far more sessions than usual are in a statement, samples
 * come ten times a second at once.  These are for the ring alone.  In the sums, samples of trouble
 * would have less of the time than others, the next one coming earlier: a wait that is 100 sessions
 * for a twentieth of the time, in pieces shorter than a pause, would be 3 instead of 5.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/answers.h"
#include "session/other_sessions.h"
#include "session/sql_texts.h"
#include "session/status_thread.h"
#include "telemetry/discover.h"
#include "telemetry/proc.h"

/* Between two samples of waits: so many times what one costs the server, which is about what the
 * quickest of the last few took, and never less or more than these; where nobody asked for them,
 * five times as long, because they count in the server's CPU time per transaction: */
#define SAMPLE_SHARE 200
#define SAMPLE_LEAST (100 * NS_PER_MS)
#define SAMPLE_MOST  (2 * NS_PER_SEC)
#define LOCKS_KEPT   (101 * NS_PER_MS) /* InnoDB's lists of locks are not renewed if read earlier */
#define SILENT       (500 * NS_PER_MS) /* without an answer for longer: nothing is known of it */
#define WHO_PAUSE    NS_PER_SEC
#define THREADS_MOST 100 /* that are looked at in one sample */

sql_result *status_ask(struct server_status *s, const char *question)
{
    const mono_ns began = clock_mono();
    sql_result *res = sql_query(s->con, question, strlen(question));

    s->waits.busy += clock_mono() - began;
    s->waits.asked += s->names.rows || !s->con->sql_errmsg; /* else it is a xact_rollback */
    return res;
}

void status_waits_end(struct server_status *s)
{
    s->waits.filled = s->waits.here = false;
    s->waits.refused = NULL;
    s->waits.at = s->waits.trip = s->waits.own_ran = 0;
    free(s->waits.threads.of);
    s->waits.threads = (struct session_threads){0};
}

static double count(struct server_status *s, const char *question)
{
    s->waits.asked++;
    return answer_one(s->con, question);
}

/* Older and newer MySQL, and MariaDB, have different tables.  NULL, or why none of them told. */
static const char *list_waits(struct server_status *s)
{
    const enum wait_dialect last = s->names.rows ? WAITS_PERFORMANCE : WAITS_PGSQL;
    const char *why = NULL;
    bool told = false;

    for (enum wait_dialect d = s->waits.dialect; d <= last && !told; d++) {
        sql_result *res = status_ask(s, server_waits_question(d));
        if (!res)
            why = answers_lost(s->con) ? "the server did not answer"
                                       : server_waits_refused(d, s->con->sql_errno, why);
        if (!res && (s->waits.found || answers_lost(s->con)))
            return why;
        told = res != NULL;
        server_waits_clear(&s->waits.list);
        for (sql_row *row; (row = answer_row(res)) != NULL;)
            told &= server_waits_take(&s->waits.list, d, row->values, res->nfields);
        if (told)
            s->waits.dialect = d;
    }
    s->waits.found |= told;
    if (!told)
        return why ? why : "the server's answer about waits is not understood";
    if (s->waits.dialect == WAITS_PERFORMANCE && !s->waits.filled) /* without it they are empty */
        s->waits.found = s->waits.filled = count(s, "SELECT @@performance_schema") > 0;
    return s->waits.found ? NULL : "the server's performance_schema is off";
}

/* The server's process, if it runs on this machine, and has a thread for each session. */
void status_waits_begin(struct server_status *s)
{
    struct discover *d = discover_new("/proc");
    struct err e = {0};
    bool tree = false;
    pid_t pid = 0;

    discover_note_fd(d, s->fd);
    bool seen = discover_resolve(d, &pid, 1, &tree, &e) == 1 && thread_numbers_shared(s->proc, pid);
    discover_free(d);
    pthread_mutex_lock(&s->lock);
    s->process = seen ? pid : 0;
    s->backend = s->names.rows ? 0 : (pid_t)sql_connection_session(s->con);
    pthread_mutex_unlock(&s->lock);
}

/* Of many, one says what the next few do that are in the same state. */
static void look_at_threads(struct server_status *s)
{
    struct session_wait was = {0}, is = {0}, *v = s->waits.list.session;
    const struct session_wait *end = v + s->waits.list.sessions;
    size_t n = 0, at = 0;
    enum thread_file file;

    for (const struct session_wait *of = v; of < end; of++)
        n += server_waits_ask_thread(of);
    for (; s->process && v < end; v++) {
        if (!server_waits_ask_thread(v))
            continue;
        if (at++ % (1 + n / THREADS_MOST) == 0) {
            was = *v;
            pid_t process = s->names.rows ? s->process : v->thread;
            server_waits_thread(v, thread_does(s->proc, process, v->thread, &file), file);
            is = *v;
        } else if (strcmp(v->name, was.name) == 0) {
            v->class = is.class;
            memcpy(v->name, is.name, sizeof v->name);
        }
    }
}

/* Names the session of others that blocks most. */
static void name_blocker(struct server_status *s, int64_t blocker)
{
    struct status_waits *sum = &s->waits.sum;
    bool told = blocker == s->waits.blocker; /* it may have ended meanwhile */
    mono_ns now = clock_mono();

    if (blocker < 0 || (told && now - s->waits.blocker_at < WHO_PAUSE))
        return;
    s->waits.blocker_at = now;
    s->waits.blocker = blocker;
    str_reset(&s->others.query);
    str_printf(&s->others.query, s->names.rows ? SQL_WHO_MYSQL : SQL_WHO_PGSQL, (long long)blocker);
    sql_result *res = status_ask(s, str_cstr(&s->others.query));
    if (!told)
        server_waits_who(sum->who, sizeof sum->who, s->names.rows, blocker, NULL, 0);
    for (sql_row *row; (row = answer_row(res)) != NULL;)
        server_waits_who(sum->who, sizeof sum->who, s->names.rows, blocker, row->values,
                         res->nfields);
}

/* Does the server call this connection as the library does?  Once for each. */
static bool is_direct(struct server_status *s)
{
    const char *question =
        s->names.rows ? "SELECT CONNECTION_ID()" : "SELECT pg_catalog.pg_backend_pid()";

    if (!s->others.asked && (!s->wants.counters || s->wants.shared)) { /* else the list says so */
        s->others.asked = true;
        s->others.direct = count(s, question) == (double)sql_connection_session(s->con);
    }
    return s->others.direct;
}

/* Other load hosts may be at a proxy, or another server.  Once all were here, they are. */
static bool are_here(struct server_status *s)
{
    struct str *q = &s->others.query;

    if (!s->wants.shared || s->waits.here)
        return true;
    str_reset(q);
    str_adds(q, s->names.rows ? "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (0"
                              : "SELECT count(*) FROM pg_stat_activity WHERE pid IN (0");
    for (size_t i = 0; i < s->others.ids.n; i++)
        str_printf(q, ",%lld", (long long)s->others.ids.id[i]);
    str_adds(q, ")");
    return s->waits.here = count(s, q->s) >= (double)s->others.ids.up;
}

/* For how long what serves this connection has run; 0: not known. */
static dur_ns own_run(const struct server_status *s)
{
    uint64_t v[3];

    return s->waits.own[0] &&
                   proc_row_read(s->proc, s->waits.own[0], s->waits.own[1], "schedstat", v) == 0
               ? (dur_ns)v[SCHEDSTAT_RUN_NS]
               : 0;
}

/* A thread of a pool serves others as well. */
static void find_own(struct server_status *s)
{
    const mono_ns began = clock_mono();
    bool here = true;
    struct proc_stat st;
    pid_t tid = 0;

    count(s, "SELECT 1 AS sysbench_asks LIMIT 1"); /* nobody else's in pg_stat_statements */
    s->waits.trip = clock_mono() - began;
    if (s->process && s->names.rows)
        tid = (pid_t)count(s, SQL_THREADS_OWN);
    s->waits.own[0] = s->process && !tid ? s->backend : s->process;
    s->waits.own[1] = tid;
    if (tid)
        here = own_run(s) > 0;
    else if (s->process && s->backend)
        here = proc_stat_read(s->proc, s->backend, &st) == 0 &&
               (st.ppid == s->process || s->backend == s->process);
    if (here)
        return;
    s->waits.own[0] = 0; /* that process passes bytes on, as a tunnel does */
    pthread_mutex_lock(&s->lock);
    s->process = s->backend = 0;
    pthread_mutex_unlock(&s->lock);
}

static const char *ask_waits(struct server_status *s)
{
    if (s->wants.no_waits || s->waits.refused)
        return s->wants.no_waits ? s->wants.no_waits : s->waits.refused;
    if (!is_direct(s)) /* `ours` are not known */
        return s->wants.counters && s->others.sum.why ? s->others.sum.why
               : answers_lost(s->con)                 ? "the server did not answer"
                                                      : other_sessions_proxied;
    sql_sessions_list(sql_connection_server(s->con), &s->others.ids);
    if (!s->others.ids.up)
        return "this program does not know its own sessions";
    if (s->others.ids.changing || !are_here(s))
        return "not all sessions of other load hosts are known";
    if (!s->waits.trip)
        find_own(s);
    const char *why = list_waits(s);
    if (why && !s->waits.found && !answers_lost(s->con)) /* it would log each refusal */
        s->waits.refused = why;
    return why;
}

/* CPU time; where it is not known, as of a server far away, the time without that of the way. */
static dur_ns cost_of(const struct server_status *s, dur_ns took)
{
    const dur_ns ran = own_run(s) - s->waits.ran, rest = took - s->waits.trip;

    return s->waits.ran && ran > 0 ? ran : rest > took / 8 ? rest : took / 8;
}

/* By the quickest of the last few: it may have taken more than it cost, since the server's CPUs are
 * others' as well.  An early one leaves the others' time as it is, and their lists of locks new. */
static mono_ns next_sample(struct server_status *s, mono_ns began, dur_ns cost, bool early)
{
    mono_ns now = clock_mono();
    mono_ns due = s->waits.due;
    dur_ns least = cost, pause, shortest = (s->source.quiet ? 5 : 1) * SAMPLE_LEAST;
    const bool lists = s->waits.dialect == WAITS_MARIADB || s->waits.dialect == WAITS_MYSQL5;
    const dur_ns kept = lists ? LOCKS_KEPT : 0;

    if (!s->ring.n) /* it cost more than later ones, and the load had not begun */
        return now + SAMPLE_LEAST;
    s->waits.cost[s->waits.sum.samples % COUNT(s->waits.cost)] = cost;
    for (size_t i = 0; i < COUNT(s->waits.cost); i++)
        if (s->waits.cost[i] && s->waits.cost[i] < least)
            least = s->waits.cost[i];
    pause = SAMPLE_SHARE * least;
    s->waits.early = now + (pause < SAMPLE_LEAST ? LOCKS_KEPT : 5 * pause / 4);
    if (!early) {
        pause = pause < shortest ? shortest : pause > SAMPLE_MOST ? SAMPLE_MOST : pause;
        pause = pause < now - began ? now - began : pause;
        s->waits.pause = pause;
        due = now + (dur_ns)(rng_double(&s->waits.chance) * (double)pause);
        due += pause / 2 > kept ? pause / 2 : kept;
    }
    if (s->waits.early + kept > due)
        s->waits.early = due;
    return due;
}

/* Between two samples it is as if half of the time had been like each. */
static void add_time(struct status_waits *sum, const struct status_waits *before,
                     const struct status_waits *now, dur_ns half)
{
    sum->known += 2 * half;
    waits_add_all(sum, before, half);
    waits_add_all(sum, now, half);
    for (int c = 0; c < WAIT_CLASSES; c++) {
        double n = (double)now->of[c];
        sum->hits[c] += n;
        sum->squares[c] += n * n;
    }
}

void status_waits_sample(struct server_status *s, bool early)
{
    struct status_waits *sum = &s->waits.sum;
    struct ring_sample is = {.asked = clock_mono()};
    const bool watched = is.asked - s->waits.due - s->waits.busy <= SILENT; /* or was stopped */

    s->waits.ran = own_run(s);
    sum->why = is.of.why = ask_waits(s);
    is.answered = clock_mono();
    const dur_ns silent = is.answered - is.asked, cost = cost_of(s, silent);
    early &= !sum->why && silent <= SILENT;
    s->waits.due = next_sample(s, is.asked, cost, early);
    s->waits.busy = 0;
    if (!sum->why) {
        sum->asking += cost;
        sum->workers += s->waits.list.worker;
        int64_t blocker = server_waits_see(&s->waits.list, &s->others.ids);
        look_at_threads(s);
        ring_list(&is, &s->waits.list);
        is.of.behind = (dur_ns)s->waits.list.blockers;
        name_blocker(s, blocker);
        memcpy(is.of.who, sum->who, sizeof sum->who);
    }
    if (!early && !sum->why) {
        sum->samples++;
        sum->silent += silent > SILENT ? silent : 0;
        sum->seen += is.of.locks > 0;
        if (s->waits.at && sum->samples > 2) { /* see next_sample() */
            if (watched)
                add_time(sum, &s->waits.last.of, &is.of, (is.asked - s->waits.at) / 2);
            else /* clients were stopped, too: no session had a statement */
                sum->known += is.asked - s->waits.at;
        }
    }
    for (size_t i = 0; !sum->why && i < s->waits.list.blockers; i++)
        waits_add_blocker(sum, s->waits.list.blocker[i]);
    if (!early)
        s->waits.last = is, s->waits.at = sum->why ? 0 : silent > SILENT ? is.answered : is.asked;
    pthread_mutex_lock(&s->lock); /* for standstills */
    ring_add(&s->ring, &is);
    /* far more sessions than usual are in a statement */
    double usual = (double)waits_all(sum) / (double)sum->known;
    s->hurried = s->source.quiet && (double)waits_all(&is.of) > 4 + 2 * usual;
    pthread_mutex_unlock(&s->lock);
}

void status_waits_read(struct server_status *s, mono_ns began, struct status_reading *r)
{
    /* a report has its own, if that is cheap, or nothing else tells what sessions do */
    if (s->wants.counters || began - s->waits.last.asked >= s->waits.pause / 2)
        status_waits_sample(s, false);
    if (!s->waits.sum.why) /* sessions may have threads of their own, which tell more */
        status_threads_read(s);
    const dur_ns ran = own_run(s);
    /* what serves a new connection may have served others before */
    s->waits.sum.own += ran && s->waits.own_ran ? ran - s->waits.own_ran : 0;
    s->waits.own_ran = ran ? ran : s->waits.own_ran;
    r->waits = s->waits.sum;
}
