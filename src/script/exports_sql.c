/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The db_* part of the script API.  sql/sql.c does the work.  Here a connection gets an owner, the
 * context of the state that opened it.  The owner frees the connection when the state is closed,
 * whatever Lua's collector has finalized by then and in whatever order.
 */
#include "script/exports.h"

#include "script/context.h"
#include "script/shared/shared.h"

sql_driver *db_create(const char *name)
{
    return sql_driver_get(name);
}

int db_destroy(sql_driver *driver)
{
    return sql_driver_release(driver);
}

sql_connection *db_connection_create(sql_driver *driver)
{
    struct script_context *cx = context_get();
    sql_connection *con = cx ? sql_connect(driver, &cx->host) : NULL;

    if (con)
        context_adopt(cx, con);
    return con;
}

int db_connection_close(sql_connection *con)
{
    return sql_disconnect(con);
}

void db_undo(sql_connection *con)
{
    sql_rollback(con);
}

int db_connection_reconnect(sql_connection *con)
{
    return sql_reconnect(con);
}

void db_connection_free(sql_connection *con)
{
    struct script_context *cx = context_get();

    if (!cx || cx->closing)
        return;
    if (cx->shared)
        shared_lost_connection(cx->shared, cx, con);
    else
        context_release(cx, con);
}

sql_result *db_query(sql_connection *con, const char *query, size_t len)
{
    return sql_query(con, query, len);
}

sql_result *db_peek(sql_connection *con, const char *query, size_t len)
{
    return sql_peek(con, query, len);
}

bool db_more_results(sql_connection *con)
{
    return sql_more_results(con);
}

sql_result *db_next_result(sql_connection *con)
{
    return sql_next_result(con);
}

sql_statement *db_prepare(sql_connection *con, const char *query, size_t len)
{
    return sql_prepare(con, query, len);
}

int db_bind_param(sql_statement *stmt, const sql_bind *params, size_t n)
{
    return sql_bind_param(stmt, params, n);
}

int db_bind_result(sql_statement *stmt, sql_bind *results, size_t n)
{
    return sql_bind_result(stmt, results, n);
}

sql_result *db_execute(sql_statement *stmt)
{
    return sql_execute(stmt);
}

int db_close(sql_statement *stmt)
{
    return sql_close(stmt);
}

/* A statement may outlive its connection's last handle: sql.c keeps the memory until both
 * are gone. */
void db_statement_free(sql_statement *stmt)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        shared_lost_statement(stmt);
    else
        sql_statement_free(stmt);
}

void db_name_statement(sql_statement *stmt, const char *name, size_t len)
{
    sql_name_statement(stmt, name, len);
}

void db_name_queries(sql_connection *con, const char *name, size_t len)
{
    sql_name_queries(con, name, len);
}

sql_row *db_fetch_row(sql_result *rs)
{
    return sql_fetch_row(rs);
}

int db_free_results(sql_result *rs)
{
    return sql_free_results(rs);
}

int db_bulk_insert_init(sql_connection *con, const char *query, size_t len)
{
    return sql_bulk_init(con, query, len);
}

int db_bulk_insert_next(sql_connection *con, const char *row, size_t len)
{
    return sql_bulk_next(con, row, len);
}

int db_bulk_insert_done(sql_connection *con)
{
    return sql_bulk_done(con);
}
