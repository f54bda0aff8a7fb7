/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See commands.h.
 */
#include "cli/commands.h"

#include <luajit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "session/built.h"
#include "cli/help.h"
#include "cli/hints.h"
#include "cluster/cluster.h"
#include "session/idle_connections.h"
#include "cli/registry.h"
#include "cli/ranks.h"
#include "cli/run_session.h"
#include "profile/profile.h"
#include "report/http.h"
#include "telemetry/perf.h"
#include "workload/fileio.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* "LuaJIT 2.1.0-beta3" without the name */
static const char *luajit_version(void)
{
    return strchr(LUAJIT_VERSION, ' ') + 1;
}

void command_banner(const struct app *a)
{
    struct str detail = STR_INIT, line = STR_INIT;

    str_printf(&detail, "using system LuaJIT %s", luajit_version());
    log_notice("%s\n", generation_banner(generation_of(a->opts), str_cstr(&detail), &line));
    str_free(&detail);
    str_free(&line);
}

void command_version(const struct app *a, bool verbose)
{
    struct str line = STR_INIT;

    log_print("%s\n", generation_version(generation_of(a->opts), &line));
    str_free(&line);
    if (!verbose)
        return;
    log_print("package: %s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
    log_print("compiler: %s\n", __VERSION__);
    log_print("LuaJIT: %s\n", luajit_version());
    log_print("libpfm4: %s\n", perf_names_libpfm());
    log_print("libmicrohttpd: %s\n", http_library());
    log_print("Chart.js: %s\n", http_chart_library());
    log_print("elfutils: %s\n", profile_library());
    log_print("libaio: %s\n", fileio_has_async() ? "yes" : "no");
    log_print("MPI: %s\n", cluster_mpi_libraries());
    for (size_t i = 0; sql_driver_at(i); i++)
        log_print("driver: %s (%s)\n", sql_driver_at(i)->sname, sql_driver_library(i));
}

/* Every client of such a run connects. */
static bool all_connect(const struct app *a)
{
    return a->script && script_is_bundled(a->testname) && !a->sql.mysql.dry_run;
}

static size_t idle_share(const struct app *a)
{
    return (size_t)share_of(plan_shares(&a->plan), a->sql.idle_connections);
}

/* Those beyond --min-clients wait until there is a descriptor for them (engine/absent.c). */
static int check_descriptors(const struct app *a, struct err *e)
{
    long workers = 3L * a->plan.workers; /* what each of them opens */
    long left = limits_descriptors_left(workers + (long)idle_share(a));
    const struct plan *p = &a->plan;
    bool some = p->min_clients && p->min_clients < p->clients;
    int needed = some ? p->min_clients : p->clients;

    if (!all_connect(a) || left < 0 || needed <= left)
        return 0;
    return err_set(
        e, ERR_USAGE,
        "--%s=%d needs a descriptor for each connection, but this process may open only %ld (ulimit -n): %ld clients fit",
        some ? "min-clients" : "threads", needed, limits_descriptors_allowed(), left);
}

/* All steps before the first thread. */
static int begin_run(const struct app *a, struct workload *w, struct run_session *rs,
                     struct idle_connections **idle, struct err *e)
{
    if (w->ops->init && w->ops->init(w, e))
        return -1;
    if (run_session_open(rs, e))
        return -1;
    observers_say(&rs->session.run.list, RUN_HEADER);
    if (w->ops->print_header)
        w->ops->print_header(w);
    if (check_descriptors(a, e) || (w->ops->open && w->ops->open(w, e)) ||
        idle_connections_open(idle, idle_share(a), e))
        return -1;
    if (!a->plan.generation->old)
        log_notice("Initializing worker threads...\n");
    return 0;
}

/* The reader of standard output went away: the run ends (engine/stop.c), and here too its files
 * are finished first. */
static void output_is_closed(void) {}

/* Clients are still blocked: their run is over without them. */
static _Noreturn void leave(struct app *a, const struct run_result *r, const struct err *e)
{
    if (e->kind == ERR_TIMEOUT || e->kind == ERR_FAILED)
        log_fatal("%s", e->msg);
    ranks_leave(a, e);
    if (r->signal || log_pipe_closed())
        _exit(128 + (r->signal ? r->signal : SIGPIPE));
    _exit(r->forced || e->kind == ERR_TIMEOUT ? 2 : 1);
}

static int check_verdict(const struct plan *p, const struct run_result *r, struct err *e)
{
    if (r->sustained || p->rank > 0) /* the leader judges all ranks */
        return 0;
    if (plan_finds(p))
        return err_set(e, ERR_UNMET, "no rate held the objective");
    return p->strict
               ? err_set(e, ERR_UNMET, "%s",
                         r->unknown
                             ? "whether the rate was sustained is not known: the run was too short"
                             : "the rate was not sustained")
               : 0;
}

/* The benchmark itself. */
static int command_run(struct app *a, struct workload *w, int *sig, struct err *e)
{
    struct run_result result = {0};
    struct run_session rs;
    struct idle_connections *idle = NULL;
    struct err done = {0};
    int rc;

    if (w->own_limit)
        a->plan.max_events = 0;
    if (run_session_init(&rs, a, w, &result, e))
        return -1;
    log_on_closed_pipe(output_is_closed);
    rc = ranks_agree(a, e) || begin_run(a, w, &rs, &idle, e) ? -1 : 0;
    if (rc == 0) {
        rc = run_execute(&a->plan, w, &a->seeder, &rs.session.run, &result, e);
        *sig = result.signal;
        if (result.began && !result.clients_left && w->ops->done && w->ops->done(w, &done) &&
            rc == 0) {
            *e = done;
            rc = -1;
        }
    }
    if (rc == 0)
        rc = check_verdict(&a->plan, &result, e);
    if (rc == 0) /* before the files say how the run ended */
        rc = sql_check_recovered(e);
    rc = session_close(&rs.session, rc, e);
    if (result.clients_left) {
        /* threads are still blocked in calls that use all of this: leave the freeing to the
         * kernel */
        leave(a, &result, e);
    }
    idle_connections_check(idle);
    idle_connections_close(idle);
    run_session_free(&rs);
    return rc;
}

/* With an old --compat, names that nobody knows are accepted. */
static void note_unknown(const struct opts *o, const struct builtin *b)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (v.flags & OPT_TAKEN)
            log_stderr("NOTE: --%s has no effect: the '%s' test has no such option", v.shown,
                       b->name);
}

static int does_not_have(const struct app *a, const struct builtin *b, struct err *e)
{
    return err_set(e, ERR_SYNTAX,
                   a->plan.generation->old ? "'%s' test does not have the '%s' command."
                                           : "'%s' test does not implement the '%s' command.",
                   b->name, a->command);
}

static int run_builtin(struct app *a, const struct builtin *b, int *sig, struct err *e)
{
    struct builtin_env env = app_builtin_env(a);
    struct workload *w = b->open(&env, e);
    int rc = w ? command_run(a, w, sig, e) : -1;

    if (w)
        b->close(w);
    return rc;
}

int command_call_builtin(struct app *a, const struct builtin *b, int *sig, struct err *e)
{
    const char *command = a->command;
    struct built built = built_here();
    struct builtin_env env = app_builtin_env(a);
    bool prepare, cleanup, run;

    if (!command)
        return err_set(e, ERR_SYNTAX,
                       "The '%s' test requires a command argument. See 'sysbench %s help'", b->name,
                       b->name);
    b->options(a->opts);
    if (opts_finish(a->opts, false, e))
        return -1;
    note_unknown(a->opts, b);
    if (strcmp(command, "help") == 0) {
        help_builtin(a->opts, b->name);
        return 0;
    }
    run = strcmp(command, "run") == 0;
    prepare = strcmp(command, "prepare") == 0;
    cleanup = strcmp(command, "cleanup") == 0;
    if (!run && !prepare && !cleanup) {
        err_set(e, ERR_SYNTAX, "Unknown command: %s", command);
        return hint_command(a, e);
    }
    if ((prepare && !b->prepare) || (cleanup && !b->cleanup))
        return does_not_have(a, b, e);
    if ((run && built_check_fileio(&built, a->opts, e)) || opts_check(a->opts, e))
        return -1;
    if (a->sql.idle_connections)
        return err_set(e, ERR_USAGE,
                       "--idle-connections is for scripts: the '%s' test has no server", b->name);
    if (a->plan.workers)
        return err_set(
            e, ERR_USAGE,
            "--workers is for scripts, whose clients wait for a server: the '%s' test keeps "
            "its threads busy",
            b->name);
    if (run)
        return run_builtin(a, b, sig, e);
    return prepare ? b->prepare(&env, e) : b->cleanup(&env, e);
}

/* 0.4 and 0.5 had `version` beside the commands of tests. */
static int unknown_command(const struct app *a, struct err *e)
{
    if (!a->test_option || strcmp(a->command, "version") != 0)
        return hint_command(a, e);
    *e = (struct err){0};
    command_version(a, false);
    return 0;
}

int command_call(struct app *a, int *sig, struct err *e)
{
    switch (script_command_kind(a->script, a->command, e)) {
    case SCRIPT_COMMAND_RUN:
        return command_run(a, script_workload(a->script, a->lua_states), sig, e);
    case SCRIPT_COMMAND_CALL: return ranks_call_script(a, e);
    case SCRIPT_COMMAND_UNKNOWN: return unknown_command(a, e);
    default: return -1;
    }
}
