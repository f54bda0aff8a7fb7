/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Connections, statements and results above the drivers.  Each call checks the state of its handle,
 * calls the driver (sql_driver.h), then classifies and counts the outcome.  A connection holds at
 * most one result.  Its state machine is  CLOSED -> UP -> LOST -> (back-off, reconnect) -> UP.
 *
 * Server errors are data (con->error, sql_errno, sql_state, sql_errmsg): a statement that fails
 * returns NULL and sets con->error to DB_ERROR_IGNORABLE or DB_ERROR_FATAL.  This module and the
 * drivers print the FATAL and ALERT lines that stock prints at the moment of failure.
 *
 * Statements survive a reconnect.  It discards their server side; the next execute prepares the
 * statement again and binds its parameters.
 *
 * A connection belongs to one client, and only that client's thread calls.  Calls may block in the
 * client library's poll(2), which the fiber scheduler may turn into a switch to another client.
 *
 * Ownership: sql_connection_free and sql_statement_free release the handles, once each and in any
 * order (a garbage collector guarantees none).  sql_disconnect and sql_close only end their use: a
 * script that goes on using a closed handle gets an ALERT and an error, never freed memory.  A
 * result is part of its connection and needs no finalizer.
 */
#ifndef SB_SQL_SQL_H
#define SB_SQL_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sql/sql_host.h"
#include "sql/sql_types.h"

/* Copies the options and checks the values that can be wrong (ports, error numbers): -1 with a
 * sentence in *e.  Main thread, before any other call here.  The first sql_driver_get of a driver
 * initializes its client library, so tests without a database do not load one.  sql_teardown undoes
 * both after the last connection is gone; sql_setup may then be called again. */
int sql_setup(const struct sql_options *o, struct err *e);
bool sql_teardown(void); /* false: sql_leave() was called, so nothing was freed */
/* A thread is left behind in a call of a driver: the process must end by _exit().  Any thread. */
void sql_leave(void);

/* Driver by name (NULL or "": --db-driver).  NULL after a FATAL line.  Any thread;
 * sets sql_in_use() from then on, which selects the SQL form of the reports. */
sql_driver *sql_driver_get(const char *name);
bool sql_in_use(void);
/* The caller is done with a driver.  Its connections stay open and it can be looked up again: all
 * clients share the client library, which sql_teardown closes.  0; 1 after an ALERT when d is not a
 * driver.  Any thread. */
int sql_driver_release(const sql_driver *d);

/* After the run: 0, or -1 with a sentence that says how many connections were lost (a loss that
 * --*-ignore-errors or --on-error covers) and could not be re-established before the run ended, and
 * why.  A loss in the last moments, too late for an attempt, is only a warning. */
int sql_check_recovered(struct err *e);

/* How many connections send plain queries because the server accepted no more prepared statements.
 */
size_t sql_plain_connections(void);

/* --server-status without a warm-up: clients settle before and after their loops.  Before the first
 * client. */
void sql_settle_ends(bool on);
/* If so, has the server count what was done on the connection: PostgreSQL's backends report at most
 * once a second, so that PREPAREs of before a run would be reported in it, and what its last second
 * did never.  Between transactions, by the thread of the connection; waits at most 1 s, a failure
 * changes nothing. */
void sql_settle(sql_connection *c);
/* How many statements did so: the server has counted them as transactions.  0 if there are several
 * servers.  Any thread. */
uint64_t sql_settled(void);

/* NULL after two FATAL lines. `host` is borrowed, it must outlive the connection. */
sql_connection *sql_connect(sql_driver *d, const struct sql_host *host);
void *sql_connection_owner(const sql_connection *c); /* host->arg */
sql_connection *sql_result_connection(sql_result *r);
int sql_disconnect(sql_connection *c); /* 0; an ALERT when it was closed already */
int sql_reconnect(sql_connection *c);  /* 0 or -1; counts one reconnect */
/* False: it was lost, and the next statement would have to replace it. */
bool sql_connection_is_up(const sql_connection *c);
/* Of one that is up: what the server calls it (sql_sessions.h; 0: not known), and the number of
 * that server; -1: there is no list. */
uint64_t sql_connection_session(sql_connection *c);
int sql_connection_server(const sql_connection *c);

/* as sql_disconnect, but for cleaning up: no ALERT */
void sql_hang_up(sql_connection *c);
/* Disconnects and releases the handle; the memory is freed with the last statement handle. */
void sql_connection_free(sql_connection *c);

/* query[len] is NUL, as in every Lua string.  NULL: no result set, or con->error says why.  First
 * reads and drops, uncounted, the unread results of an earlier call (of a multi-statement text or a
 * CALL).  If one of them is a fatal error, or the connection was lost, this call fails with it. */
sql_result *sql_query(sql_connection *c, const char *query, size_t len);

/* The result of a query on the side, a SELECT: it is in no figure, a failure is not printed and
 * sets no error, and no transaction stays open.  It waits for no lock, and half a second at most:
 * without an answer by then, the next call replaces the connection.  NULL: there is no result;
 * con->sql_errmsg says why if it did not wait, otherwise it is NULL. */
sql_result *sql_peek(sql_connection *c, const char *query, size_t len);

/* Further results of whatever ran last on the connection, query or prepared statement. */
bool sql_more_results(sql_connection *c);
/* Reads and drops those that are left, uncounted.  False: an error of one of them, in the fields of
 * the connection. */
bool sql_discard_results(sql_connection *c);
sql_result *sql_next_result(sql_connection *c);

sql_statement *sql_prepare(sql_connection *c, const char *query, size_t len);
int sql_bind_param(sql_statement *s, const sql_bind *params, size_t n); /* 0, 1 on failure */
const sql_bind *sql_params(const sql_statement *s);                     /* those that are bound */
/* From the next row on, sql_fetch_row also stores the statement's columns in these buffers:
 * integers as int64_t, floating point as double, anything else as bytes (at most max_len of them;
 * *data_len gets the full length).  For NULL it sets *is_null and leaves the buffer alone.  The
 * list is copied, the buffers still belong to the caller; n = 0: no buffers.  0; 1 after an ALERT.
 */
int sql_bind_result(sql_statement *s, const sql_bind *results, size_t n);
sql_result *sql_execute(sql_statement *s);
/* Sends ROLLBACK, uncounted, if the last failure left a transaction open.  Ignored errors do this
 * by themselves; scripts that retry other errors call it. */
void sql_rollback(sql_connection *c);

/* The transaction is given up: the same, where the script had taken it over (DB_KEEP_TRANSACTION).
 */
void sql_abandon(sql_connection *c);

/* What the script takes over from now on: DB_KEEP_TRANSACTION | ... */
void sql_set_transaction_mode(sql_connection *c, unsigned mode);

/* 0 (1 for an emulated statement, as stock).  First reads and drops its unread results, as a query
 * does; -1: one of them is a fatal error, or the connection was lost, and con->error says why. */
int sql_close(sql_statement *s);
/* Closes it if need be and frees the handle; never waits: its unread results are read by whatever
 * uses the connection next. */
void sql_statement_free(sql_statement *s);

/* The name under which --report-statements lists a statement, or all further plain queries of the
 * connection; "" removes it.  The bytes are copied.  No effect when statements are not timed. */
void sql_name_statement(sql_statement *s, const char *name, size_t len);
void sql_name_queries(sql_connection *c, const char *name, size_t len);

/* From now on each success of the statement counts as this (enum counter), whatever it returned. */
void sql_count_as(sql_statement *s, int counter);

/* Next row of a buffered result as text (prepared statements too), NULL after the last; also, with
 * con->error set, when the server's row cannot be read, which costs the connection. */
sql_row *sql_fetch_row(sql_result *r);
int sql_free_results(sql_result *r);

/* Rows for a statement that reads them from the client: COPY FROM STDIN, LOAD DATA LOCAL. */
struct sql_feed {
    /* At most `room` bytes into out; 0: these were all. */
    size_t (*read)(void *arg, char *out, size_t room);
    void *arg;
    bool begun; /* the server has asked for them */
};

/* Runs such a statement on a connection whose host says `loads`.  0, and in *rows how many rows the
 * server took; -1: con->error says why, and nothing has been printed.  1: this driver or server
 * does not do that and no row was read; con->sql_errmsg says why, NULL when the driver cannot. */
int sql_load(sql_connection *c, const char *text, size_t len, struct sql_feed *feed,
             uint64_t *rows);

/* The last statement failed, and the transaction that it belongs to is to be run again, by
 * --on-error or the lists of ignored errors; a lost connection has been replaced. */
bool sql_runs_again(const sql_connection *c);
/* What kind of error that was. */
enum error_class sql_error_class(const sql_connection *c);

/* Rows of a multi-row INSERT as statements below the packet limit.  All three: 0, or -1: too long
 * (FATAL line), not begun (ALERT), or sending failed.  Then the rows of the failed statement and
 * the row of the call are dropped, and the bulk insert can continue.  init and done send the rows
 * that are left of an earlier one first. */
#define SQL_BULK_PACKET 524288u /* the longest statement, a terminating NUL included */
int sql_bulk_init(sql_connection *c, const char *prefix, size_t len);
int sql_bulk_next(sql_connection *c, const char *row, size_t len);
int sql_bulk_done(sql_connection *c);
/* How many rows wait for the statement that will have them. */
size_t sql_bulk_unsent(const sql_connection *c);

#endif
