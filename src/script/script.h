/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The front page of the script floor: a Lua script as something that has options, commands, a
 * workload and report hooks.  What happens inside: host.[ch] opens Lua states and loads the script
 * into them, lua_options, lua_commands, lua_workload and lua_hooks translate, exports*.c is what
 * scripts call.
 *
 * Order of calls (main thread; spec of the command line in docs/):
 *
 *     script_open             finds the script, runs its top level in the main state
 *     script_options          declares its options, finishes the option table, fills sysbench.opt
 *     script_command_kind     what is this command?
 *     script_call_command     ... anything but `run`
 *     script_workload         ... `run`: hand it to the engine
 *     script_close            after everything that came from the script is gone
 *
 * A script without a command, or from stdin, ends after script_open.
 *
 * Failures: *e says what, with a kind that decides the stream (base/err.h).  Errors that Lua raised
 * are printed at once, in full, as "FATAL: ..." and come back as ERR_REPORTED.
 */
#ifndef SB_SCRIPT_SCRIPT_H
#define SB_SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dist.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/uniq.h"
#include "opt/generation.h"
#include "opt/opt.h"
#include "pace/share.h"
#include "report/snapshot.h"
#include "engine/workload.h"

struct near;
struct script;

/* All pointers are borrowed and must outlive the script. */
struct script_env {
    int argc; /* the command line as typed, argv[0] the program's name */
    char **argv;
    const char *testname; /* a file or a module; NULL or "-": standard input */
    const char *command;  /* NULL: none was given */
    struct opts *opts;    /* general options, command line applied, not finished */
    /* --threads: clients of a run, threads of a parallel command; of all ranks */
    int threads;
    struct share share; /* which of the ranks this is; all zero: alone */
    const struct dist_params *dist;
    struct uniq *uniq;
    struct rng rng;            /* stream of the main state */
    struct rng_seeder *seeder; /* where threads of parallel commands get theirs from */
    bool test_option;          /* the name was given by --test */
    bool builtin_oltp;         /* 0.4's test oltp, whatever files there are of that name */
    /* whose version scripts see, and whose tolerance of unknown options */
    const struct generation_facts *generation;
};

/* -1: not readable, or its top level raised an error; SCRIPT_NOT_FOUND: there is no such file or
 * module, *e says so. */
#define SCRIPT_NOT_FOUND (-2)
int script_open(struct script **out, const struct script_env *env, struct err *e);
void script_close(struct script *s);

/* -1: malformed sysbench.cmdline.options, an unknown option on the command line, a value that its
 * option's type, or the script's validator, refuses. */
int script_options(struct script *s, struct err *e);

enum script_command_kind {
    SCRIPT_COMMAND_RUN,     /* the benchmark */
    SCRIPT_COMMAND_CALL,    /* the script (or the program for it) does it: script_call_command */
    SCRIPT_COMMAND_MISSING, /* prepare, cleanup or help that this script does not have; *e filled */
    SCRIPT_COMMAND_UNKNOWN  /* *e filled */
};
enum script_command_kind script_command_kind(struct script *s, const char *command, struct err *e);

/* Offers the commands that the script has. */
void script_near_commands(struct script *s, struct near *n);

/* Runs a SCRIPT_COMMAND_CALL to its end, in --threads threads when it is a parallel one.  Of
 * several ranks each runs its share of these threads; of a command that is not parallel, rank 0
 * does all, and the others nothing.  -1: it, or one thread of it, failed. */
int script_call_command(struct script *s, const char *command, struct err *e);

/* The script as a workload; belongs to the script.  shared_states: client i uses the Lua state i
 * % shared_states together with others (it must run on the worker of that number); 0:
 * each client has its own. */
struct workload *script_workload(struct script *s, int shared_states);

/* Changes with the text of the script and of the files that it has loaded until now, by require()
 * or dofile().  Main thread. */
uint32_t script_checksum(struct script *s);

/* The scripts that come with the program, in the order in which they are listed; NULL behind the
 * last. */
struct bundled_script {
    const char *name, *title;
    const char *reads;   /* the options that it uses, between blanks: its help lists these */
    const char *example; /* options of a first try */
};
const struct bundled_script *script_bundled_at(size_t i);

/* The script of that base name, "x" or "x.lua"; NULL: none is called so. */
const struct bundled_script *script_bundled(const char *base);

/* Does this name, or path, lead to a script that comes with the program, or to an exact copy of
 * one, with our modules?  Any thread; bundled.c. */
bool script_is_bundled(const char *testname);

/* Is there a file, or a module, of that name? */
bool script_exists(const char *testname);

/* Whom to tell of every connection that a client of a run brings up (fd of its socket, -1 unknown;
 * the server's number in the list, -1: there is none), on that client's thread.  Set it before the
 * run. */
void script_on_connect(struct script *s, void (*cb)(void *arg, int fd, int server), void *arg);

/* Where sysbench.mark() puts its marks; NULL: nowhere.  Set it before the run. */
void script_marks(struct script *s, struct marks *marks);

/* Report hooks.  Whether there is one is decided when the top level has run. */
enum script_hook { SCRIPT_HOOK_INTERMEDIATE, SCRIPT_HOOK_CUMULATIVE };
bool script_has_hook(const struct script *s, enum script_hook hook);

/* A Lua state for reports outside the main thread (stock has one for intermediate reports and one
 * for checkpoints, opened even without a hook: the script's top level runs in each).  All three on
 * the thread that reports. */
struct script_reporter;
/* *out is always set, and always to be closed; after -1 its reports are lost. */
int script_reporter_open(struct script *s, const struct rng *rng, struct script_reporter **out,
                         struct err *e);
/* Calls the hook with the snapshot as a Lua table; -1: it raised an error (printed) and this report
 * is lost; the workload's done() then fails too, so that the exit status tells.  NULL reporter: the
 * main state, on the main thread (the final report). */
int script_report(struct script *s, struct script_reporter *r, enum script_hook hook,
                  const struct snapshot *snap);
void script_reporter_close(struct script_reporter *r);

#endif
