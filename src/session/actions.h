/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --at=TIME --do=COMMAND: shell commands that are started at given times after the start of
 * measuring.  One command line then says what is changed and when, and one report shows the effect.
 *
 * One thread starts the commands, reads their output and waits for them; clients and the reporter
 * never do.  Each start is a mark in the timeline (stats/marks.h).  So is the end when an interval
 * report came in between: then one phase covers the command, and the next one what follows it.
 */
#ifndef SB_SESSION_ACTIONS_H
#define SB_SESSION_ACTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "engine/observer.h"
#include "engine/plan.h"
#include "opt/opt.h"
#include "report/run_info.h"
#include "stats/marks.h"

struct actions; /* opaque */

/* Rows of the group LOG. */
void actions_options(struct opts *o);

/* *a is NULL when there are none.  -1: one sentence; nothing was touched. */
int actions_new(struct actions **a, const struct opts *o, const struct plan *p, struct marks *marks,
                struct err *e);
void actions_free(struct actions *a); /* as all below: NULL is allowed */

/* Before the clients: starts the thread, which waits for RUN_BEGINS. */
int actions_open(struct actions *a, struct err *e);

/* The server's processes on this host, for SB_SERVER_PIDS; before RUN_BEGINS. */
void actions_server(struct actions *a, const pid_t *pids, size_t n);

/* Measuring begins, an interval report was read; all loops have ended: no more commands are
 * started. */
void actions_on(struct actions *a, const struct run_event *event);

/* Call it when the run is over.  Commands that still run get 2 s (none with `no_grace`), then their
 * process groups are ended.  The thread has ended when this returns; it may be called again. */
void actions_end(struct actions *a, bool no_grace);

/* The present state, in the order of the command line; valid until the next call, its texts until
 * actions_free.  Passwords in commands are masked. */
const struct report_action *actions_record(struct actions *a, size_t *n);

#endif
