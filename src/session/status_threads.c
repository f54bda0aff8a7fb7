/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_thread.h: how long the server's threads that serve our sessions ran, and were ready
 * but had no CPU: exact, where samples of the server's list are estimates.  A thread that has got a
 * statement but no CPU has not begun it, and the list calls its session idle: on a busy machine
 * most of the time that is spent waiting for a CPU is missing there.
 *
 * Known where a session has a thread of its own that lives as long (not in a pool of threads), on
 * this machine.  Sessions that come in between make the time in between unknown; of those that end,
 * the last of it is missing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/answers.h"
#include "session/sql_texts.h"
#include "session/status_thread.h"
#include "telemetry/proc.h"

#define COST_SHARE 200 /* not more often than so many times what a reading takes */

static struct session_thread *find(struct session_threads *t, int64_t id)
{
    const struct session_thread key = {.id = id};

    return t->n ? bsearch(&key, t->of, t->n, sizeof key, sql_ids_order) : NULL;
}

/* The list becomes that of these sessions, without our own.  True: threads of new ones are not
 * known. */
static bool list_sessions(struct server_status *s)
{
    const struct sql_ids *ids = &s->others.ids;
    const int64_t own = (int64_t)sql_connection_session(s->con);
    struct session_threads *t = &s->waits.threads;
    struct session_thread *of = mem_array(ids->n + 1, sizeof *of), *v = of;
    bool unknown = false;

    for (size_t i = 0; i < ids->n; i++) {
        const struct session_thread *old = find(t, ids->id[i]);
        if (ids->id[i] == own)
            continue;
        *v = old ? *old
                 : (struct session_thread){.id = ids->id[i],
                                           .pid = !s->names.rows ? (pid_t)ids->id[i] : 0};
        v->known = old;
        unknown |= !old && !v->pid;
        v++;
    }
    free(t->of);
    t->of = of;
    t->n = (size_t)(v - of);
    return unknown;
}

static void ask_threads(struct server_status *s, const char *sql)
{
    double id, tid;

    sql_result *res = status_ask(s, sql);
    for (sql_row *row; (row = answer_row(res)) != NULL;) {
        if (res->nfields < 2 || !answer_number(&row->values[0], &id) ||
            !answer_number(&row->values[1], &tid) || tid <= 0)
            continue;
        struct session_thread *v = find(&s->waits.threads, (int64_t)id);
        if (v)
            v->pid = s->process, v->tid = (pid_t)tid;
    }
}

void status_threads_read(struct server_status *s)
{
    struct session_threads *t = &s->waits.threads;
    const enum wait_dialect d = s->waits.dialect;
    const char *sql = d == WAITS_MARIADB       ? SQL_THREADS_MARIADB
                      : d == WAITS_PERFORMANCE ? SQL_THREADS_PERFORMANCE
                                               : NULL; /* the server does not tell */
    mono_ns now = clock_mono();
    uint64_t ran = 0, waited = 0;
    const dur_ns began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    bool whole = t->at > 0;
    size_t there = 1; /* the connection that asks is up, too */

    if (!s->process || (d != WAITS_PGSQL && !sql) || now - t->at < COST_SHARE * t->cost)
        return;
    if (list_sessions(s) && sql) {
        ask_threads(s, sql);
        now = clock_mono();
    }
    for (size_t i = 0; i < t->n; i++) {
        struct session_thread *v = &t->of[i];
        uint64_t value[3];
        bool read = v->pid && proc_row_read(s->proc, v->pid, v->tid, "schedstat", value) == 0;
        whole &= v->known && (v->read || !read); /* those that were closed are in the list, too */
        if (read && v->read) {
            ran += value[SCHEDSTAT_RUN_NS] - v->ran[SCHEDSTAT_RUN_NS];
            waited += value[SCHEDSTAT_WAIT_NS] - v->ran[SCHEDSTAT_WAIT_NS];
        }
        v->read = read;
        there += read;
        memcpy(v->ran, value, read ? sizeof value : 0);
    }
    if (whole && there >= s->others.ids.up && t->n) { /* else a pool, or not ours to see */
        s->waits.sum.ran += (dur_ns)ran;
        s->waits.sum.waited += (dur_ns)waited;
        s->waits.sum.ran_known += now - t->at;
    }
    t->at = now;
    t->cost = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
}
