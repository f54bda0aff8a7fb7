/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_names.h.
 */
#include "session/status_names.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

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
    str_adds(out, s->rows ? "'Uptime','Questions')"
                          : "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) "
                            "FROM pg_stat_database WHERE datname = current_database()");
}

static bool is_named(const sql_value *v, const char *name)
{
    return v->ptr && v->len == strlen(name) && strncasecmp(name, v->ptr, v->len) == 0;
}

void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, struct status_more *more)
{
    if (s->rows && columns >= 2) { /* Variable_name, Value */
        if (is_named(&column[0], "Uptime"))
            answer_number(&column[1], &more->up);
        if (is_named(&column[0], "Questions"))
            answer_number(&column[1], &more->counted);
        for (size_t i = 0; i < s->n; i++)
            if (is_named(&column[0], s->name[i].name) && answer_number(&column[1], &r->v[i]))
                r->have |= UINT32_C(1) << i;
    }
    if (!s->rows && columns > s->n)
        answer_number(&column[s->n], &more->up);
    for (size_t i = 0; !s->rows && i < s->n && i < columns; i++)
        if (answer_number(&column[i], &r->v[i])) {
            r->have |= UINT32_C(1) << i;
            if (strncmp(s->name[i].name, "xact_", 5) == 0)
                more->counted += r->v[i];
        }
}

void status_names_keep(struct status_names *s, uint32_t have)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        if (have & UINT32_C(1) << i)
            s->name[kept++] = s->name[i];
    s->n = kept;
}
