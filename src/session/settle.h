/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --settle: before the clients connect, brings the server to rest, so that what was loaded before
 * is not paid for by what is measured:
 *
 *     PostgreSQL      vacuum and analyze of tables that have changed since, autovacuum workers that
 *                     end, a checkpoint
 *     MySQL, MariaDB  analyze; then what the server does by itself: purge, the merges of its change
 *                     buffer, dirty pages that are written
 *
 * No client is connected meanwhile, so none is idle for so long that the server closes it, and none
 * has a snapshot that purge and vacuum would wait for.  One connection of its own, the main thread.
 *
 * A step that the server refuses is told, and the next one follows.  One that waits ends when its
 * figure is low enough, falls no longer, or the time of all steps is over.  A signal ends the
 * program at once.
 */
#ifndef SB_SESSION_SETTLE_H
#define SB_SESSION_SETTLE_H

#include "base/clock.h"
#include "base/err.h"
#include "report/run_info.h"
#include "sql/sql_servers.h"

/* The value of --settle: how long all of it may take; 0: off.  -1: one sentence. */
int settle_limit(const char *text, dur_ns *limit, struct err *e);

/* A figure that falls. */
struct settle_watch {
    double before, after, lowest; /* before: NAN until it was looked at */
    mono_ns since;                /* the last time that it was lower than ever */
};

/* The figure is `value` at `now`, and low enough at `enough`; without a new lowest value for
 * `still` it falls no longer.  How the wait ends (report_settle.outcome); NULL: look again. */
const char *settle_look(struct settle_watch *w, double value, double enough, mono_ns now,
                        dur_ns still, mono_ns until);

/* Each of the servers; `driver` is the name of theirs.  *step and *n are what was done; the caller
 * frees it.  -1: a server could not be reached, or was lost: one sentence. */
int settle_run(struct report_settle **step, size_t *n, const char *driver,
               const struct sql_servers *servers, dur_ns limit, struct err *e);

#endif
