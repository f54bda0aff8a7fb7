/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The commands for a loaded script or a built-in test, and those that need neither (--version, the
 * banner).
 */
#include "cli/app.h"

#include <luajit.h>
#include <string.h>

#include "base/log.h"
#include "cluster/cluster.h"
#include "profile/profile.h"
#include "report/out.h"
#include "report/http.h"
#include "session/built.h"
#include "telemetry/perf.h"
#include "workload/fileio.h"

#include "config.h"

void command_banner(const struct app *a)
{
    const struct generation_facts *f = generation_of(a->opts);
    struct str line = STR_INIT;

    log_notice("%s\n", generation_banner(f, "using system " LUAJIT_VERSION, &line));
    str_free(&line);
}

void command_version(const struct app *a, bool verbose)
{
    struct str line = STR_INIT;

    log_print("%s\n", generation_banner(generation_of(a->opts), NULL, &line));
    str_free(&line);
    if (!verbose)
        return;
    log_print("package: %s %s\n", PACKAGE_NAME, PACKAGE_VERSION);
    log_print("compiler: %s\n", __VERSION__);
    log_print("LuaJIT: %s\n", strchr(LUAJIT_VERSION, ' ') + 1);
    log_print("libpfm4: %s\n", perf_names_libpfm());
    log_print("libmicrohttpd: %s\n", http_library());
    log_print("Chart.js: %s\n", http_chart_library());
    log_print("elfutils: %s\n", profile_library());
    log_print("libaio: %s\n", fileio_has_async() ? "yes" : "no");
    log_print("MPI: %s\n", cluster_mpi_libraries());
    for (size_t i = 0; sql_class_at(i); i++)
        log_print("driver: %s (%s)\n", sql_class_at(i)->names.sname, sql_class_at(i)->library());
}

int command_check(const struct app *a, struct err *e)
{
    /* with an old --compat, a single word is the command: the test is what is missing */
    bool alone =
        generation_of(a->opts)->word_is_command && !a->test_option && !a->command && a->testname;
    struct app named = *a;

    named.command = alone ? a->testname : a->command;
    named.testname = a->command ? a->testname : "";
    if (!named.command)
        return err_set(e, ERR_SYNTAX, "Missing required command argument.");
    if ((alone || a->test_option) && !hint_is_command(named.command)) {
        err_set(e, ERR_SYNTAX, "Unknown command: %s", named.command);
        return hint_command(&named, e);
    }
    if (!alone)
        return 0;
    command_banner(a);
    return err_set(e, ERR_SYNTAX, "Missing required argument: --test.");
}

/* --- --options-read --- */

static const char *options_read_path(const struct app *a)
{
    return opt_str(a->opts, "options-read");
}

void command_note_reads(struct app *a)
{
    if (*options_read_path(a))
        opts_note_reads(a->opts);
}

/* Before anything is done: a run has no use for it. */
static int check_options_read(const struct app *a, bool run, struct err *e)
{
    const char *path = options_read_path(a);

    if (!*path || ranks_is_member(a))
        return 0;
    if (run)
        return err_set(e, ERR_USAGE,
                       "--options-read=%s is for prepare and other commands, not for run", path);
    return out_check(path, false, e) ? err_add(e, "--options-read=%s", path) : 0;
}

/* When the command has ended, by an error too: the names, in the order of --help, a line each. */
static int write_options_read(const struct app *a, int rc, struct err *e)
{
    const char *path = options_read_path(a);
    struct str names = STR_INIT;
    struct opt_view v;
    struct out out;

    if (!*path || ranks_is_member(a))
        return rc;
    for (size_t i = 0; opts_at(a->opts, i, &v); i++)
        if (v.noted)
            str_printf(&names, "%s\n", v.shown);
    if (out_open(&out, path, rc ? NULL : e) == 0) {
        out_append(&out, str_cstr(&names), names.len);
        if (out_close(&out) && !rc)
            rc = err_set(e, ERR_OUTPUT, "--options-read=%s was not written", path);
    } else if (!rc) {
        rc = err_add(e, "--options-read=%s", path);
    }
    str_free(&names);
    return rc;
}

/* --- the commands of a test --- */

int command_call_builtin(struct app *a, const struct builtin *b, int *sig, struct err *e)
{
    const char *command = a->command;
    struct built built = built_here();
    struct builtin_env env = {
        .opts = a->opts,
        .generation = a->plan.generation,
        .clients = a->plan.clients,
        .clients_all = plan_all_clients(&a->plan),
        .share = plan_shares(&a->plan),
        .max_events = a->plan.max_events,
        .validate = a->validate,
        .debug = a->debug,
    };
    struct opt_view v;

    if (!command)
        return err_set(e, ERR_SYNTAX,
                       "The '%s' test requires a command argument. See 'sysbench %s help'", b->name,
                       b->name);
    builtin_options(b, a->opts);
    if (opts_finish(a->opts, false, e))
        return -1;
    /* with an old --compat, names that nobody knows are accepted */
    for (size_t i = 0; opts_at(a->opts, i, &v); i++)
        if (v.flags & OPT_TAKEN)
            log_stderr("NOTE: --%s has no effect: the '%s' test has no such option", v.shown,
                       b->name);
    if (strcmp(command, "help") == 0) {
        help_builtin(a->opts, b->name);
        return 0;
    }
    bool run = strcmp(command, "run") == 0;
    bool prepare = strcmp(command, "prepare") == 0;
    bool cleanup = strcmp(command, "cleanup") == 0;
    if (!run && !prepare && !cleanup) {
        err_set(e, ERR_SYNTAX, "Unknown command: %s", command);
        return hint_command(a, e);
    }
    if ((prepare && !b->prepare) || (cleanup && !b->cleanup))
        return err_set(e, ERR_SYNTAX, "'%s' test does not %s the '%s' command.", b->name,
                       env.generation->command_is, command);
    if ((run && built_check_fileio(&built, a->opts, e)) || opts_check(a->opts, e) ||
        check_options_read(a, run, e))
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
    if (!run)
        return write_options_read(a, prepare ? b->prepare(&env, e) : b->cleanup(&env, e), e);
    struct workload *w = b->open(&env, e);
    if (!w)
        return -1;
    int rc = command_run(a, w, sig, e);
    b->close(w);
    return rc;
}

int command_call(struct app *a, int *sig, struct err *e)
{
    enum script_command_kind kind = script_command_kind(a->script, a->command, e);

    if ((kind == SCRIPT_COMMAND_RUN || kind == SCRIPT_COMMAND_CALL) &&
        check_options_read(a, kind == SCRIPT_COMMAND_RUN, e))
        return -1;
    switch (kind) {
    case SCRIPT_COMMAND_RUN:
        return command_run(a, script_workload(a->script, a->lua_states), sig, e);
    case SCRIPT_COMMAND_CALL: return write_options_read(a, ranks_call_script(a, e), e);
    case SCRIPT_COMMAND_UNKNOWN:
        if (!a->test_option || strcmp(a->command, "version") != 0)
            return hint_command(a, e);
        *e = (struct err){0}; /* 0.4 and 0.5 had `version` beside the commands of tests */
        command_version(a, false);
        return 0;
    default: return -1;
    }
}
