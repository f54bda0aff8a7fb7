/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: the server's own counters, asked for on a connection and a thread of their own,
 * never on a client's.  A question that is not answered within a tenth of a second leaves n/a for
 * that interval instead of holding up the report; a saturated thread pool may answer after the load
 * only.
 *
 * The main thread opens and closes, the reporting side reads.
 */
#ifndef SB_CLI_SERVER_STATUS_H
#define SB_CLI_SERVER_STATUS_H

#include "sql/sql_types.h"
#include "telemetry/status.h"

struct server_status; /* opaque */

/*
 * For a driver's name: a source that answers nothing until server_status_connect.  NULL: the driver
 * has no such counters.
 */
struct server_status *server_status_new(const char *driver);

/* Connects and waits for it, some seconds at most.  What goes wrong is the reason of every n/a. */
void server_status_connect(struct server_status *s);

const struct status_source *server_status_source(const struct server_status *s);
void server_status_free(struct server_status *s); /* NULL is allowed */

#endif
