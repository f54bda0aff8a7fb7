/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --at=TIME --do=COMMAND: shell commands that the run starts at given instants after the start of
 * measuring, so that what is changed, the instant of the change and what it did to the load are in
 * one command line and one report.
 *
 * One thread starts them, reads what they print and waits for them; clients and the reporter never
 * do.  Each begin is a mark in the timeline (stats/marks.h).  The end is one too when an interval
 * report came in between: then the phase that begins with the first mark is the time under the
 * command, and the next one what came after it.
 */
#ifndef SB_CLI_ACTIONS_H
#define SB_CLI_ACTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "engine/plan.h"
#include "opt/opt.h"
#include "report/action.h"
#include "stats/marks.h"

struct actions; /* opaque */

/* Rows of the group LOG. */
void actions_options(struct opts *o);

/* *a is NULL when there are none.  -1: one sentence; nothing was touched. */
int actions_new(struct actions **a, const struct opts *o, const struct plan *p, struct marks *marks,
                struct err *e);
void actions_free(struct actions *a); /* as all below: NULL is allowed */

/* Before the clients: starts the thread, which waits for actions_begin. */
int actions_open(struct actions *a, struct err *e);

/* The server's processes on this host, for the commands' environment; before actions_begin. */
void actions_server(struct actions *a, const pid_t *pids, size_t n);

/* Measuring begins at `from`. */
void actions_begin(struct actions *a, mono_ns from);

/* An interval's figures were read at `at`. */
void actions_interval(struct actions *a, mono_ns at);

/* All loops have ended: none is started any more. */
void actions_curtain(struct actions *a);

/* The run is over: those that still run get a moment (none with `hurry`), then their process groups
 * are ended.  The thread is gone when this returns; it may be called again. */
void actions_end(struct actions *a, bool hurry);

/* What is known now, in the order of the command line; valid until the next call.  Texts stay. */
const struct report_action *actions_record(struct actions *a, size_t *n);

#endif
