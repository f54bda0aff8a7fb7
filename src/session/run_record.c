/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_record.h.  All of the server's variables are recorded: which of them explains a
 * difference between two runs is not known before.
 */
#include "session/run_record.h"

#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/run.h"
#include "fiber/sched.h"
#include "opt/secret.h"
#include "report/report_options.h"
#include "session/answers.h"

/* --- facts --- */

void facts_read(struct facts *v, const struct environment *host)
{
    static const struct {
        const char *name, *key; /* NULL: not an item of the record */
        bool number;
    } facts[] = {{"host", "host.name", false},
                 {"kernel", "host.kernel", false},
                 {"machine", NULL, false},
                 {"cpu_model", "host.cpu.model", false},
                 {"cpus_online", "host.cpu.count", true},
                 {"cpu_governor", "host.cpu.governor", false},
                 {"memory_bytes", "host.memory_bytes", true},
                 {"luajit", NULL, false}};
    const char *kernel = environment_get(host, "host.kernel");

    v->n = sizeof facts / sizeof *facts;
    for (size_t i = 0; i < v->n; i++) {
        const struct environment_item *item =
            facts[i].key ? environment_find(host, facts[i].key) : NULL;
        struct report_fact *f = &v->fact[i];
        *f = (struct report_fact){.name = facts[i].name, .number = facts[i].number};
        if (item)
            f->value = item->value;
        else if (strcmp(f->name, "machine") == 0 && kernel && strrchr(kernel, ' '))
            f->value = strrchr(kernel, ' ') + 1; /* the last word of the text from uname(2) */
        else if (strcmp(f->name, "luajit") == 0)
            f->value = LUAJIT_VERSION;
        if (!f->value)
            f->missing = item ? item->missing : "not reported by the system";
    }
    for (size_t i = 0; i < FACTS_DRIVERS && sql_class_at(i) && v->n < FACTS_MAX; i++) {
        snprintf(v->library[i], sizeof v->library[i], "%s_library", sql_class_at(i)->names.sname);
        v->fact[v->n++] =
            (struct report_fact){.name = v->library[i], .value = sql_class_at(i)->library()};
    }
}

/* --- the record in result files --- */

#include "config.h"

/* A script's own option of this name may have any value. */
int run_record_labels(struct run_record *r, const struct opts *o, struct err *e)
{
    struct err why = {0};
    size_t n;
    int rc = 0;
    char **given = opt_list(o, "label", &n);

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = report_labels_parse(&r->label, &r->info.labels, given[i], &why);
    r->info.label = r->label;
    if (rc == 0 || opt_of_script(o, "label"))
        return 0;
    *e = why;
    return rc;
}

void run_record_fill(struct run_record *r, const struct command_line *a, const struct plan *p,
                     const struct environment *host)
{
    struct opt_view v;
    size_t n = 0;

    facts_read(&r->facts, host);
    while (opts_at(a->opts, n, &v))
        n++;
    r->info.option = r->option = mem_array(n, sizeof *r->option);
    r->info.options = n;
    for (size_t i = 0; i < n; i++) {
        static const char *const words[] = {"on", "off", "true", "false", "1", "0", ""};
        struct report_option *option = &r->option[i];
        char *shown;
        opts_at(a->opts, i, &v);
        /* of an option whose default the program chose, the value in effect */
        if (!v.given && strcmp(v.shown, "workers") == 0)
            shown = mem_printf("%d", p->workers);
        else if (!v.given && strcmp(v.shown, "lua-state") == 0)
            shown = mem_strdup(a->shared_lua_states ? "worker" : "client");
        else
            shown = secret_shown(a->opts, v.name, v.value);
        *option = (struct report_option){
            .name = v.shown, .value = shown, .given = v.given ? shown : NULL, .type = REPORT_TEXT};
        if (v.type ==
            OPT_BOOL) { /* a switch's words are shown as true and false, a mode as it is */
            for (size_t k = 0; k < COUNT(words); k++)
                option->type = strcmp(v.value, words[k]) == 0 ? REPORT_FLAG : option->type;
            option->number = opt_bool(a->opts, v.name);
        } else if (v.type == OPT_LIST) {
            option->type = REPORT_LIST;
        } else if (v.type == OPT_SIZE || ((v.type == OPT_INT || v.type == OPT_DOUBLE) &&
                                          !opt_beyond_number(v.flags, v.value))) {
            option->type = REPORT_NUMBER; /* and no list of ports, no stages of a rate */
            option->number = opt_double(a->opts, v.name);
        }
    }
    /* it hides the passwords of our options only: a script may have some of its own */
    r->info.argv = r->argument = mem_array((size_t)a->argc + 1, sizeof *r->argument);
    r->info.argc = a->argc;
    for (int i = 0; i < a->argc; i++)
        r->argument[i] = secret_shown_arg(a->opts, a->argv[i]);
    r->info.version = PACKAGE_VERSION;
    r->info.test = a->test ? a->test : "-";
    r->info.command = a->command ? a->command : "run";
    r->info.fact = r->facts.fact;
    r->info.facts = r->facts.n;
    r->info.wall = clock_wall();
    r->info.intervals = p->report_interval > 0;
}

void run_record_free(struct run_record *r)
{
    for (size_t i = 0; i < r->info.options; i++)
        free((char *)(uintptr_t)r->option[i].value);
    free(r->option);
    for (int i = 0; i < r->info.argc; i++)
        free(r->argument[i]);
    free(r->argument);
    report_labels_free(r->label, r->info.labels);
    *r = (struct run_record){0};
}

#define ANSWER_LIMIT (5 * NS_PER_SEC) /* of the connection and its query */

static const char mysql_variables[] = "SHOW GLOBAL VARIABLES";
static const char pgsql_variables[] =
    "SELECT name, current_setting(name, true) FROM pg_settings ORDER BY name";
/* By itself: not every server that speaks the protocol has the function. */
static const char pgsql_identity[] =
    "SELECT 'system_identifier', system_identifier FROM pg_control_system()";

/* --- the record of the environment --- */

static void add_row(struct environment *e, const sql_row *row)
{
    const sql_value *name = &row->values[0], *value = &row->values[1];
    struct str text = STR_INIT;
    char key[120];

    if (!name->ptr)
        return;
    snprintf(key, sizeof key, "server.variable.%.*s", (int)(name->len < 80 ? name->len : 80),
             name->ptr);
    str_printf(&text, "%.*s", (int)value->len, value->ptr ? value->ptr : "");
    char *shown = secret_shown_text(str_cstr(&text)); /* primary_conninfo may hold a password */
    if (value->len && (strstr(key, ".report_password") || strstr(key, ".ssl_passphrase")))
        environment_add(e, key, "%s", SECRET_SHOWN);
    else
        environment_add(e, key, "%s", shown);
    free(shown);
    str_free(&text);
}

static void note_missing(struct environment *e, const char *key, const char *why)
{
    if (run_is_signalled())
        why = "a signal ended the wait for an answer";
    else if (sched_waits_over())
        why = "no answer within 5 s";
    environment_missing(e, key, "%s", why);
}

/* Add the rows of an answer, each a name and a value; what is missing without one is KEY. */
static void ask(struct environment *e, sql_connection *con, const char *question, const char *key)
{
    sql_result *res = sql_query(con, question, strlen(question));
    sql_row *row;

    if (!res)
        note_missing(e, key, con->sql_errmsg ? con->sql_errmsg : "no answer");
    while ((row = answer_row(res)) != NULL)
        if (res->nfields >= 2)
            add_row(e, row);
}

void run_environment_begin(struct environment *e, const struct command_line *a)
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
        struct counters *counters = mem_array_aligned(1, sizeof *counters); /* of no client */
        struct sql_host host = {.counters = counters, .auxiliary = true};
        sql_driver *d = sql_driver_get(driver);
        sched_cancel_waits(run_is_signalled);
        sched_limit_waits(clock_mono() + ANSWER_LIMIT);
        sql_connection *con = d ? sql_connect(d, &host) : NULL;
        if (con) {
            environment_add(e, "server.driver", "%s", d->sname);
            bool mysql = strcmp(d->sname, "mysql") == 0;
            ask(e, con, mysql ? mysql_variables : pgsql_variables, "server.variable");
            if (!mysql)
                ask(e, con, pgsql_identity, "server.variable.system_identifier");
            sql_disconnect(con);
            sql_connection_free(con);
        } else {
            note_missing(e, "server.variable", "no connection could be made");
        }
        sched_limit_waits(0);
        sched_cancel_waits(NULL);
        free(counters);
        log_mute_thread(false);
    }
}
