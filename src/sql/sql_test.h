/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Helpers for tests of the SQL floor against real servers: begin a session with the options of the
 * test, run and check a statement in one line, capture the output.  Only *_test.c files include
 * this, once per program.
 */
#ifndef SB_SQL_SQL_TEST_H
#define SB_SQL_SQL_TEST_H

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"
#include "sql/sql.h"

static struct sql_options options; /* the program sets how to reach its server */
static struct counters counters;
static int fds_seen, last_fd, tries_left;

static void presence(void *arg, const void *connection, enum sql_presence p, int server, int fd)
{
    (void)arg;
    (void)connection;
    (void)server;
    if (p != SQL_ARRIVED)
        return;
    CHECK(fd >= 0);
    fds_seen++;
    last_fd = fd;
}

static bool keep_trying(void *arg)
{
    (void)arg;
    return tries_left-- > 0;
}

static const struct sql_host host = {
    .counters = &counters, .keep_trying = keep_trying, .presence = presence};

/* Begins a session with or without server-side statements, and one error to ignore (or "all"). */
static void begin(bool ps, const char *ignore)
{
    static char item[16], *list[] = {item};
    struct err e;

    snprintf(item, sizeof item, "%s", ignore);
    options.ps_server = ps;
    options.mysql.ignore_errors = options.pgsql.ignore_errors = list;
    options.mysql.nignore = strcmp(options.driver, "mysql") == 0;
    options.pgsql.nignore = !options.mysql.nignore;
    CHECK_INT(sql_setup(&options, &e), 0);
    memset(&counters, 0, sizeof counters);
    tries_left = 1000;
}

static sql_connection *login(void)
{
    sql_connection *c = sql_connect(sql_driver_get(NULL), &host);

    CHECK(c != NULL);
    if (!c)
        exit(test_done("no connection"));
    return c;
}

static sql_connection *session(bool ps, const char *ignore)
{
    begin(ps, ignore);
    return login();
}

static void end(sql_connection *c)
{
    sql_connection_free(c);
    sql_teardown();
}

static sql_result *query(sql_connection *c, const char *text)
{
    return sql_query(c, text, strlen(text));
}

static sql_statement *prepare(sql_connection *c, const char *text)
{
    return sql_prepare(c, text, strlen(text));
}

static void fine(sql_connection *c, const char *text)
{
    query(c, text);
    CHECK_INT(c->error, DB_ERROR_NONE);
    if (c->error)
        printf("%s: %s\n", text, c->sql_errmsg);
}

/* Replaces the table of that name; `columns` includes what follows the parenthesis. */
static void make_table(sql_connection *c, const char *name, const char *columns)
{
    char text[512];

    snprintf(text, sizeof text, "DROP TABLE IF EXISTS %s", name);
    fine(c, text);
    snprintf(text, sizeof text, "CREATE TABLE %s (%s", name, columns);
    fine(c, text);
}

static const char *first_value(sql_result *r)
{
    static char text[4096];
    sql_row *row = r ? sql_fetch_row(r) : NULL;

    if (!row)
        return "(no row)";
    if (!row->values[0].ptr)
        return "(null)";
    snprintf(text, sizeof text, "%.*s", (int)row->values[0].len, row->values[0].ptr);
    return text;
}

static const char *value_of(sql_connection *c, const char *text)
{
    return first_value(query(c, text));
}

#define CHECK_COUNT(kind, want) CHECK_INT(counters_get(&counters, kind), want)

static bool has(const char *text, const char *part)
{
    if (strstr(text, part))
        return true;
    printf("not found: %s\nin: %s\n", part, text);
    return false;
}

#endif
