/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See app.h.
 */
#include "cli/app.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/registry.h"
#include "opt/generation.h"
#include "opt/secret.h"
#include "sql/sql_options.h"

/* What most runs use, which is what --help lists. */
static const char usual[] =
    " threads events time warmup-time forced-shutdown rate report-interval help version config-file"
    " compat workers think-time tx-rate tx-arrival tx-find server server-status host-stats"
    " server-profile rand-type rand-seed report-file verbosity percentile histogram"
    " db-driver db-ps-mode on-error"
    " mysql-host mysql-port mysql-socket mysql-user mysql-password mysql-db mysql-ssl"
    " mysql-ignore-errors"
    " pgsql-host pgsql-port pgsql-user pgsql-password pgsql-db pgsql-sslmode ";

/* Nothing if no option of it is listed; `only` as in opts_help(). */
static void group(struct str *s, const struct opts *o, const char *title, enum opt_group g,
                  const char *only)
{
    struct str rows = STR_INIT;

    opts_help(o, g, false, only, &rows);
    if (rows.len || !only)
        str_printf(s, "%s%s\n", title, str_cstr(&rows));
    str_free(&rows);
}

void help_general(const struct opts *o, bool all)
{
    static const struct {
        const char *title;
        enum opt_group group;
    } groups[] = {
        {"General options:\n", OPT_GROUP_GENERAL},
        {"Client options:\n", OPT_GROUP_CLIENTS},
        {"Steady rate options:\n", OPT_GROUP_RATE},
        {"Server telemetry options:\n", OPT_GROUP_SERVER},
        {"Load host options:\n", OPT_GROUP_CLUSTER},
        {"Pseudo-Random Numbers Generator options:\n", OPT_GROUP_RANDOM},
        {"Log options:\n", OPT_GROUP_LOG},
        {"", OPT_GROUP_LOG_LATENCY},
        {"General database options:\n\n", OPT_GROUP_DB},
    };
    const char *only = all || generation_of(o)->old ? NULL : usual;
    struct str s = STR_INIT;

    str_adds(&s, "Usage:\n  sysbench [options]... [testname] [command]\n\n"
                 "Commands implemented by most tests: prepare run cleanup help\n\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        group(&s, o, groups[i].title, groups[i].group, only);
    str_adds(&s, "\nCompiled-in database drivers:\n");
    for (size_t i = 0; sql_class_at(i); i++)
        str_printf(&s, "  %s - %s\n", sql_class_at(i)->names.sname, sql_class_at(i)->names.lname);
    str_adds(&s, "\n");
    for (size_t i = 0; sql_class_at(i); i++) {
        if (sql_class_at(i)->options == OPT_GROUP_NONE)
            continue;
        str_printf(&s, "%s options:\n", sql_class_at(i)->names.sname);
        group(&s, o, "", sql_class_at(i)->options, only);
    }
    str_adds(&s, "Compiled-in tests:\n");
    for (size_t i = 0; registry_builtin_at(i); i++)
        str_printf(&s, "  %s - %s\n", registry_builtin_at(i)->name, registry_builtin_at(i)->title);
    str_adds(&s, "\nBundled database tests:\n");
    for (size_t i = 0; script_bundled_at(i); i++)
        str_printf(&s, "  %s - %s\n", script_bundled_at(i)->name, script_bundled_at(i)->title);
    str_adds(&s, "\n");
    if (only)
        str_adds(&s,
                 "These are the options that most runs use; 'sysbench --help=all' lists all.\n\n");
    str_adds(
        &s,
        "Counts (threads, events, rates, rows of a table) accept k, M and G, powers of 1000 (1M is\n"
        "1000000). Sizes accept K, M, G and T, powers of 1024.\n\n"
        "Options of sysbench 0.4 and 0.5 are accepted, too: 'sysbench --compat=0.4 --help' lists "
        "them.\n\n"
        "See 'sysbench <testname> help' for a list of options for each test.\n\n");
    log_print("%s", str_cstr(&s));
    str_free(&s);
}

void help_builtin(const struct opts *o, const char *name)
{
    struct str s = STR_INIT;

    str_printf(&s, "%s options:\n", name);
    group(&s, o, "", OPT_GROUP_TEST, NULL);
    log_print("%s", str_cstr(&s));
    str_free(&s);
}

int help_test(const struct app *a, struct err *e)
{
    /* A table of its own: the other options may be wrong, which may be why the user wants help. */
    struct app own = *a;
    const struct builtin *b = registry_find(a->testname);
    int rc = 0;

    own.command = "help";
    own.opts = opts_new();
    options_declare(own.opts);
    opt_set(own.opts, "compat", generation_of(a->opts)->name, NULL);
    generation_apply(own.opts);
    own.plan.generation = generation_of(own.opts);
    if (b) {
        builtin_options(b, own.opts);
        help_builtin(own.opts, b->name);
    } else { /* a script must be run to get its options: its top level, as for any command */
        struct script_env env = app_script_env(&own);
        if (random_options_read(&own.dist, own.opts, e) ||
            sql_options_read(&own.sql, own.opts, e) || sql_setup(&own.sql, e))
            rc = -1;
        if (rc == 0)
            rc = script_open(&own.script, &env, e);
        if (rc == 0)
            rc = script_options(own.script, e);
        if (rc == 0 && script_command_kind(own.script, "help", e) == SCRIPT_COMMAND_CALL) {
            rc = script_call_command(own.script, "help", e);
        } else if (rc == 0) {
            *e = (struct err){0};
            log_print("%s has no options of its own.\n", a->testname);
        }
    }
    if (rc == 0)
        log_print("General options: sysbench --help\n");
    if (rc == SCRIPT_NOT_FOUND) { /* most likely a misspelt name: the general help, as in stock */
        if (!hint_is_command(a->testname)) {
            hint_test(&own, e);
            char *msg = secret_shown_message(e->msg);
            log_stderr("%s", msg);
            free(msg);
        }
        *e = (struct err){0};
        help_general(own.opts, a->help_all);
        rc = 0;
    }
    script_close(own.script);
    sql_teardown();
    opts_free(own.opts);
    return rc;
}

static void name_list(struct str *s, bool bundled)
{
    size_t column = 80;

    for (size_t i = 0; bundled ? script_bundled_at(i) != NULL : registry_builtin_at(i) != NULL;
         i++) {
        const char *name = bundled ? script_bundled_at(i)->name : registry_builtin_at(i)->name;
        if (column + strlen(name) + 1 > 78) {
            str_adds(s, i ? "\n   " : "   ");
            column = 3;
        }
        str_printf(s, " %s", name);
        column += strlen(name) + 1;
    }
    str_adds(s, "\n");
}

void help_usage_old(void)
{
    struct str s = STR_INIT;

    str_adds(&s, "Usage:\n"
                 "  sysbench [general-options]... --test=<test-name> [test-options]... command\n\n"
                 "Commands: prepare run cleanup help version\n\n"
                 "Compiled-in tests:\n");
    name_list(&s, false);
    str_adds(&s,
             "Tests of a database: oltp in 0.4, the path of a Lua script in 0.5\n\n"
             "'sysbench --help' lists the general options, 'sysbench --test=<name> help' those of "
             "a test.\n\n");
    log_print("%s", str_cstr(&s));
    str_free(&s);
}

void help_usage(void)
{
    struct str s = STR_INIT;

    str_adds(&s, "Usage: sysbench [options]... TEST COMMAND\n\n"
                 "Commands: prepare, run, cleanup, help\n\n"
                 "Tests of the machine:\n");
    name_list(&s, false);
    str_adds(&s, "Tests of a database (or the path of a Lua script):\n");
    name_list(&s, true);
    str_adds(
        &s,
        "\nFor example:\n"
        "    sysbench cpu run\n"
        "    sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret --table-size=100k prepare\n"
        "    sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret --table-size=100k \\\n"
        "        --threads=16 --time=60 --report-interval=1 run\n\n"
        "sysbench --help lists the general options, sysbench TEST --help those of a test.");
    log_stderr("%s", str_cstr(&s));
    str_free(&s);
}
