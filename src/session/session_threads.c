/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See session_threads.h.
 */
#include "session/session_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/answers.h"
#include "session/sql_texts.h"
#include "telemetry/proc.h"

#define COST_SHARE 200 /* not more often than so many times what a reading takes */

static struct session_thread *find(struct session_threads *t, int64_t id)
{
    const struct session_thread key = {.id = id};

    return t->n ? bsearch(&key, t->of, t->n, sizeof key, sql_ids_order) : NULL;
}

/* The list becomes that of these sessions, without our own.  True: threads of new ones are not
 * known. */
static bool list_sessions(struct session_threads *t, const struct sql_ids *ids, int64_t own,
                          bool processes)
{
    struct session_threads list = {.of = mem_array(ids->n + 1, sizeof *list.of)};
    bool unknown = false;

    for (size_t i = 0; i < ids->n; i++) {
        const struct session_thread *old = find(t, ids->id[i]);
        struct session_thread *v = &list.of[list.n];
        if (ids->id[i] == own)
            continue;
        *v = old ? *old : (struct session_thread){.id = ids->id[i]};
        if (processes)
            v->pid = (pid_t)v->id;
        v->known = old;
        unknown |= !old && !v->pid;
        list.n++;
    }
    free(t->of);
    t->of = list.of;
    t->n = list.n;
    return unknown;
}

static void ask_threads(struct session_threads *t, sql_connection *con, const char *sql,
                        pid_t process)
{
    double id, tid;

    sql_result *res = sql_query(con, sql, strlen(sql));
    for (sql_row *row; (row = answer_row(res)) != NULL;) {
        if (res->nfields < 2 || !answer_number(&row->values[0], &id) ||
            !answer_number(&row->values[1], &tid) || tid <= 0)
            continue;
        struct session_thread *v = find(t, (int64_t)id);
        if (v)
            v->pid = process, v->tid = (pid_t)tid;
    }
}

unsigned session_threads_read(struct session_threads *t, sql_connection *con, enum wait_dialect d,
                              const struct sql_ids *ids, int root_fd, pid_t process,
                              struct status_waits *sum)
{
    const char *sql = d == WAITS_MARIADB       ? SQL_THREADS_MARIADB
                      : d == WAITS_PERFORMANCE ? SQL_THREADS_PERFORMANCE
                                               : NULL; /* the server does not tell */
    mono_ns now = clock_mono();
    uint64_t ran = 0, waited = 0;
    const dur_ns began = clock_read(CLOCK_THREAD_CPUTIME_ID);
    bool whole = t->at > 0;
    unsigned asked = 0;
    size_t there = 1; /* the connection that asks is up, too */

    if (!process || (d != WAITS_PGSQL && !sql) || now - t->at < COST_SHARE * t->cost)
        return 0;
    if (list_sessions(t, ids, (int64_t)sql_connection_session(con), d == WAITS_PGSQL) && sql) {
        ask_threads(t, con, sql, process);
        now = clock_mono();
        asked = 1;
    }
    for (size_t i = 0; i < t->n; i++) {
        struct session_thread *v = &t->of[i];
        uint64_t value[3];
        bool read = v->pid && proc_row_read(root_fd, v->pid, v->tid, "schedstat", value) == 0;
        whole &= v->known && (v->read || !read); /* those that were closed are in the list, too */
        if (read && v->read) {
            ran += value[SCHEDSTAT_RUN_NS] - v->ran[SCHEDSTAT_RUN_NS];
            waited += value[SCHEDSTAT_WAIT_NS] - v->ran[SCHEDSTAT_WAIT_NS];
        }
        v->read = read;
        there += read;
        memcpy(v->ran, value, read ? sizeof value : 0);
    }
    if (whole && there >= ids->up && t->n) { /* else it is a pool, or they are not ours to see */
        sum->ran += (dur_ns)ran;
        sum->waited += (dur_ns)waited;
        sum->ran_known += now - t->at;
    }
    t->at = now;
    t->cost = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
    return asked;
}

void session_threads_free(struct session_threads *t)
{
    free(t->of);
    *t = (struct session_threads){0};
}
