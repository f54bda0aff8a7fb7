/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_environment.h.  All of the server's variables are recorded: which of them explains a
 * difference between two runs is not known before.
 */
#include "session/run_environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/run.h"
#include "fiber/task.h"
#include "opt/secret.h"
#include "sql/sql.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#define ANSWER_LIMIT (5 * NS_PER_SEC) /* of the connection and its query */

static const char mysql_variables[] = "SHOW GLOBAL VARIABLES";
static const char pgsql_variables[] =
    "SELECT name, setting || coalesce(' ' || unit, '') FROM pg_settings ORDER BY name";

static void add_row(struct environment *e, const sql_row *row)
{
    const sql_value *name = &row->values[0], *value = &row->values[1];
    struct str text = STR_INIT;
    char key[120], *shown;

    if (!name->ptr)
        return;
    snprintf(key, sizeof key, "server.variable.%.*s", (int)(name->len < 80 ? name->len : 80),
             name->ptr);
    str_printf(&text, "%.*s", (int)value->len, value->ptr ? value->ptr : "");
    shown = secret_shown_text(str_cstr(&text)); /* primary_conninfo may hold a password */
    if (value->len && (strstr(key, ".report_password") || strstr(key, ".ssl_passphrase")))
        environment_add(e, key, "%s", SECRET_SHOWN);
    else
        environment_add(e, key, "%s", shown);
    free(shown);
    str_free(&text);
}

static void note_missing(struct environment *e, const char *why)
{
    if (run_is_signalled())
        why = "a signal ended the wait for an answer";
    else if (sched_waits_over())
        why = "no answer within 5 s";
    environment_missing(e, "server.variable", "%s", why);
}

static void query_settings(struct environment *e, sql_connection *con, const char *question)
{
    sql_result *res = sql_query(con, question, strlen(question));
    sql_row *row;

    if (!res) {
        note_missing(e, con->sql_errmsg ? con->sql_errmsg : "no answer");
        return;
    }
    while (res->nfields >= 2 && (row = sql_fetch_row(res)))
        add_row(e, row);
    sql_free_results(res);
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

static void add_variables(struct environment *e, const char *driver)
{
    struct counters *counters = mem_array_aligned(1, sizeof *counters); /* of no client */
    struct sql_host host = {.counters = counters, .keep_trying = never, .auxiliary = true};
    sql_driver *d = sql_driver_get(driver);
    sql_connection *con;

    sched_cancel_waits(run_is_signalled);
    sched_limit_waits(clock_mono() + ANSWER_LIMIT);
    con = d ? sql_connect(d, &host) : NULL;
    if (con) {
        environment_add(e, "server.driver", "%s", d->sname);
        query_settings(e, con, strcmp(d->sname, "mysql") == 0 ? mysql_variables : pgsql_variables);
        sql_disconnect(con);
        sql_connection_free(con);
    } else {
        note_missing(e, "no connection could be made");
    }
    sched_limit_waits(0);
    sched_cancel_waits(NULL);
    free(counters);
}

static void add_program(struct environment *e, const struct command_line *a)
{
    struct str s = STR_INIT;

    for (int i = 0; i < a->argc; i++) {
        char *arg = secret_shown_arg(a->opts, a->argv[i]);
        str_printf(&s, "%s%s", i ? " " : "", arg);
        free(arg);
    }
    environment_add(e, "client.version", "%s %s", PACKAGE_NAME, PACKAGE_VERSION);
    environment_add(e, "client.command", "%s", str_cstr(&s));
    str_free(&s);
}

void run_environment_begin(struct environment *e, const struct command_line *a)
{
    add_program(e, a);
    environment_host(e, "/proc", "/sys");
}

void run_environment_add_server(struct environment *e, const pid_t *pids, size_t n,
                                struct remote *remote, const char *driver)
{
    if (remote)
        remote_environment(remote, e);
    for (size_t i = 0; i < n && !remote; i++)
        environment_process(e, "/proc", pids[i]);
    if (driver) {
        log_mute_thread(true); /* the record has the errors */
        add_variables(e, driver);
        log_mute_thread(false);
    }
}
