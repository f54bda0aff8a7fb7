/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_driver.h: the client that the scripted connections belong to, its clock, and the begin
 * and end of a test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/test_driver.h"

struct test_world test_world;

/* --- the host --- */

static bool keep_trying(void *arg)
{
    (void)arg;
    return test_world.now < test_world.run_ends;
}

static void pause_until(void *arg, dur_ns d)
{
    struct test_world *w = arg;

    test_note("pause");
    if (w->npauses < sizeof w->pauses / sizeof *w->pauses)
        w->pauses[w->npauses] = d;
    w->npauses++;
    w->now = w->now + d < w->run_ends ? w->now + d : w->run_ends;
}

static mono_ns now(void *arg)
{
    return ((struct test_world *)arg)->now;
}

static bool connecting(void *arg, bool begins, int fd)
{
    struct test_world *w = arg;

    if (!begins) {
        w->nended++;
        w->ended_fd = fd;
        return true;
    }
    w->nconnecting++;
    return w->may_connect;
}

static void presence(void *arg, const void *connection, enum sql_presence p, int server, int fd)
{
    struct test_world *w = arg;

    (void)connection;
    (void)server;
    w->nconnected += p == SQL_ARRIVED;
    if (p == SQL_ARRIVED)
        w->connected_fd = fd;
}

static void reconnected(void *arg, dur_ns took, dur_ns away)
{
    struct test_world *w = arg;

    w->nreconnected++;
    w->took = took;
    w->away = away;
}

static void error(void *arg, const struct sql_error *e)
{
    struct test_world *w = arg;

    w->nerrors++;
    w->error = *e;
}

static void after_error(void *arg, enum error_action action, bool holds)
{
    struct test_world *w = arg;

    w->holds = holds;
    w->nafter_error++;
    w->after_error = action;
}

static void commit_lost(void *arg)
{
    struct test_world *w = arg;

    w->ncommits_lost++;
}

/* --- a test's life --- */

void test_set_up(void)
{
    sql_teardown();
    if (sql_setup(&test_world.options, &(struct err){0}))
        abort();
}

void test_begin(void)
{
    test_world = (struct test_world){.ndrivers = 1,
                                     .now = NS_PER_SEC,
                                     .run_ends = 3601 * NS_PER_SEC,
                                     .may_connect = true,
                                     .fd = 10};
    test_world.options = (struct sql_options){.driver = "scripted", .ps_server = true};
    test_world.host = (struct sql_host){.arg = &test_world,
                                        .in_statement = &test_world.in_statement,
                                        .client = &test_world,
                                        .counters = &test_world.counters,
                                        .keep_trying = keep_trying,
                                        .pause = pause_until,
                                        .now = now,
                                        .connecting = connecting,
                                        .presence = presence,
                                        .reconnected = reconnected,
                                        .error = error,
                                        .after_error = after_error,
                                        .commit_lost = commit_lost};
    test_forget();
    test_set_up();
}

sql_connection *test_session(bool ps_server)
{
    test_begin();
    test_world.options.ps_server = ps_server;
    test_set_up();
    return test_connect();
}

bool test_end(sql_connection *c)
{
    bool clean;
    size_t left;

    if (c)
        sql_connection_free(c);
    sql_teardown();
    left = test_answers_left();
    clean = left == 0 && test_world.connections == 0 && test_world.statements == 0 &&
            test_world.nastray == 0;
    if (!clean)
        printf("left: %zu answers, %u connections, %u statements; astray: %u\n", left,
               test_world.connections, test_world.statements, test_world.nastray);
    test_forget();
    return clean;
}

sql_connection *test_connect(void)
{
    sql_connection *c = sql_connect(sql_driver_get(NULL), &test_world.host);

    test_calls();
    return c;
}

sql_result *test_query(sql_connection *c, const char *text)
{
    return sql_query(c, text, strlen(text));
}

sql_statement *test_prepare(sql_connection *c, const char *text)
{
    sql_statement *s = sql_prepare(c, text, strlen(text));

    test_world.nastray += test_world.in_statement;
    return s;
}
