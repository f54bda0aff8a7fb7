/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: times statements where they are executed: reads the clock before and after
 * the driver's call and records the duration by kind of statement.  If statements are not timed
 * (host->stmt_stats is NULL), it only tests that pointer.  Client's thread only.
 */
#ifndef SB_SQL_SQL_STATS_H
#define SB_SQL_SQL_STATS_H

#include "sql/sql_driver.h"

#define STMT_KIND_UNKNOWN UINT32_MAX /* not looked up yet */

/* The start time; 0: not timed. */
static inline mono_ns sql_stats_begin(const struct sql_conn *c)
{
    return c->host->stmt_stats ? sql_now(c) : 0;
}

/* Record what has just ended; `began` is the result of sql_stats_begin (0: do nothing). */
void sql_stats_query(struct sql_conn *c, const char *text, size_t len, mono_ns began,
                     enum sql_outcome v);
void sql_stats_statement(struct sql_stmt *s, mono_ns began, enum sql_outcome v);
/* a ROLLBACK of ours, after an error */
void sql_stats_rollback(struct sql_conn *c, mono_ns began, enum sql_outcome v);
void sql_stats_fixed(struct sql_conn *c, unsigned kind, mono_ns began, enum sql_outcome v);

/* See sql_name_statement() and sql_name_queries(). */
void sql_stats_name_statement(struct sql_stmt *s, const char *name, size_t len);
void sql_stats_name_queries(struct sql_conn *c, const char *name, size_t len);

#endif
