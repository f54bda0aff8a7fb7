/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The connection state machine, private to this floor: how a connection comes up, is found lost and
 * comes back, and what the outcome of a statement does to it.
 *
 *     CLOSED --open--> UP --verdict LOST--> LOST --attempt--> UP
 *                                           |  ^  refused: wait 1 ms, 2 ms, ... 1 s, with jitter
 *                                           |  '--'
 *                                           '--> stays LOST when the host says the run is over
 *
 * Leaving UP closes the server side of all prepared statements; each is prepared anew at its next
 * execute.
 *
 * Every statement passes sql_conn_begin() before and sql_conn_settle() after the driver's call. The
 * fast path of both is a handful of loads and stores.  Client's thread only.
 */
#ifndef SB_SQL_SQL_CONN_H
#define SB_SQL_SQL_CONN_H

#include "sql/sql_driver.h"

struct sql_conn *sql_conn_new(struct sql_driver_slot *d, const struct sql_host *host);

/* The owner lets go; frees at once or with the last statement. */
void sql_conn_release(struct sql_conn *c);

/* First connect or one that the script asked for.  SQL_DONE, or the driver's verdict after trying
 * for a while when the server was only busy. */
enum sql_verdict sql_conn_open(struct sql_conn *c, bool again);

/* Releases everything that belongs to the server connection and enters `state` (CLOSED or LOST). */
void sql_conn_drop(struct sql_conn *c, enum sql_state state);

/* From LOST to UP, for as long as the host wants to try.  Counts nothing. */
bool sql_conn_recover(struct sql_conn *c);

/* Ready for a new statement: error fields cleared, connection up, earlier results gone.  False: the
 * error fields say why not. */
bool sql_conn_begin(struct sql_conn *c);

/* Judges the outcome of a statement: counts it, and returns its result set or NULL; after a failure
 * the error fields are set, the transaction rolled back or the connection replaced. */
sql_result *sql_conn_settle(struct sql_conn *c, enum sql_verdict v);

/* Rolls back what the last error left open, if anything. */
void sql_conn_undo(struct sql_conn *c);

void sql_conn_clear_error(struct sql_conn *c);
/* Copies c->fail into the fields that scripts read. */
void sql_conn_tell(struct sql_conn *c, sql_error_t class);
/* Misuse: an error without number, state or message. */
void sql_conn_misuse(struct sql_conn *c);

/* Frees the current result and reads the rest of what the server sends; false when that failed for
 * good. */
bool sql_conn_drain(struct sql_conn *c);

#endif
