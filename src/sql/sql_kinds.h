/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Latency by kind of statement, where statements are executed: a clock reading before the driver's
 * call and one after it, and what kind it was.  Nothing but one test of a pointer when it was not
 * asked for (host->kinds is NULL). Client's thread only.
 */
#ifndef SB_SQL_SQL_KINDS_H
#define SB_SQL_SQL_KINDS_H

#include "sql/sql_driver.h"

#define SQL_KIND_UNKNOWN UINT32_MAX /* conn.kind: none was named; stmt.kind: not looked up yet */

/* 0: nothing is measured. */
static inline mono_ns sql_kinds_begin(const struct sql_conn *c)
{
    return c->host->kinds ? clock_mono() : 0;
}

/* What has ended now; `began` as sql_kinds_begin gave it.  Nothing happens when it is 0. */
void sql_kinds_text(struct sql_conn *c, const char *text, size_t len, mono_ns began,
                    enum sql_verdict v);
void sql_kinds_statement(struct sql_stmt *s, mono_ns began, enum sql_verdict v);
void sql_kinds_rollback(struct sql_conn *c, mono_ns began,
                        enum sql_verdict v); /* our own, after an error */
void sql_kinds_fixed(struct sql_conn *c, unsigned kind, mono_ns began, enum sql_verdict v);

#endif
