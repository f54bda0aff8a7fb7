/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a script changes of its handles: what a connection leaves to it, what a statement counts as,
 * their names in the report of statements.
 */
#include "sql/sql.h"
#include "sql/sql_driver.h"
#include "sql/sql_stats.h"

/* pub is the first member of both */
static struct sql_conn *conn_of(sql_connection *c)
{
    return (struct sql_conn *)c;
}

static struct sql_stmt *stmt_of(sql_statement *s)
{
    return (struct sql_stmt *)s;
}

void sql_set_manners(sql_connection *c, unsigned manners)
{
    conn_of(c)->manners = manners;
}

void sql_abandon(sql_connection *c)
{
    if (conn_of(c)->manners & DB_KEEP_TRANSACTION)
        sql_rollback(c);
}

void sql_count_as(sql_statement *s, int counter)
{
    stmt_of(s)->count_as = counter;
}

void sql_name_statement(sql_statement *s, const char *name, size_t len)
{
    sql_stats_name_statement(stmt_of(s), name, len);
}

void sql_name_queries(sql_connection *c, const char *name, size_t len)
{
    sql_stats_name_queries(conn_of(c), name, len);
}
