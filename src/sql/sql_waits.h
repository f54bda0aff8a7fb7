/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: how long a connection waits.  --connect-timeout and --query-timeout limit one
 * attempt to connect and one statement, from its first byte to its answer; --reconnect-rate limits
 * how many attempts all clients make a second after losses, so that a server that has just come
 * back is not met by all of them at once.  And how long reconnecting took.
 *
 *     sql_wait_for(c, WAIT_STATEMENT);
 *     ... the driver's call, whose poll(2) ends at the limit ...
 *     sql_wait_over(c);
 *
 * The client library takes the end of the wait for a lost connection; sql_fail() puts in its place
 * which option it was.  Client's thread only, but for the figures.
 */
#ifndef SB_SQL_SQL_WAITS_H
#define SB_SQL_SQL_WAITS_H

#include "sql/sql_driver.h"

/* The longest attempt to reconnect without --connect-timeout. */
#define RECONNECT_LIMIT (10 * NS_PER_SEC)

void sql_wait_begin(struct sql_conn *c, enum sql_waiting what);
void sql_wait_end(struct sql_conn *c);

/* Around the calls of a statement: a load and a branch without --query-timeout. */
static inline void sql_wait_for_statement(struct sql_conn *c)
{
    if (c->limits->statement)
        sql_wait_begin(c, WAIT_STATEMENT);
}
static inline void sql_wait_over(struct sql_conn *c)
{
    if (c->waiting)
        sql_wait_end(c);
}

/* The wait that has begun has reached its limit: the text for the user; NULL: it has not. */
const char *sql_wait_failed(const struct sql_conn *c, char *out, size_t size);

/* Before an attempt to reconnect after a loss: waits for its turn (--reconnect-rate). */
void sql_wait_for_turn(struct sql_conn *c);

#endif
