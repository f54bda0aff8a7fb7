/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Builds the surroundings of a run from the command line: the session (session/session.h) and the
 * observers that the options require.  Private to src/cli
 */
#ifndef SB_CLI_RUN_SESSION_H
#define SB_CLI_RUN_SESSION_H

#include "cli/app_state.h"
#include "session/console.h"
#include "session/result_files.h"
#include "session/run_profile.h"
#include "session/session.h"

struct run_session {
    struct app *app;
    struct session session;
    struct render render;
    /* observers */
    struct run_profile profile;
    struct console console;
    struct hooks hooks;
    struct result_files files;
    struct metrics_endpoint endpoint;
    struct raw_file raw;
    struct stmt_stats *stmt_stats; /* NULL: --report-statements is not given */
};

/* Reads the options; result files are not touched yet.  -1: one of them is invalid, one
 * sentence. */
int run_session_init(struct run_session *r, struct app *a, struct workload *w,
                     const struct run_result *result, struct err *e);
void run_session_free(struct run_session *r); /* not while clients may still run */

/* Call it when the test's options are valid: see session_open. */
int run_session_open(struct run_session *r, struct err *e);

#endif
