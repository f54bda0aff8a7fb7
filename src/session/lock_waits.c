/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See lock_waits.h.
 */
#include "session/lock_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/other_sessions.h"

#define NAME_SHOWN 32
#define CHAIN_MOST 64 /* a longer one is a circle, or nearly */

#define MYSQL_QUESTION(waits, requester, blocker)                                                  \
    "SELECT id, id IN (%s), b, COALESCE(b IN (%s), 0), 1 FROM (SELECT "                            \
    "r.trx_mysql_thread_id AS id, "                                                                \
    "COALESCE(MIN(IF(b.trx_mysql_thread_id IN (%s), NULL, b.trx_mysql_thread_id)), "               \
    "MIN(IF(b.trx_state = 'LOCK WAIT', NULL, b.trx_mysql_thread_id)), "                            \
    "MIN(b.trx_mysql_thread_id)) AS b FROM " waits " w "                                           \
    "JOIN information_schema.INNODB_TRX r ON r.trx_id = w." requester " "                          \
    "JOIN information_schema.INNODB_TRX b ON b.trx_id = w." blocker " "                            \
    "GROUP BY r.trx_mysql_thread_id) t UNION ALL "                                                 \
    "SELECT ID, 1, NULL, 0, 0 FROM information_schema.PROCESSLIST WHERE ID IN (%s) AND "           \
    "(STATE LIKE 'Waiting for %% lock' OR STATE IN ('User lock', 'Waiting for table flush'))"

static const char innodb_question[] =
    MYSQL_QUESTION("information_schema.INNODB_LOCK_WAITS", "requesting_trx_id", "blocking_trx_id");
static const char performance_question[] =
    MYSQL_QUESTION("performance_schema.data_lock_waits", "REQUESTING_ENGINE_TRANSACTION_ID",
                   "BLOCKING_ENGINE_TRANSACTION_ID");

/* OFFSET 0: the function is called once for each session that waits, and for no other. */
static const char pgsql_question[] =
    "SELECT pid, (pid = ANY(o))::int, b, coalesce((b = ANY(o))::int, 0), "
    "(wait_event IN ('tuple', 'transactionid'))::int FROM (SELECT pid, wait_event, o, "
    "(SELECT b FROM unnest(pg_blocking_pids(pid)) b ORDER BY b = ANY(o) LIMIT 1) AS b "
    "FROM pg_stat_activity, (SELECT '{%s}'::bigint[] AS o) ours "
    "WHERE wait_event_type = 'Lock' OFFSET 0) w";

static const char mysql_who[] =
    "SELECT USER, IF(COMMAND = 'Sleep', 'idle in transaction', 'active'), TIME "
    "FROM information_schema.PROCESSLIST WHERE ID = %lld";
static const char pgsql_who[] =
    "SELECT coalesce(nullif(application_name, ''), usename, backend_type), state, "
    "floor(extract(epoch FROM clock_timestamp() - state_change)) "
    "FROM pg_stat_activity WHERE pid = %lld";

void lock_waits_question(struct str *out, enum lock_dialect d, const char *ids)
{
    if (d == LOCKS_PGSQL)
        str_printf(out, pgsql_question, ids);
    else if (d == LOCKS_INNODB)
        str_printf(out, innodb_question, ids, ids, ids, ids);
    else
        str_printf(out, performance_question, ids, ids, ids, ids);
}

const char *lock_waits_refused(enum lock_dialect d, int code, const char *before)
{
    enum { TABLE_DENIED = 1142, PROCESS_DENIED = 1227 }; /* MySQL's */
    static const char process[] = "seeing lock waits takes the PROCESS privilege";

    if (d == LOCKS_PGSQL)
        return "the server refused the query for lock waits, which takes PostgreSQL 9.6 or newer";
    if (code == PROCESS_DENIED || before == process) /* MariaDB has none of the newer tables */
        return process;
    return d == LOCKS_PERFORMANCE && code == TABLE_DENIED
               ? "seeing lock waits takes SELECT on performance_schema and the PROCESS privilege"
               : "the server has no table of lock waits";
}

bool lock_waits_take(struct lock_waits *w, const sql_value *column, size_t columns)
{
    double v[5];

    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        if (i >= columns || (column[i].ptr && !answer_number(&column[i], &v[i])))
            return false;
        if (!column[i].ptr)
            v[i] = -1;
    }
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 16;
        w->row = mem_grow(w->row, w->room, sizeof *w->row);
    }
    w->row[w->n++] = (struct lock_wait){.id = (int64_t)v[0],
                                        .blocker = (int64_t)v[2],
                                        .ours = v[1] == 1,
                                        .blocker_ours = v[3] == 1,
                                        .row = v[4] == 1};
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct lock_wait *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* The last wait of the chain: who it is for does not wait, or is not known; NULL: it is a circle.
 */
static const struct lock_wait *last_of(const struct lock_waits *w, const struct lock_wait *at)
{
    for (int i = 0; i < CHAIN_MOST; i++) {
        const struct lock_wait next = {.id = at->blocker};
        const struct lock_wait *found =
            next.id > 0 ? bsearch(&next, w->row, w->n, sizeof next, by_id) : NULL;
        if (!found)
            return at;
        at = found;
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

struct lock_waits_seen lock_waits_seen(struct lock_waits *w)
{
    struct lock_waits_seen seen = {.blocker = -1};
    int64_t *of = mem_array(w->n + 1, sizeof *of);
    size_t most = 0;

    if (w->n)
        qsort(w->row, w->n, sizeof *w->row, by_id);
    for (size_t i = 0; i < w->n; i++) {
        const struct lock_wait *v = &w->row[i], *last = last_of(w, v);
        if (!v->ours)
            continue;
        seen.waiting++;
        seen.rows += v->row;
        if (last && last->blocker >= 0 && !last->blocker_ours)
            of[seen.behind++] = last->blocker;
    }
    qsort(of, seen.behind, sizeof *of, by_number);
    for (size_t i = 0, from = 0; i < seen.behind; i++) {
        from = of[i] == of[from] ? from : i;
        if (i + 1 - from > most)
            most = i + 1 - from, seen.blocker = of[i];
    }
    free(of);
    return seen;
}

void lock_waits_free(struct lock_waits *w)
{
    free(w->row);
    *w = (struct lock_waits){0};
}

void lock_waits_who_question(struct str *out, bool mysql, int64_t blocker)
{
    str_printf(out, mysql ? mysql_who : pgsql_who, (long long)blocker);
}

/* Names are what others chose: of other characters nothing is shown. */
static void add(char *out, size_t size, const char *before, const sql_value *v, const char *after)
{
    size_t used = strlen(out), from;

    if (!v->ptr || v->len == 0)
        return;
    snprintf(out + used, size - used, "%s", before);
    from = strlen(out);
    used = v->len < NAME_SHOWN ? v->len : NAME_SHOWN;
    snprintf(out + from, size - from, "%.*s%s", (int)used, v->ptr, after);
    for (char *p = out + from; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
}

void lock_waits_who(char *out, size_t size, bool mysql, int64_t blocker, const sql_value *column,
                    size_t columns)
{
    if (blocker == 0) {
        snprintf(out, size, "a prepared transaction");
        return;
    }
    snprintf(out, size, "%s %lld", mysql ? "id" : "pid", (long long)blocker);
    if (!column || columns < 3)
        return;
    add(out, size, ", ", &column[0], "");
    add(out, size, ", ", &column[1], "");
    if (column[1].ptr)
        add(out, size, " for ", &column[2], " s");
}
