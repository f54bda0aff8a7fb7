/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From argv to exit status: reads the options, prints the banner, loads the script, calls the
 * command, and turns the result into one sentence (unless it was already printed) and a status.
 */
#include "cli/app.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/client_errors.h"
#include "base/log.h"
#include "base/overflow.h"
#include "interpose/interpose.h"
#include "cli/registry.h"
#include "session/run_profile.h"
#include "engine/plan.h"
#include "opt/generation.h"
#include "opt/secret.h"
#include "session/built.h"
#include "session/process.h"
#include "sql/sql_options.h"

#include "config.h" /* SB_SHARED_LUA_STATES */

/* Reads the values into structs; every invalid value is refused here, before anything is
 * touched. */
static int read_values(struct app *a, struct err *e)
{
    struct built built = built_here();

    server_options_read(&a->server, a->opts);
    if (generation_check(a->opts, e))
        return -1;
    /* first missing features: a user who must rebuild the program need not fix the rest */
    if (a->command && strcmp(a->command, "help") != 0 &&
        built_check(&built, a->opts, &a->server, !a->testname || !registry_find(a->testname),
                    strcmp(a->command, "run") == 0, e))
        return -1;
    if (opts_check(a->opts, e) || ranks_read(a, e))
        return -1;
    plan_apply_deprecated(a->opts);
    int64_t verbosity = opt_int(a->opts, "verbosity");
    if (verbosity < 0 || verbosity > 5) {
        /* what is printed at once is on stdout, where a member says nothing */
        err_set(e, ranks_follows(a) ? ERR_USAGE : ERR_REPORTED, "Invalid value for verbosity: %lld",
                (long long)verbosity);
        log_print("%s\n", e->msg);
        return -1;
    }
    a->histogram = opt_bool(a->opts, "histogram");
    a->debug = opt_bool(a->opts, "debug");
    a->validate = opt_bool(a->opts, "validate");
    log_set_verbosity(a->debug ? LOG_DEBUG : (int)verbosity);
    a->lua_state = lua_states_read(a->opts);
    if (plan_from_options(&a->plan, a->opts, e))
        return -1;
    /* who watches a rate wants to see whether it is held; load hosts agree on what was given */
    if (a->plan.watched && a->cluster.way == CLUSTER_OFF)
        a->plan.report_interval = NS_PER_SEC;
    if (a->histogram && !a->plan.percentiles)
        return err_set(e, ERR_USAGE, "--histogram cannot be used with --percentile=0");
    if (random_options_read(&a->dist, a->opts, e))
        return -1;
    if (a->plan.rate_spec)
        opts_set_number(a->opts, "tx-rate", a->plan.rate);
    log_stamp_lines(a->plan.batch_delay > 0);
    return 0;
}

/* An option of ours whose value cannot be read may be the script's: a script of 1.0 may declare any
 * name that 1.0 does not have, and says so when its top level runs.  Until then all of ours wait.
 */
static int read_options(struct app *a, struct err *e)
{
    bool foreign = a->testname && a->command && !a->builtin_oltp && !registry_find(a->testname) &&
                   !script_is_bundled(a->testname);

    if (read_values(a, e)) {
        if (e->kind == ERR_REPORTED || !foreign || !script_exists(a->testname) ||
            !opts_wait_for_script(a->opts))
            return -1;
        *e = (struct err){0};
        plan_fini(&a->plan);
        if (read_values(a, e))
            return -1;
    }
    if (sql_options_read(&a->sql, a->opts, e))
        return -1;
    if (!plan_may_use_workers(&a->plan) && lua_states_check(a->lua_state, &a->plan, "", e))
        return -1;
    if (ranks_follows(a))
        return 0; /* rank 0 says what is true of all */
    if (a->plan.max_events == 0 && a->plan.time_limit == 0) {
        if (a->plan.generation->old_names_are_current)
            log_warn("Both max-requests and max-time are 0, running endless test");
        else
            log_print(
                "WARNING: Both event and time limits are disabled, running an endless test\n");
    }
    plan_note_tx_rate(&a->plan, a->opts, a->command);
    return 0;
}

/* Before anything is opened: threads or workers, where the user left the choice to the program. */
static int choose_executor(struct app *a, bool is_script, struct err *e)
{
    struct err why = {0};

    if (!a->command || strcmp(a->command, "run") != 0)
        return 0;
    if (is_script && plan_may_use_workers(&a->plan) && !a->sql.mysql.dry_run && /* never waits */
        (a->builtin_oltp || script_is_bundled(a->testname))) {
        int rc = interpose_check(&why);
        for (size_t i = 0; rc == 0 && sql_class_at(i); i++)
            rc = library_check(sql_class_at(i)->entry, &why);
        if (rc == 0)
            plan_workers_by_default(&a->plan);
    }
    if (lua_states_check(a->lua_state, &a->plan, why.msg, e) || plan_check_batch(&a->plan, e))
        return -1;
    a->lua_states = lua_states(a->lua_state, &a->plan);
#ifndef SB_SHARED_LUA_STATES
    if (a->lua_states)
        log_warn(
            "this LuaJIT cannot run several clients in one state: each client gets a Lua state "
            "of its own");
    a->lua_states = 0;
#endif
    return 0;
}

#define MOST_HOSTS 64 /* whose figures are kept apart: a few MB each; SNAPSHOT_HOSTS_MANY */

/* Several servers in a list, and the one that is watched. */
static int find_servers(struct app *a, struct err *e)
{
    const struct sql_servers *s = &a->servers;

    sql_servers_read(&a->servers, &a->sql, a->sql.driver);
    a->plan.hosts_many = s->n > MOST_HOSTS;
    a->plan.host_name = (const char *const *)s->name;
    if (s->n > 1 && !a->plan.hosts_many)
        a->plan.hosts = s->n;
    else if (s->n == 1)
        a->plan.server = s->name[0];
    if (!*a->server.watched || ranks_is_member(a)) /* whose list may have other names */
        return 0;
    a->sql.watched = sql_servers_find(s, a->server.watched);
    if (a->sql.watched >= 0)
        return 0;
    if (s->n == 0)
        return err_set(e, ERR_USAGE, "--server=host=%s cannot be used: no database host is named",
                       a->server.watched);
    err_set(e, ERR_USAGE, "Invalid value for --server=host: '%s' (allowed:", a->server.watched);
    for (size_t i = 0; i < s->n; i++)
        err_append(e, "%s %s", i ? "," : "", s->name[i]);
    return err_append(e, ")");
}

/* What the script declares, and what is ours again once it has: the values that waited for it, and
 * the defaults of what it took.  The database driver has read its own before. */
static int read_script_options(struct app *a, struct err *e)
{
    struct cluster *c = a->plan.cluster;
    int ranks = a->plan.ranks;

    if (script_options(a->script, e))
        return -1;
    if (!opts_taken(a->opts))
        return 0;
    plan_fini(&a->plan);
    sql_servers_free(&a->servers);
    if (read_values(a, e))
        return -1;
    if (choose_executor(a, true, e) || find_servers(a, e))
        return -1;
    if (!c)
        return 0;
    ranks_take_rank(a, c);
    return plan_divide(&a->plan, a->opts, a->plan.rank, ranks, e);
}

static int load_and_call(struct app *a, int *sig, struct err *e)
{
    struct script_env env = app_script_env(a);
    const struct builtin *builtin = a->testname ? registry_find(a->testname) : NULL;

    if (choose_executor(a, !builtin, e))
        return -1;
    if (builtin) /* before any file of that name */
        return command_call_builtin(a, builtin, sig, e);
    if (a->plan.workers)
        a->sql.check_library = library_check;
    a->sql.mysql.small_buffers = a->lua_states > 0;
    if (a->sql.other_driver && !ranks_follows(a))
        log_stderr("NOTE: --pgsql-* options are given, but the driver is mysql: did you mean "
                   "--db-driver=pgsql?");
    if (find_servers(a, e) || sql_setup(&a->sql, e))
        return -1;
    if (a->plan.seed) { /* a seed that was given reaches prepare and the script's top level too */
        rng_seeder_init(&a->seeder, a->plan.seed);
        rng_seed(&a->rng, &a->seeder);
        env.rng = a->rng;
    }
    command_note_reads(a);
    int rc = script_open(&a->script, &env, e);
    if (rc == SCRIPT_NOT_FOUND) {
        if (a->plan.generation->rules.unknown == OPT_UNKNOWN_OLD)
            err_set(e, ERR_SYNTAX, "Invalid test name: %s", a->testname);
        return hint_test(a, e);
    }
    /* the program is sure to need a database: 0.4's words */
    if (a->plan.generation->names_driver && a->command && !a->sql.driver_given)
        log_info("No DB drivers specified, using %s", a->sql.driver);
    if (rc == 0 && a->command && a->testname && strcmp(a->testname, "-") != 0)
        rc = read_script_options(a, e) || command_call(a, sig, e) ? -1 : 0;
    if (rc == 0)
        rc = sql_check_recovered(e);
    return rc;
}

/* Prints the error unless it was already printed; the only place that maps kinds of failure to exit
 * statuses. */
static int exit_status(const struct app *a, const struct err *e, int sig)
{
    static const int status[] = {
        [ERR_NONE] = 0,     [ERR_SYNTAX] = 1,  [ERR_USAGE] = 1, [ERR_FAILED] = 1,
        [ERR_REPORTED] = 1, [ERR_TIMEOUT] = 2, [ERR_UNMET] = 3, [ERR_OUTPUT] = 1};
    /* 0.4 and 0.5 show their usage after these, and after nothing else */
    static const char *const usage[] = {"Missing required ", "Multiple commands ",
                                        "Unknown command: ", "Unknown option: "};
    /* what a newcomer has not done yet, by the error of the server */
    static const struct {
        const char *code, *command, *says, *needs;
    } tables[] = {{"1146", "run", "create the tables first:", "prepare"},
                  {"42P01", "run", "create the tables first:", "prepare"},
                  {"1050", "prepare", "to remove the tables:", "cleanup"},
                  {"42P07", "prepare", "to remove the tables:", "cleanup"}};
    const struct generation_facts *f = generation_of(a->opts);
    int failed_write = log_write_error();
    char *msg = arguments_shown(a, e->msg); /* what was typed may be in it */

    if (e->kind == ERR_SYNTAX)
        log_stderr("%s", msg);
    else if (e->kind == ERR_USAGE && !a->began && f->refuses_on_stdout && !ranks_follows(a) &&
             !ranks_is_member(a))
        log_print("%s\n", msg); /* before its log begins, that generation writes here */
    else if (e->kind == ERR_USAGE || e->kind == ERR_FAILED || (e->kind == ERR_TIMEOUT && *msg))
        log_fatal("%s", msg);
    free(msg);
    const char *code = client_errors_first();
    if (f->suggests_commands && a->command && a->script && script_is_bundled(a->testname))
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
            if (strcmp(code, tables[i].code) == 0 && strcmp(a->command, tables[i].command) == 0)
                log_stderr("NOTE: %s 'sysbench %s ... %s'%s", tables[i].says, a->testname,
                           tables[i].needs,
                           strncmp(a->testname, "oltp_", 5) == 0
                               ? "; to finish an interrupted prepare: --prepare-method=resume"
                               : "");
    const struct sql_login_mysql *m = &a->sql.mysql;
    if (strcmp(code, "2002") == 0 && strcmp(a->sql.driver, "mysql") == 0 && m->nsockets == 0 &&
        m->nhosts == 1 && strcmp(m->hosts[0], "localhost") == 0 && m->port_given)
        log_stderr("NOTE: localhost means the server's socket, whatever the port: "
                   "--mysql-host=127.0.0.1 connects to the port");
    for (size_t i = 0;
         f->refuses_on_stdout && e->kind == ERR_SYNTAX && i < sizeof usage / sizeof *usage; i++)
        if (strncmp(e->msg, usage[i], strlen(usage[i])) == 0)
            help_usage_old();
    if (failed_write)
        log_stderr("sysbench: cannot write to standard output: %s", strerror(failed_write));
    if (sig || log_pipe_closed())
        return 128 + (sig ? sig : SIGPIPE);
    return status[e->kind] ? status[e->kind] : failed_write ? 1 : 0;
}

/* Executes the command line. */
static void dispatch(struct app *a, int *sig, struct err *e)
{
    const struct generation_facts *f = generation_of(a->opts);
    struct stat st;

    /* 0.4's test oltp, which later generations do not have: with --compat=0.4, or if --test=oltp
     * leads to no script; with its limits, of which the user's --max-requests=0 means none */
    a->builtin_oltp =
        a->testname && strcmp(a->testname, "oltp") == 0 &&
        (f->builtin_oltp || (!f->script_by_bare_name && a->test_option && !script_exists("oltp")));
    if (a->builtin_oltp) {
        bool none = opt_given(a->opts, "max-requests") && opt_int(a->opts, "max-requests") == 0;
        opts_set_default(a->opts, "time", "0");
        opts_set_default(a->opts, "events", none ? "0" : "10000");
    }
    if (opt_bool(a->opts, "help")) {
        if (a->testname && strcmp(a->testname, "-") != 0)
            help_test(a, e);
        else
            help_general(a->opts, a->help_topic, e);
        if (e->kind == ERR_NONE && f->long_help)
            err_set(e, ERR_REPORTED, "--help"); /* exit status 1 */
        return;
    }
    if (f->word_is_command && !a->test_option && !a->command && a->testname &&
        strcmp(a->testname, "help") == 0) {
        help_general(a->opts, NULL, e);
        return;
    }
    if (opt_bool(a->opts, "version") || arguments_ask_version(a)) {
        command_version(a, opt_bool(a->opts, "verbose"));
        return;
    }
    /* No arguments, and no script on standard input either: it is a terminal, or /dev/null.  With
     * /dev/null the program continues and exits 0, as in stock. */
    if (f->suggests_commands && a->argc == 1 && fstat(STDIN_FILENO, &st) == 0 &&
        S_ISCHR(st.st_mode)) {
        help_usage();
        if (isatty(STDIN_FILENO)) {
            err_set(e, ERR_REPORTED, "neither test nor script");
            return;
        }
    }
    a->refused = (f->word_is_command && command_check(a, e)) || read_options(a, e);
    if (!a->refused && ranks_join(a, e) == 0) {
        a->began = true;
        command_banner(a);
        load_and_call(a, sig, e);
    }
}

struct script_env app_script_env(struct app *a)
{
    return (struct script_env){
        .argc = a->argc,
        .argv = a->argv,
        .testname = a->testname,
        .command = a->command,
        .opts = a->opts,
        .threads = plan_all_clients(&a->plan),
        .dist = &a->dist,
        .uniq = &a->uniq,
        .rng = a->rng,
        .seeder = &a->seeder,
        .test_option = a->test_option,
        .builtin_oltp = a->builtin_oltp,
        .generation = a->plan.generation,
        .share = plan_shares(&a->plan),
    };
}

int app_main(int argc, char **argv)
{
    struct app a = {.argc = argc, .argv = argv};
    struct err e = {0};
    int rc, sig = 0;

    a.opts = opts_new();
    options_declare(a.opts);
    generation_environment(a.opts);
    a.args = secret_hide(a.opts, argc, argv); /* first: until now ps shows passwords */
    setlocale(LC_ALL, "C");
    setvbuf(stdout, NULL, _IONBF, 0); /* keeps the output of scripts and our lines in order */
    /* TLS libraries raise it for lost connections; see log.c for our own output */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a result file at its limit ends the file, not the run */
    overflow_install();
    process_occupy_standard_descriptors();
    process_raise_descriptor_limit();
    rng_seeder_init(&a.seeder, 1);
    rng_seed(&a.rng, &a.seeder);
    uniq_seed(&a.uniq, &a.seeder);
    rc = process_provide_stacks(&e) || arguments_read(&a, &e) ? -1 : 0;
    secret_forget(a.opts, a.args);
    generation_apply(a.opts);
    a.refused = rc != 0;
    if (rc == 0)
        dispatch(&a, &sig, &e);
    ranks_refer(&a, &e);
    rc = exit_status(&a, &e, sig);
    ranks_leave(&a, &e);
    script_close(a.script);
    if (!sql_teardown())
        _exit(rc); /* the thread of --server-status still connects (session/server_status.c) */
    sql_servers_free(&a.servers);
    plan_fini(&a.plan);
    opts_free(a.opts);
    secret_free(a.args);
    return rc;
}
