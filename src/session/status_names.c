/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_names.h.
 */
#include "session/status_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct status_name mysql[] = {
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

static const struct status_name pgsql[] = {
    {"active", true},         {"numbackends", true},   {"xact_commit", false},
    {"xact_rollback", false}, {"tup_returned", false}, {"tup_fetched", false},
    {"tup_inserted", false},  {"tup_updated", false},  {"tup_deleted", false},
    {"blks_hit", false},      {"blks_read", false},    {"temp_bytes", false},
    {"conflicts", false},     {"deadlocks", false},
};

static void set_names(struct status_names *s, const struct status_name *name, size_t n)
{
    assert(n <= STATUS_MAX);
    memcpy(s->name, name, n * sizeof *name);
    s->n = n;
}

bool status_names_init(struct status_names *s, const char *driver)
{
    *s = (struct status_names){.rows = strcmp(driver, "mysql") == 0};
    if (s->rows)
        set_names(s, mysql, sizeof mysql / sizeof *mysql);
    else if (strcmp(driver, "pgsql") == 0)
        set_names(s, pgsql, sizeof pgsql / sizeof *pgsql);
    return s->n > 0;
}

static void mysql_question(const struct status_names *s, struct str *out)
{
    str_adds(out, "SHOW GLOBAL STATUS WHERE Variable_name IN (");
    for (size_t i = 0; i < s->n; i++)
        str_printf(out, "'%s',", s->name[i].name);
    str_adds(out, "'Uptime')");
}

/* "active" is of another view. */
static void pgsql_question(const struct status_names *s, struct str *out)
{
    static const char active[] =
        "(SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND datname = "
        "current_database())";

    str_adds(out, "SELECT ");
    for (size_t i = 0; i < s->n; i++)
        str_printf(out, "%s,", strcmp(s->name[i].name, "active") == 0 ? active : s->name[i].name);
    str_adds(
        out,
        "extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) FROM pg_stat_database WHERE datname = current_database()");
}

void status_names_question(const struct status_names *s, struct str *out)
{
    (s->rows ? mysql_question : pgsql_question)(s, out);
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

static void store_value(struct status_reading *r, size_t i, const sql_value *v)
{
    if (number(v, &r->v[i]))
        r->have |= UINT32_C(1) << i;
}

/* Variable_name, Value */
static void take_named(const struct status_names *s, struct status_reading *r,
                       const sql_value *name, const sql_value *value, double *up)
{
    if (name->ptr && name->len == 6 && strncasecmp("Uptime", name->ptr, 6) == 0)
        number(value, up);
    for (size_t i = 0; i < s->n; i++)
        if (name->ptr && strlen(s->name[i].name) == name->len &&
            strncasecmp(s->name[i].name, name->ptr, name->len) == 0)
            store_value(r, i, value);
}

void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, double *up)
{
    if (s->rows && columns >= 2)
        take_named(s, r, &column[0], &column[1], up);
    if (!s->rows && columns > s->n)
        number(&column[s->n], up);
    for (size_t i = 0; !s->rows && i < s->n && i < columns; i++)
        store_value(r, i, &column[i]);
}

void status_names_keep(struct status_names *s, uint32_t have)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        if (have & UINT32_C(1) << i)
            s->name[kept++] = s->name[i];
    s->n = kept;
}
