/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-via: connects to the other host and names the server's processes there, by --server or
 * by the connections' addresses.
 */
#ifndef SB_SESSION_RUN_REMOTE_H
#define SB_SESSION_RUN_REMOTE_H

#include "base/err.h"
#include "session/server_options.h"
#include "telemetry/discover.h"
#include "telemetry/remote.h"

/* *out is NULL without the option.  -1: an event of --server-events is unknown there. */
int run_remote_open(struct remote **out, const struct server_options *o, struct err *e);

/*
 * Call it when all connections are up.  `server` is the value of --server, used when `d` is NULL.
 * A failure is logged in one line, and the figures are n/a until it works.
 */
void run_remote_target(struct remote *v, const char *server, struct discover *d);

#endif
