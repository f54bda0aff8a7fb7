/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_names.h.
 */
#include "session/status_names.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "report/fields.h"
#include "session/other_sessions.h"

/* Rows_read and Handler_* are MariaDB's, which has no Innodb_rows_* from 10.8 on. */
static const struct status_name mysql[] = {
    {"Threads_running", true},
    {"Threads_connected", true},
    {"Queries", false},
    {"Rows_read", false},
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

static const struct status_name pgsql[] = {
    {"active", true},         {"numbackends", true},   {"xact_commit", false},
    {"xact_rollback", false}, {"tup_returned", false}, {"tup_fetched", false},
    {"tup_inserted", false},  {"tup_updated", false},  {"tup_deleted", false},
    {"blks_hit", false},      {"blks_read", false},    {"temp_bytes", false},
    {"conflicts", false},     {"deadlocks", false},
};

/* What people look at, by names of our own, as NAME[:gauge]=WAYS.  Behind "--" is what mends it
 * when there is no value. */
#define METRIC(metric)                                                                                   \
    "SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE STATUS = 'enabled' AND NAME = '" metric \
    "' -- it takes MySQL and SET GLOBAL innodb_monitor_enable = '" metric "'"
static const char *const mysql_presets[] = {
    "checkpoint_age:gauge=Innodb_checkpoint_age\1" METRIC("log_lsn_checkpoint_age"),
    "dirty_pages:gauge=Innodb_buffer_pool_pages_dirty",
    "history_length:gauge=Innodb_history_list_length\1" METRIC("trx_rseg_history_len"),
    "pending_reads:gauge=Innodb_data_pending_reads",
    "pending_writes:gauge=Innodb_data_pending_writes",
    "pending_fsyncs:gauge=Innodb_data_pending_fsyncs",
    "buffer_reads=Innodb_buffer_pool_reads",
    "redo_bytes=Innodb_os_log_written",
    NULL};

#define IO(what)                                                                                   \
    "io_" what "=SELECT sum(" what ") FROM pg_stat_io -- PostgreSQL 16 and newer have it"
#define POSITION                                                                                   \
    "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END"
#define LAG(standby, primary)                                                                      \
    "SELECT CASE WHEN pg_is_in_recovery() THEN " standby " ELSE (SELECT max(" primary              \
    ") FROM pg_stat_replication) END -- it takes a standby that replays, and pg_monitor to see it"
static const char *const pgsql_presets[] = {
    IO("reads"),
    IO("writes"),
    IO("fsyncs"),
    IO("evictions"),
    "wal_bytes=SELECT wal_bytes FROM pg_stat_wal",
    "wal_position:gauge=SELECT pg_wal_lsn_diff(" POSITION ", '0/0')",
    "checkpoint_age:gauge=SELECT pg_wal_lsn_diff(" POSITION ", redo_lsn) FROM "
    "pg_control_checkpoint()",
    "checkpoints=SELECT num_timed + num_requested FROM pg_stat_checkpointer\1"
    "SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter",
    "checkpoint_buffers=SELECT buffers_written FROM pg_stat_checkpointer\1"
    "SELECT buffers_checkpoint FROM pg_stat_bgwriter",
    "replication_lag_bytes:gauge=" LAG(
        "pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())",
        "pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)"),
    "replication_lag_s:gauge=" LAG(
        "CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 ELSE "
        "extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END",
        "extract(epoch FROM replay_lag)"),
    NULL};

/* Which of MySQL's and MariaDB's variables are levels, unless the user says it. */
static const char *const levels[] = {"Innodb_*_current_*",
                                     "Innodb_*_pending_*",
                                     "Innodb_buffer_pool_bytes_*",
                                     "Innodb_buffer_pool_pages_[!flm]*",
                                     "Innodb_buffer_pool_pages_free",
                                     "Innodb_checkpoint_*age",
                                     "Innodb_history_list_length",
                                     "Innodb_mem_*",
                                     "Innodb_num_open_files",
                                     "Innodb_row_lock_time_[am]*",
                                     "Key_blocks_*",
                                     "Max_*used*",
                                     "Memory_used*",
                                     "Open_*",
                                     "Prepared_stmt_count",
                                     "Qcache_*_blocks",
                                     "Qcache_free_memory",
                                     "Threads_[!c]*",
                                     "Threads_c[ao]*",
                                     "wsrep_*_queue",
                                     "wsrep_cluster_size"};

static const char *const ends[] = {"", "", "_per_s", "_per_transaction"};

bool status_names_init(struct status_names *s, const char *driver)
{
    bool rows = strcmp(driver, "mysql") == 0;

    static_assert(sizeof mysql <= sizeof s->name && sizeof pgsql <= sizeof s->name, "room for all");
    *s = (struct status_names){.rows = rows};
    if (rows || strcmp(driver, "pgsql") == 0)
        s->n = rows ? sizeof mysql / sizeof *mysql : sizeof pgsql / sizeof *pgsql;
    memcpy(s->name, rows ? mysql : pgsql, s->n * sizeof *mysql);
    s->own = s->n;
    return s->n > 0;
}

void status_names_free(struct status_names *s)
{
    while (s->n > s->own)
        free((void *)s->name[--s->n].name); /* and `ways` behind it */
}

/* NAME[:UNIT]: how many bytes it has, what the figure is called, and what it is, unless no UNIT
 * says it.  0: there is none. */
static size_t read_name(const char *text, char shown[FIELD_NAME_SIZE], enum status_kind *kind)
{
    static const char *const unit[] = {"", ":gauge", ":/s", ":/tx"};
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789."),
           len = n;

    for (int k = STATUS_LEVEL; k <= STATUS_PER_TX; k++)
        if (strncmp(text + len, unit[k], strlen(unit[k])) == 0) {
            *kind = (enum status_kind)k;
            n = len + strlen(unit[k]);
        }
    int all = snprintf(shown, FIELD_NAME_SIZE, "%.*s%s", (int)len, text, ends[*kind]);
    for (char *p = shown; (p = strchr(p, '.')) != NULL;) /* a figure's name has none */
        *p = '_';
    return all < FIELD_NAME_SIZE && !strspn(text, "0123456789.") && len ? n : 0;
}

/* NULL, or why not. */
static const char *add(struct status_names *s, const char *shown, enum status_kind kind,
                       const char *ways)
{
    bool taken = false;

    for (const struct figure *r = status_figures; !figure_ends(r); r++)
        taken |= strcasecmp(r->name, shown) == 0;
    for (size_t i = 0; i < s->n; i++) {
        size_t len = strlen(s->name[i].name);
        taken |= strncasecmp(s->name[i].name, shown, len) == 0 &&
                 (!shown[len] || strcmp(shown + len, ends[kind]) == 0);
    }
    if (taken || s->n == STATUS_MAX)
        return taken ? "there is another figure of that name" : "there are too many figures";
    char *kept = mem_printf("%s%c%s", shown, '\0', ways);
    ways = kept + strlen(kept) + 1;
    s->ask[s->n] = (struct status_ask){.ways = ways, .way = ways};
    s->name[s->n++] = (struct status_name){kept, kind};
    return NULL;
}

static const char *add_name(struct status_names *s, const char *text, size_t *n)
{
    const char *const *p = s->rows ? mysql_presets : pgsql_presets, *why;
    enum status_kind kind = STATUS_GROWTH;
    char shown[FIELD_NAME_SIZE], *ways, *name = mem_strndup(text, strcspn(text, ":,"));
    const char *column = strchr(name, '.');

    while (*p && (strncasecmp(*p, name, strlen(name)) != 0 || !strchr(":=", (*p)[strlen(name)])))
        p++;
    for (size_t i = 0; s->rows && i < sizeof levels / sizeof *levels; i++)
        if (fnmatch(levels[i], name, FNM_CASEFOLD) == 0)
            kind = STATUS_LEVEL;
    if (*p)
        read_name(*p, shown, &kind);
    *n = read_name(text, shown, &kind);
    /* of a view with several rows the server says that it has them */
    ways = *p        ? mem_strdup(strchr(*p, '=') + 1)
           : s->rows ? mem_strdup(name)
           : column
               ? mem_printf("SELECT (SELECT %s FROM %.*s)", column + 1, (int)(column - name), name)
               : mem_printf("SELECT %s FROM pg_stat_database WHERE datname = "
                            "current_database()",
                            name);
    why = *n && (!text[*n] || text[*n] == ',') ? add(s, shown, kind, ways)
                                               : "allowed: on, off, +NAME[:gauge|:/s|:/tx],...";
    free(ways);
    free(name);
    return why;
}

int status_names_add(struct status_names *s, const char *names, struct err *e)
{
    const char *why = NULL;
    size_t n = 0;

    for (const char *p = names; !why && (p == names || p[-1]); p += n + 1)
        why = add_name(s, p, &n);
    return why ? err_set(e, ERR_USAGE, "Invalid value for --server-status: '+%s' (%s)", names, why)
               : 0;
}

int status_names_add_query(struct status_names *s, const char *query, struct err *e)
{
    enum status_kind kind = STATUS_LEVEL;
    char shown[FIELD_NAME_SIZE];
    size_t n = read_name(query, shown, &kind);
    const char *why = !n || query[n] != '=' || !strchr(query + n, ' ') || strcspn(query, ".") < n
                          ? "it is NAME[:gauge|:/s|:/tx]=SQL"
                          : add(s, shown, kind, query + n + 1);

    return why ? err_set(e, ERR_USAGE, "Invalid value for --server-query: '%s' (%s)", query, why)
               : 0;
}

const char *status_names_query(const struct status_names *s, size_t i, struct str *out)
{
    const char *way = s->ask[i].way;
    size_t len = strcspn(way, "\1");

    str_reset(out);
    str_add(out, way, len);
    return memchr(way, ' ', len) ? str_cstr(out) : NULL;
}

bool status_names_turn(struct status_names *s, size_t i)
{
    struct status_ask *a = &s->ask[i];
    const char *next = a->answered ? NULL : strchr(a->way, '\1');

    if (!a->answered)
        a->way = next ? next + 1 : a->ways;
    return next != NULL;
}

/* NULL: it has a query of its own. */
static const char *variable(const struct status_names *s, size_t i, size_t *len)
{
    const char *name = i < s->own ? s->name[i].name : s->ask[i].way;

    *len = strcspn(name, "\1");
    return memchr(name, ' ', *len) ? NULL : name;
}

void status_names_question(const struct status_names *s, struct str *out)
{
    static const char active[] = /* of another view */
        "(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = "
        "current_database())";

    str_adds(out, s->rows ? "SHOW GLOBAL STATUS WHERE Variable_name IN (" : "SELECT ");
    for (size_t i = 0, len; i < s->n; i++) {
        const char *name = variable(s, i, &len);
        if (name && strcmp(name, "active") == 0)
            str_printf(out, "%s,", active);
        else if (name)
            str_printf(out, s->rows ? "'%.*s'," : "%.*s,", (int)len, name);
    }
    str_adds(out, s->rows ? "'Uptime','Questions')"
                          : "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) "
                            "FROM pg_stat_database WHERE datname = current_database()");
}

static bool is_named(const sql_value *v, const char *name, size_t len)
{
    return v->ptr && v->len == len && strncasecmp(name, v->ptr, len) == 0;
}

void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, struct status_more *more)
{
    if (s->rows && columns >= 2) { /* Variable_name, Value */
        if (is_named(&column[0], "Uptime", 6))
            answer_number(&column[1], &more->up);
        if (is_named(&column[0], "Questions", 9))
            answer_number(&column[1], &more->counted);
        for (size_t i = 0, len; i < s->n; i++) {
            const char *name = variable(s, i, &len);
            if (name && is_named(&column[0], name, len) && answer_number(&column[1], &r->v[i]))
                r->have |= UINT64_C(1) << i;
        }
    }
    if (!s->rows && columns > s->own)
        answer_number(&column[s->own], &more->up);
    for (size_t i = 0; !s->rows && i < s->own && i < columns; i++)
        if (answer_number(&column[i], &r->v[i])) {
            r->have |= UINT64_C(1) << i;
            if (strncmp(s->name[i].name, "xact_", 5) == 0)
                more->counted += r->v[i];
        }
}

void status_names_keep(struct status_names *s, uint64_t have)
{
    size_t kept = 0, own = 0;

    for (size_t i = 0; i < s->n; i++)
        if (i >= s->own || have >> i & 1) {
            own += i < s->own;
            s->ask[kept] = s->ask[i];
            s->name[kept++] = s->name[i];
        }
    s->n = kept;
    s->own = own;
}
