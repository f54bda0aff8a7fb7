/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The record of a run's environment (telemetry/environment.h): this program and its command line,
 * the load generator's host, the server's host and process, and the server's variables.
 */
#ifndef SB_SESSION_RUN_ENVIRONMENT_H
#define SB_SESSION_RUN_ENVIRONMENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "session/run_record.h"
#include "telemetry/environment.h"
#include "telemetry/remote.h"

/* Before the run: this program, its command line, this host. */
void run_environment_begin(struct environment *e, const struct command_line *a);

/*
 * When all connections are up.  `pids` are the server's processes on this host (n may be 0),
 * `remote` is not NULL when it is on another one.  `driver`: the server's variables are queried
 * over a connection of its own; NULL: no database is in use.
 */
void run_environment_add_server(struct environment *e, const pid_t *pids, size_t n,
                                struct remote *remote, const char *driver);

#endif
