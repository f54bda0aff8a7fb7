/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From argv to exit status: read the options, print the banner, load the script, call the command,
 * and turn whatever happened into one sentence (if it was not said yet) and a status.
 */
#include "cli/app.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "carry/library.h"
#include "cli/built.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/hints.h"
#include "cli/options.h"
#include "cli/registry.h"
#include "cli/secrets.h"

#define TEST_DEPRECATED                                                                                 \
    "WARNING: the --test option is deprecated. You can pass a script name or path on the command line " \
    "without any options."

static int read_positional(struct app *a, const char *arg, struct err *e)
{
    if (a->testname && a->command) {
        err_set(e, ERR_SYNTAX, "Unrecognized command line argument: %s", arg);
        return hint_surplus(a, arg, e);
    }
    *(a->testname ? &a->command : &a->testname) = arg;
    return 0;
}

static int read_argv(struct app *a, struct err *e)
{
    for (int i = 1; i < a->argc; i++) {
        const char *arg = a->args[i];
        int rc = 0;
        if (strcmp(arg, "-h") == 0) {
            rc = opts_set_arg(a->opts, "--help", e);
        } else if (strncmp(arg, "--", 2) != 0) {
            rc = read_positional(a, arg, e);
        } else if (strncmp(arg, "--test=", 7) == 0) {
            log_stderr(TEST_DEPRECATED);
            a->testname = arg[7] ? arg + 7 : NULL; /* an empty one takes the name back */
        } else {
            rc = opts_set_arg(a->opts, arg, e);
        }
        if (rc)
            return -1;
    }
    return 0;
}

static int read_verbosity(const struct opts *o)
{
    int64_t v = opt_int(o, "verbosity");

    if (v < 0 || v > 5) {
        log_print("Invalid value for verbosity: %lld\n", (long long)v);
        return -1;
    }
    log_set_verbosity(opt_bool(o, "debug") ? LOG_DEBUG : (int)v);
    return 0;
}

/* What this program cannot do comes first: whoever has to build it again need not mend the rest. */
static int check_built(const struct app *a, const struct built *b, struct err *e)
{
    bool builtin = a->testname && registry_find(a->testname);

    if (!a->command || strcmp(a->command, "help") == 0)
        return 0;
    return built_check(b, a->opts, !builtin, strcmp(a->command, "run") == 0, e);
}

/* Values into structs; everything that can be refused is refused here, before anything is touched.
 */
static int read_options(struct app *a, struct err *e)
{
    struct built built = built_here();

    if (check_built(a, &built, e) || opts_check(a->opts, e))
        return -1;
    options_apply_deprecated(a->opts);
    if (read_verbosity(a->opts))
        return err_set(e, ERR_REPORTED, "verbosity");
    if (a->command && strcmp(a->command, "run") == 0)
        built_warn(&built, a->opts);
    if (plan_from_options(&a->plan, a->opts, e) || options_dist(&a->dist, a->opts, e) ||
        options_sql(&a->sql, a->opts, e))
        return -1;
    if (a->plan.max_events == 0 && a->plan.time_limit == 0)
        log_print("WARNING: Both event and time limits are disabled, running an endless test\n");
    options_note_tx_rate(a->opts, a->command);
    return 0;
}

/* Before anything is opened: what carries the clients of a run, where the user left it to us. */
static int choose_carrier(struct app *a, bool is_script, struct err *e)
{
    struct err why = {0};

    if (!a->command || strcmp(a->command, "run") != 0)
        return 0;
    if (is_script && plan_may_carry(&a->plan, a->opts) && script_is_bundled(a->testname)) {
        if (hook_check(&why) == 0 && sql_check_libraries(library_check, &why) == 0)
            plan_carry_by_default(&a->plan, a->opts);
    }
    return plan_check_lua_state(&a->plan, a->opts, why.msg, e);
}

struct script_env app_script_env(struct app *a)
{
    return (struct script_env){
        .argc = a->argc,
        .argv = a->argv,
        .testname = a->testname,
        .command = a->command,
        .opts = a->opts,
        .dist = &a->dist,
        .uniq = &a->uniq,
        .rng = a->rng,
        .seeder = &a->seeder,
        .generation = a->plan.generation,
    };
}

static int load_and_call(struct app *a, int *sig, struct err *e)
{
    struct script_env env = app_script_env(a);
    const struct builtin *builtin = a->testname ? registry_find(a->testname) : NULL;
    int rc;

    if (choose_carrier(a, !builtin, e))
        return -1;
    if (builtin) /* before any file of that name */
        return command_call_builtin(a, builtin, sig, e);
    if (a->plan.workers)
        a->sql.check_library = library_check;
    a->sql.mysql.small_buffers = a->plan.lua_states > 0;
    if (sql_setup(&a->sql, e))
        return -1;
    if (a->plan.seed) { /* a seed that was given reaches prepare and the script's top level too */
        rng_seeder_reseed(&a->seeder, a->plan.seed);
        rng_seed(&a->rng, &a->seeder);
        env.rng = a->rng;
    }
    rc = script_open(&a->script, &env, e);
    if (rc == SCRIPT_NOT_FOUND)
        return hint_test(a, e);
    if (rc == 0 && a->command && a->testname && strcmp(a->testname, "-") != 0)
        rc = script_options(a->script, e) || command_call(a, sig, e) ? -1 : 0;
    if (rc == 0)
        rc = sql_all_back(e);
    return rc;
}

/* Says what was not said yet; the only place that knows which kind of failure is which status. */
static int exit_status(const struct err *e, int sig)
{
    static const int status[] = {
        [ERR_NONE] = 0,     [ERR_SYNTAX] = 1,  [ERR_USAGE] = 1,       [ERR_FAILED] = 1,
        [ERR_REPORTED] = 1, [ERR_TIMEOUT] = 2, [ERR_UNSUSTAINED] = 3, [ERR_OUTPUT] = 1};
    int failed_write = log_write_error();

    if (e->kind == ERR_SYNTAX)
        log_stderr("%s", e->msg);
    else if (e->kind == ERR_USAGE || e->kind == ERR_FAILED || (e->kind == ERR_TIMEOUT && *e->msg))
        log_fatal("%s", e->msg);
    if ((e->kind == ERR_FAILED || e->kind == ERR_REPORTED) && sql_hint())
        log_stderr("Hint: %s.", sql_hint());
    if (failed_write)
        log_stderr("sysbench: cannot write to standard output: %s", strerror(failed_write));
    if (sig)
        return 128 + sig;
    return status[e->kind] ? status[e->kind] : failed_write ? 1 : 0;
}

/* Each connection takes a descriptor: ask for all that we may have. */
static void raise_descriptor_limit(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

/* Started without stdin, stdout or stderr, their numbers would go to the next files that are
 * opened, and the reports into the connection to the server.  Reading only, so that writing stays
 * the error that it is. */
static void occupy_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* No arguments, and no script on standard input either: it is a terminal, or /dev/null.  With
 * /dev/null the run goes on and exits 0, as it always did. */
static bool no_input(struct err *e)
{
    struct stat st;

    if (fstat(STDIN_FILENO, &st) || !S_ISCHR(st.st_mode))
        return false;
    help_usage();
    return isatty(STDIN_FILENO) && err_set(e, ERR_REPORTED, "neither test nor script");
}

static void show_help(const struct app *a, struct err *e)
{
    if (a->testname && strcmp(a->testname, "-") != 0)
        help_test(a, e);
    else
        help_general(a->opts);
}

/* What the command line asks for. */
static void dispatch(struct app *a, int *sig, struct err *e)
{
    if (opt_bool(a->opts, "help")) {
        show_help(a, e);
    } else if (opt_bool(a->opts, "version")) {
        command_version(a, opt_bool(a->opts, "verbose"));
    } else if (!(a->argc == 1 && no_input(e)) && read_options(a, e) == 0) {
        command_banner(a);
        load_and_call(a, sig, e);
    }
}

int app_main(int argc, char **argv)
{
    struct app a = {.argc = argc, .argv = argv, .args = secrets_hide(argc, argv)};
    struct err e = {0};
    int rc, sig = 0;

    setlocale(LC_ALL, "C");
    setvbuf(stdout, NULL, _IONBF, 0); /* what scripts print mixes with our lines in order */
    signal(SIGPIPE,
           SIG_IGN); /* TLS libraries raise it for lost connections; see log.c for our own output */
    signal(SIGXFSZ, SIG_IGN); /* a result file at its limit ends the file, not the run */
    occupy_standard_descriptors();
    raise_descriptor_limit();
    rng_seeder_init(&a.seeder, 1);
    rng_seed(&a.rng, &a.seeder);
    uniq_seed(&a.uniq, &a.seeder);
    a.opts = opts_new();
    options_declare(a.opts);
    rc = read_argv(&a, &e);
    generation_apply(a.opts);
    if (rc == 0)
        dispatch(&a, &sig, &e);
    rc = exit_status(&e, sig);
    script_close(a.script);
    sql_teardown();
    opts_free(a.opts);
    rng_seeder_fini(&a.seeder);
    secrets_free(a.args);
    return rc;
}
