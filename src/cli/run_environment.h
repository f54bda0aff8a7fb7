/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of what a run depended on (telemetry/environment.h), filled once when all connections
 * are up: this program and its command line, the load generator's host, the server's host and
 * process, and what the server itself tells.
 */
#ifndef SB_CLI_RUN_ENVIRONMENT_H
#define SB_CLI_RUN_ENVIRONMENT_H

#include <sys/types.h>

#include "base/str.h"
#include "cli/app.h"
#include "telemetry/environment.h"
#include "telemetry/via.h"

/* Is the record wanted in the text? */
bool run_environment_wanted(const struct opts *o);

/*
 * `pids` are the server's processes on this host (n may be 0), `via` is not NULL when it is on
 * another one. Asks the server over a connection of its own, when a database is in use.
 */
void run_environment_fill(struct environment *e, const struct app *a, const pid_t *pids, size_t n,
                          struct via *via);

/* "Environment:" and a line for each item. */
void run_environment_text(struct str *out, const struct environment *e);

#endif
