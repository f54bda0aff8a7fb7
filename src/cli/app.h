/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The app: one command line from argv to exit status.  The only floor that knows all others; only
 * app.c decides the exit status (exit_status).  Each option is read once, by the module that owns
 * it, into the struct of that module.
 *
 *     arguments.c    the command line, word by word, and hints about words that are no names
 *     help.c         --help, and the help of a test
 *     commands.c     the commands of a test
 *     run_session.c  the command `run`: what surrounds a run, and the run
 *     ranks.c        one command on several load hosts
 */
#ifndef SB_CLI_APP_H
#define SB_CLI_APP_H

#include "base/dist.h"
#include "base/rng.h"
#include "base/uniq.h"
#include "cluster/cluster.h"
#include "engine/plan.h"
#include "opt/opt.h"
#include "script/lua_states.h"
#include "script/script.h"
#include "session/attach.h"
#include "sql/sql.h"
#include "sql/sql_servers.h"
#include "workload/builtin.h"

struct app {
    int argc;
    char **argv;                  /* passwords and commands hidden */
    char **args;                  /* as typed, ours */
    const char *testname;         /* NULL: the script comes from stdin */
    const char *command;          /* NULL: none was given */
    bool test_option;             /* the name was given by --test */
    const char *word_before_test; /* what stood in its place before; NULL: nothing */
    const char *help_topic;       /* "rate" of --help=rate; NULL: none */
    bool began;                   /* the banner is out */
    bool builtin_oltp;            /* it is 0.4's built-in test oltp */
    struct opts *opts;
    bool histogram, debug, validate; /* options of these names */
    struct plan plan;
    struct server_options server;
    struct sql_options sql;
    struct sql_servers servers;  /* that these name */
    struct cluster_spec cluster; /* the ranks are in the plan */
    bool refused;                /* the command line, before the ranks were to meet */
    bool agreed;                 /* with the other ranks, on what will be done */
    enum lua_state_choice lua_state;
    struct dist_params dist;
    struct rng_seeder seeder;
    struct uniq uniq;
    struct rng rng; /* the main thread's stream */
    struct script *script;
    int lua_states; /* workers whose clients share one; 0: each client has its own */
};

int app_main(int argc, char **argv);

/* What a script gets of all this. */
struct script_env app_script_env(struct app *a);

/*
 * arguments.c
 *
 *     sysbench [options] TEST COMMAND          1.0 and 1.1: the first two words
 *     sysbench [options] --test=TEST COMMAND   0.4 and 0.5: one word, wherever it stands
 *
 * Both forms work with each --compat.  With an old one, its rules hold for values (opt_rules), and
 * errors in the words are reported as it did.
 */

/* Fills a->opts, a->testname and a->command.  -1: one sentence. */
int arguments_read(struct app *a, struct err *e);

/* The command `version`, without a test. */
bool arguments_ask_version(const struct app *a);

/*
 * Suggestions after error messages about words:
 *
 *     Cannot find benchmark 'oltp_readonly': no such built-in test, file or module; did you mean
 *         oltp_read_only?
 *     Unknown command: 4; did you mean --threads=4?
 *
 * The messages are stock's and unchanged, because scripts match them; the hints follow them.  A
 * hint is a guess: without a guess, it says where the names are listed.
 */

/* There is no such test.  Always -1. */
int hint_test(const struct app *a, struct err *e);
/* There is no such command; the script, if it is one, is open.  Always -1. */
int hint_command(const struct app *a, struct err *e);
/* A message as it may be shown: its passwords masked, those too that are words of their own on the
 * command line ("--mysql-password secret", "-psecret").  The caller frees it. */
char *arguments_shown(const struct app *a, const char *msg);
/* True for a word that follows the name of a test. */
bool hint_is_command(const char *word);

/*
 * help.c.  Wrappers parse the lists of options: the form of their lines is stock's, and so are the
 * blocks of --help=all and their order.
 *
 *     sysbench --help, -h              one screen: the options that most runs use, on stdout
 *     sysbench --help=all              all general options
 *     sysbench --help=rate             one group of them
 *     sysbench TEST --help, TEST -h    the test's own options, and where the others are
 *     sysbench TEST help               the same without the latter, as stock has it (commands.c)
 *     sysbench                         on a terminal: a short usage, on stderr
 */
/* -1: there is no such topic. */
int help_general(const struct opts *o, const char *topic, struct err *e);

/* The output of the command `help` of a built-in test. */
void help_builtin(const struct opts *o, const char *name);

/* The help of a->testname, independent of the rest of the command line; the general one when there
 * is no such test.  -1: the script cannot be loaded. */
int help_test(const struct app *a, struct err *e);

/* A few lines for a user who only typed the name of the program. */
void help_usage(void);

/* The same in the grammar of 0.4 and 0.5, on standard output: what these programs printed after the
 * sentence about a command line that they could not read. */
void help_usage_old(void);

/* commands.c: --version, the banner, and the commands of a script or a built-in test: 0, or -1 with
 * *e; *signal is set when a signal ended a run. */
void command_version(const struct app *a, bool verbose);
void command_banner(const struct app *a);
/* With an old --compat: is there a test, and a command that it knew?  -1: one sentence, in their
 * words. */
int command_check(const struct app *a, struct err *e);
int command_call_builtin(struct app *a, const struct builtin *b, int *signal, struct err *e);
int command_call(struct app *a, int *signal, struct err *e); /* of the script that is open */
void command_note_reads(struct app *a); /* before a script is opened: --options-read */

/* run_session.c: the benchmark itself. */
int command_run(struct app *a, struct workload *w, int *signal, struct err *e);

/* ranks.c: one command on several load hosts; alone, all of it does nothing.  Main thread. */

/* Reads --cluster and those beside it; a member says nothing on stdout from now on. */
int ranks_read(struct app *a, struct err *e);

/* Whether this will be a member, as far as it is known before the ranks have met. */
bool ranks_follows(const struct app *a);

/* Waits for the other ranks and divides the plan.  -1: they did not come, or the command cannot be
 * divided. */
int ranks_join(struct app *a, struct err *e);

/* The last step before anything is touched. */
int ranks_agree(struct app *a, struct err *e);

/* A command of a script other than `run`, by all ranks: it is done when all have done their part.
 */
int ranks_call_script(struct app *a, struct err *e);

/* Under MPI all ranks write to one terminal, so what they refuse is said once, by the leader.  A
 * member tells it why it ended before all agreed; when the leader has answered, *e becomes
 * ERR_REPORTED.  Before the message. */
void ranks_refer(struct app *a, struct err *e);

/* The others learn of a failure that came before they could agree, also of one that came before
 * they met if MPI is their way.  After the message, so a leader says it without waiting. */
void ranks_leave(struct app *a, const struct err *e);

static inline bool ranks_is_member(const struct app *a)
{
    return a->plan.rank > 0;
}

/* This process has a rank of the cluster, and no share yet. */
void ranks_take_rank(struct app *a, struct cluster *c);

#endif
