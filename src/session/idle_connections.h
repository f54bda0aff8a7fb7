/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections that do nothing (--idle-connections): opened before the clients start, kept open over
 * the whole run, closed after it.  They show the cost of thousands of sleeping sessions for a
 * server and for the active sessions.  Main thread only.
 */
#ifndef SB_SESSION_IDLE_CONNECTIONS_H
#define SB_SESSION_IDLE_CONNECTIONS_H

#include <stddef.h>

#include "base/err.h"
#include "sql/sql_types.h"

struct idle_connections; /* opaque */

/* `driver` NULL: to the server of --db-driver.  -1: one could not be opened, the reason was
 * printed; n = 0: *out is NULL. */
int idle_connections_open(struct idle_connections **out, sql_driver *driver, size_t n,
                          struct err *e);

/* Warns of those that the server has closed meanwhile.  NULL is allowed, as below. */
void idle_connections_check(const struct idle_connections *i);
void idle_connections_close(struct idle_connections *i);

#endif
