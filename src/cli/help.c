/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See app.h.
 */
#include "cli/app.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/near.h"
#include "cli/registry.h"
#include "opt/generation.h"
#include "opt/secret.h"
#include "sql/sql_options.h"

/* --help: what a first year needs, one line each, on one screen.  A line of a driver is left out
 * where the driver is. */
static const struct {
    const char *driver, *text;
} usual[] = {
    {"", "Run:\n"
         "  --threads=N            clients, each with a connection of its own [1]\n"
         "  --time=N               length of the run: seconds, or 500ms, 5m, 1h [10]\n"
         "  --events=N             end after N transactions; 0: no limit [0]\n"
         "  --warmup-time=N        load first for N seconds that are not counted [0]\n"
         "  --report-interval=N    print a line every N seconds; 0: none [0]\n"
         "  --percentile=LIST      percentiles of latency: 95, or 50,95,99.9 [95]\n"
         "  --histogram            print the latency histogram\n"
         "  --report-file=FILE     write results to FILE, by its suffix: .html, .json, .csv, ...\n"
         "  --think-time=MS        pause of each client after a transaction [0]\n"
         "  --rand-seed=N          draw the same numbers in each run; 0: other ones [0]\n\n"
         "Steady rate:\n"
         "  --tx-rate=N            transactions per second over all clients; 0: no limit [0]\n"
         "  --tx-find=OBJECTIVE    find the highest rate that holds it, such as 'p99<20ms'\n"
         "  --rate=N               Poisson arrivals, as in sysbench 1.0; 0: no limit [0]\n\n"
         "The server, in each interval:\n"
         "  --server=auto|off|PID  CPU and context switches of its process [auto with --tx-rate]\n"
         "  --server-status        its own counters: SHOW GLOBAL STATUS, pg_stat_database\n"
         "  --server-profile=cpu   flame graphs: cpu, offcpu, or cpu,offcpu\n"
         "  --host-stats           CPU, memory, disks and network of this machine\n\n"
         "Database:\n"
         "  --db-driver=NAME       mysql (MariaDB, too) or pgsql [mysql]\n"},
    {"mysql", "  --mysql-host=HOST --mysql-port=N --mysql-socket=PATH --mysql-db=NAME\n"
              "  --mysql-user=NAME --mysql-password=WORD --mysql-ssl=MODE\n"},
    {"pgsql", "  --pgsql-host=HOST --pgsql-port=N --pgsql-db=NAME\n"
              "  --pgsql-user=NAME --pgsql-password=WORD --pgsql-sslmode=MODE\n"},
    {"", "  --on-error=CLASS:ACTION  go on after errors: retry, reconnect, fail, fatal\n\n"
         "For example:\n"
         "  sysbench oltp_read_only --mysql-user=sbtest --table-size=100k prepare\n"
         "  sysbench oltp_read_only --mysql-user=sbtest --table-size=100k \\\n"
         "      --threads=16 --tx-rate=500 --time=60 --report-interval=1 run\n\n"},
};

static const struct {
    const char *key, *title; /* of --help=KEY; NULL: it belongs to the group before it */
    enum opt_group group;
} groups[] = {
    {"general", "General options:\n", OPT_GROUP_GENERAL},
    {"clients", "Client options:\n", OPT_GROUP_CLIENTS},
    {"rate", "Steady rate options:\n", OPT_GROUP_RATE},
    {"server", "Server telemetry options:\n", OPT_GROUP_SERVER},
    {"cluster", "Load host options:\n", OPT_GROUP_CLUSTER},
    {"random", "Pseudo-Random Numbers Generator options:\n", OPT_GROUP_RANDOM},
    {"log", "Log options:\n", OPT_GROUP_LOG},
    {NULL, "", OPT_GROUP_LOG_LATENCY},
    {"db", "General database options:\n\n", OPT_GROUP_DB},
};

static void group(struct str *s, const struct opts *o, const char *title, enum opt_group g)
{
    str_adds(s, title);
    opts_help(o, g, false, NULL, s);
    str_adds(s, "\n");
}

/* The i-th test, of those of the machine or of those of a database; NULL: there are no more. */
static const char *name_at(size_t i, bool bundled)
{
    const struct bundled_script *script = bundled ? script_bundled_at(i) : NULL;
    const struct builtin *test = bundled ? NULL : registry_builtin_at(i);

    return script ? script->name : test ? test->name : NULL;
}

static void name_list(struct str *s, bool bundled)
{
    const char *name;
    size_t column = 80;

    for (size_t i = 0; (name = name_at(i, bundled)) != NULL; i++) {
        if (column + strlen(name) + 1 > 78) {
            str_adds(s, i ? "\n   " : "   ");
            column = 3;
        }
        str_printf(s, " %s", name);
        column += strlen(name) + 1;
    }
    str_adds(s, "\n");
}

/* What the short help and the usage begin with. */
static void heading(struct str *s)
{
    str_adds(s, "Usage: sysbench [options]... TEST COMMAND\n\n"
                "Commands: prepare, prewarm, run, cleanup, help\n\n"
                "Tests of the machine:\n");
    name_list(s, false);
    str_adds(s, "Tests of a database (or the path of a Lua script):\n");
    name_list(s, true);
}

/* The words of --help=WORD. */
static void list_topics(struct str *s, const char *before)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i].key)
            str_printf(s, "%s%s", before, groups[i].key);
    for (size_t i = 0; sql_class_at(i); i++)
        if (sql_class_at(i)->options != OPT_GROUP_NONE)
            str_printf(s, "%s%s", before, sql_class_at(i)->names.sname);
}

static void help_short(struct str *s)
{
    heading(s);
    str_adds(s, "\n");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!*usual[i].driver || sql_class_named(usual[i].driver))
            str_adds(s, usual[i].text);
    str_adds(s,
             "sysbench TEST help    lists the options of a test, such as --table-size.\n"
             "sysbench --help=all   lists all other options, --help=GROUP those of a group:\n   ");
    list_topics(s, " ");
    str_adds(s, "\nsysbench --compat=0.4 --help lists those of sysbench 0.4 and 0.5, which are "
                "accepted.\n");
}

static void help_all(struct str *s, const struct opts *o)
{
    str_adds(s, "Usage:\n  sysbench [options]... [testname] [command]\n\n"
                "Commands implemented by most tests: prepare run cleanup help\n\n");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        group(s, o, groups[i].title, groups[i].group);
    str_adds(s, "\nCompiled-in database drivers:\n");
    for (size_t i = 0; sql_class_at(i); i++)
        str_printf(s, "  %s - %s\n", sql_class_at(i)->names.sname, sql_class_at(i)->names.lname);
    str_adds(s, "\n");
    for (size_t i = 0; sql_class_at(i); i++) {
        if (sql_class_at(i)->options == OPT_GROUP_NONE)
            continue;
        str_printf(s, "%s options:\n", sql_class_at(i)->names.sname);
        group(s, o, "", sql_class_at(i)->options);
    }
    str_adds(s, "Compiled-in tests:\n");
    for (size_t i = 0; registry_builtin_at(i); i++)
        str_printf(s, "  %s - %s\n", registry_builtin_at(i)->name, registry_builtin_at(i)->title);
    str_adds(s, "\nBundled database tests:\n");
    for (size_t i = 0; script_bundled_at(i); i++)
        str_printf(s, "  %s - %s\n", script_bundled_at(i)->name, script_bundled_at(i)->title);
    str_adds(
        s,
        "\nCounts (threads, events, rates, rows of a table) accept k, M and G, powers of "
        "1000 (1M is\n"
        "1000000). Sizes accept K, M, G and T, powers of 1024. Times accept fractions "
        "and us, ms, s, m\n"
        "and h: 0.5, 500ms.\n\n"
        "Options of sysbench 0.4 and 0.5 are accepted, too: 'sysbench --compat=0.4 --help' lists "
        "them.\n\n"
        "See 'sysbench <testname> help' for a list of options for each test.\n\n");
}

/* One group; false: there is none of that name. */
static bool help_group(struct str *s, const struct opts *o, const char *key)
{
    const struct sql_driver_class *class = sql_class_named(key);
    size_t before = s->len;
    bool in = false;

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        in = groups[i].key ? strcmp(groups[i].key, key) == 0 : in;
        if (in)
            group(s, o, groups[i].title, groups[i].group);
    }
    if (class && class->options != OPT_GROUP_NONE) {
        str_printf(s, "%s options:\n", key);
        group(s, o, "", class->options);
    }
    return s->len > before;
}

int help_general(const struct opts *o, const char *topic, struct err *e)
{
    struct str s = STR_INIT;
    int rc = 0;

    if (generation_of(o)->long_help || (topic && strcmp(topic, "all") == 0))
        help_all(&s, o);
    else if (!topic)
        help_short(&s);
    else if (!help_group(&s, o, topic)) {
        list_topics(&s, ", ");
        err_set(e, ERR_SYNTAX, "Invalid value for --help: '%s' (allowed: on, off, all%s)", topic,
                str_cstr(&s));
        struct near n;
        near_begin(&n, topic);
        for (char *rest = s.s, *word; (word = strtok_r(rest, ", ", &rest)) != NULL;)
            near_offer(&n, word);
        rc = near_suggest(&n, e);
    }
    if (rc == 0)
        log_print("%s", str_cstr(&s));
    str_free(&s);
    return rc;
}

void help_builtin(const struct opts *o, const char *name)
{
    struct str s = STR_INIT;

    str_printf(&s, "%s options:\n", name);
    group(&s, o, "", OPT_GROUP_TEST);
    if (generation_of(o)->suggests_commands)
        str_printf(&s, "For example:\n%s\n", registry_find(name)->example);
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
            char *msg = arguments_shown(a, e->msg);
            log_stderr("%s", msg);
            free(msg);
        }
        *e = (struct err){0};
        rc = help_general(own.opts, a->help_topic, e);
    }
    script_close(own.script);
    sql_teardown();
    opts_free(own.opts);
    return rc;
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

    heading(&s);
    str_adds(&s,
             "\nFor example:\n"
             "    sysbench cpu run\n"
             "    sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret "
             "--table-size=100k prepare\n"
             "    sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret "
             "--table-size=100k \\\n"
             "        --threads=16 --time=60 --report-interval=1 run\n\n"
             "sysbench --help lists the general options, sysbench TEST --help those of a test.");
    log_stderr("%s", str_cstr(&s));
    str_free(&s);
}
