/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --server-status: what statements took in the server while measuring lasted, by the server's own
 * statistics: pg_stat_statements, or events_statements_summary_by_digest.  Both only grow, so the
 * list at the end less that at the beginning is the run's; a list at each mark and at the end of
 * each stage tells the same of phases and stages.  Questions about the server's statistics are left
 * out, ours among them.
 *
 * MariaDB tells of prepared statements in one sum only; so PostgreSQL does of those of other roles,
 * and MySQL of those for which it has no room.
 */
#ifndef SB_SESSION_SERVER_STATEMENTS_H
#define SB_SESSION_SERVER_STATEMENTS_H

#include "sql/sql_types.h"
#include "telemetry/status.h"

struct server_statements {
    struct status_statement *row; /* sorted by key */
    size_t n;
    mono_ns at;
    const char *why; /* there is no answer, constant; NULL */
};

/* Initialise with {0}.  The first and the last have all that there is, the last with texts, those
 * in between what differs from the first. */
#define STATEMENT_LISTS 402
struct statement_lists {
    struct server_statements of[STATEMENT_LISTS];
    size_t n;
};

/* Asks for one more, unless there are too many (con NULL: there is nobody to ask); adds to `asked`
 * what the server counts as questions. */
void server_statements_list(struct statement_lists *l, sql_connection *con, bool mysql, bool last,
                            double *asked);
void server_statements_free(struct statement_lists *l);

/* --- pure parts of it --- */

/* A row of an answer, unless it is as in `first`, which may be NULL.  False: it is none. */
bool server_statements_take(struct server_statements *t, const struct server_statements *first,
                            const sql_value *column, size_t columns);

/* From one list to another; `out` borrows texts from the last of all. */
void server_statements_diff(const struct statement_lists *l, size_t from, size_t to, bool mysql,
                            struct status_statements *out);

#endif
