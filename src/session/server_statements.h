/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: what statements took in the server while measuring lasted, by the server's own
 * statistics: pg_stat_statements, or events_statements_summary_by_digest.  Both only grow, so the
 * list at the end less that at the beginning is the run's.  Questions about the server's statistics
 * are left out, ours among them.
 *
 * MariaDB tells of prepared statements in one sum only; so PostgreSQL does of those of other roles,
 * and MySQL of those for which it has no room.
 */
#ifndef SB_SESSION_SERVER_STATEMENTS_H
#define SB_SESSION_SERVER_STATEMENTS_H

#include "sql/sql_types.h"
#include "telemetry/status.h"

/* Initialise with {0}; the rows belong to it. */
struct server_statements {
    struct status_statement *row;
    size_t n;
    mono_ns at;
    const char *why; /* there is no answer, constant; NULL */
};

/* Asks for all of them, with the texts if they are wanted; adds to `asked` what the server counts
 * as questions. */
void server_statements_ask(struct server_statements *t, sql_connection *con, bool mysql, bool texts,
                           double *asked);
void server_statements_free(struct server_statements *t);

/* --- pure parts of it --- */

/* A row of the answer.  False: it is none. */
bool server_statements_take(struct server_statements *t, const sql_value *column, size_t columns);

/* The difference of two lists, which it sorts; `after` becomes it, and `out` borrows from that. */
void server_statements_diff(struct server_statements *before, struct server_statements *after,
                            bool mysql, struct status_statements *out);

#endif
