/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-via: which processes of the other host are the server, by option or by the connections'
 * addresses.
 */
#ifndef SB_CLI_RUN_VIA_H
#define SB_CLI_RUN_VIA_H

#include "base/err.h"
#include "opt/opt.h"
#include "telemetry/discover.h"
#include "telemetry/via.h"

/* *out is NULL without the option.  -1: the other side knows no such event. */
int run_via_open(struct via **out, const struct opts *o, struct err *e);

/*
 * All connections are up: tells the other side what the server is.  `server` is the option's value.
 * What fails is said in one line, and the figures are n/a until it works.
 */
void run_via_target(struct via *v, const char *server, struct discover *d);

#endif
