/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status and --server-waits: reads the server's own counters, and samples what our
 * sessions do in it, on a connection and a thread of their own, never on a client's.  When the
 * answer takes longer than a tenth of a second, the interval has n/a and the report is not held up;
 * a saturated thread pool may answer only after the load.
 *
 * A connection that was lost is replaced, so the figures resume when the server is back.  It never
 * decides how the run ends.
 *
 * The main thread opens and closes, the reporting thread reads.
 */
#ifndef SB_SESSION_SERVER_STATUS_H
#define SB_SESSION_SERVER_STATUS_H

#include "base/err.h"
#include "sql/sql_types.h"
#include "telemetry/status.h"

struct server_status; /* opaque */

#define STATUS_QUESTION_LIMIT (30 * NS_PER_SEC)

/*
 * For a driver's name: a source that answers nothing until server_status_connect.  A connection
 * without an answer for so long is replaced.  NULL: the driver has no such counters.
 */
struct server_status *server_status_new(const char *driver,
                                        sql_driver *(*driver_get)(const char *name),
                                        dur_ns question_limit);

/* What the options add: "NAME,..." of --server-status, --server-query; NULL: none.  Before
 * server_status_source.  -1: one is wrong, one sentence. */
int server_status_add(struct server_status *s, const char *variables, char *const *query,
                      size_t queries, struct err *e);

/* Unless it is said before server_status_connect: both, and loudly. */
struct server_status_wants {
    bool counters, waits;
    bool shared;          /* other load hosts have connections, too */
    bool quiet;           /* nobody asked for waits: the run's start is hardly held up for them */
    const char *no_waits; /* why they are not known beforehand, constant; NULL: they may be */
};
void server_status_want(struct server_status *s, const struct server_status_wants *w);

/* Connects and waits for the connection, some seconds at most.  An error becomes the reason of
 * every n/a. */
void server_status_connect(struct server_status *s);

/* The number of the database host that it is connected to, or was; -1: there was no connection, or
 * there is only one host. */
int server_status_host(const struct server_status *s);

const struct status_source *server_status_source(const struct server_status *s);
void server_status_free(struct server_status *s); /* NULL is allowed */

#endif
