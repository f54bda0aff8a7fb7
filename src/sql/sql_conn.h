/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: the connection state machine: how a connection is opened, lost and
 * re-established, and what the outcome of a statement does to it.
 *
 *     CLOSED --open--> UP --outcome LOST--> LOST --attempt--> UP
 *                                           |  ^  failed: wait 1 ms, 2 ms, ... 1 s, with jitter
 *                                           |  '--'
 *                                           '--> stays LOST once the run has ended
 *
 * Leaving UP closes the server side of all prepared statements; the next execute of each prepares
 * it again.
 *
 * Every statement calls sql_conn_begin() before and sql_conn_finish() after the driver's function.
 * The fast path of both is a handful of loads and stores.  Client's thread only.
 */
#ifndef SB_SQL_SQL_CONN_H
#define SB_SQL_SQL_CONN_H

#include "sql/sql_driver.h"

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host);

/* Frees the connection: now, or with its last statement. */
void sql_conn_release(struct sql_conn *c);

/* The first connect, or a reconnect by the script.  SQL_DONE, or the driver's outcome; SQL_BUSY
 * only after retrying for a while. */
enum sql_outcome sql_conn_open(struct sql_conn *c, bool again);

/* The first connect, tried again for as long as the host says. */
enum sql_outcome sql_conn_first(struct sql_conn *c);

/* Releases what belongs to the server connection and enters `state` (CLOSED or LOST). */
void sql_conn_drop(struct sql_conn *c, enum sql_state state);

/* Reconnects until it succeeds (LOST to UP) or the run ends.  Counts nothing. */
bool sql_conn_recover(struct sql_conn *c);

/* Prepares for a statement: clears the error fields, reconnects if LOST, drops earlier results.
 * False: the error fields say why. */
bool sql_conn_begin(struct sql_conn *c);

/* Counts the outcome of a statement and returns its result set or NULL.  After a failure it sets
 * the error fields and rolls the transaction back or replaces the connection. */
sql_result *sql_conn_finish(struct sql_conn *c, enum sql_outcome v);

/* Rolls back the transaction that the last error left open, if any. */
void sql_conn_rollback(struct sql_conn *c);

void sql_conn_clear_error(struct sql_conn *c);
/* Copies c->fail into the fields that scripts read. */
void sql_conn_set_error(struct sql_conn *c, sql_error_t class);
/* Tells the host of the failure in c->fail. */
void sql_conn_note_error(struct sql_conn *c, bool lost);
/* Misuse: an error without number, state or message. */
void sql_conn_misuse(struct sql_conn *c);

/* Frees the current result, then reads and drops the rest; false after a fatal error or a loss. */
bool sql_conn_drain(struct sql_conn *c);

#endif
