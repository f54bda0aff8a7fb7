/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the server calls the connections of this process (MySQL's connection id, the process id of
 * PostgreSQL's backend), so that they can be told from those of others.  Nothing is kept unless
 * somebody asks for it.
 *
 * A connection that was closed stays in the list for a minute, unless more than SQL_SESSIONS_CLOSED
 * were closed since: the server may need a while to notice, above all where it still executes a
 * statement that was given up.
 */
#ifndef SB_SQL_SQL_SESSIONS_H
#define SB_SQL_SQL_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define SQL_SESSIONS_CLOSED 4096

struct sql_session; /* opaque */

/* From now on connections are noted, or no longer, and then all are forgotten.  Main thread, while
 * there is no connection. */
void sql_sessions_keep(bool on);

/* A connection is up at that server of the list (-1: there is no list).  NULL: nothing is kept.
 * Any thread, as for the next two. */
struct sql_session *sql_session_add(uint64_t id, int server);
void sql_session_end(struct sql_session *s); /* NULL is allowed */

/* Appends the ids of the connections to that server, "12,10,7"; returns how many of them are up. */
size_t sql_sessions_list(int server, struct str *out);

#endif
