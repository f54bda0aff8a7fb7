/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cli: what one command line has been read into.  Each option is read once, by the
 * module that owns it, into the struct of that module.
 */
#ifndef SB_CLI_APP_STATE_H
#define SB_CLI_APP_STATE_H

#include "base/dist.h"
#include "base/rng.h"
#include "base/uniq.h"
#include "cluster/cluster.h"
#include "engine/plan.h"
#include "opt/opt.h"
#include "report/report_options.h"
#include "script/lua_states.h"
#include "script/script.h"
#include "session/attach.h"
#include "sql/sql.h"
#include "sql/sql_servers.h"
#include "workload/builtin.h"

struct app {
    int argc;
    char **argv;                  /* passwords hidden */
    char **args;                  /* as typed, ours */
    const char *testname;         /* NULL: the script comes from stdin */
    const char *command;          /* NULL: none was given */
    bool test_option;             /* the name was given by --test */
    const char *word_before_test; /* what stood in its place before; NULL: nothing */
    bool help_all;                /* --help=all */
    bool began;                   /* the banner is out */
    bool builtin_oltp;            /* it is 0.4's built-in test oltp */
    struct opts *opts;
    struct plan plan;
    struct report_options report;
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

/* What a script gets of all this. */
struct script_env app_script_env(struct app *a);

/* What a built-in test gets of it. */
struct builtin_env app_builtin_env(const struct app *a);

#endif
