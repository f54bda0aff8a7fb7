/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The app: one command line from argv to exit status.  The only floor where everything has a name;
 * the exit status is decided here and nowhere else (exit_status in app.c).
 */
#ifndef SB_CLI_APP_H
#define SB_CLI_APP_H

#include "base/dist.h"
#include "base/rng.h"
#include "base/uniq.h"
#include "engine/plan.h"
#include "opt/opt.h"
#include "script/script.h"
#include "sql/sql.h"

struct app {
    int argc;
    char **argv;          /* passwords hidden */
    char **args;          /* as typed, ours */
    const char *testname; /* NULL: the script comes from stdin */
    const char *command;  /* NULL: none was given */
    struct opts *opts;
    struct plan plan;
    struct sql_options sql;
    struct dist_params dist;
    struct rng_seeder seeder;
    struct uniq uniq;
    struct rng rng; /* the main thread's stream */
    struct script *script;
};

/* What a script gets of all this. */
struct script_env app_script_env(struct app *a);

int app_main(int argc, char **argv);

#endif
