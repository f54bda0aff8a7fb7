/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a user can do about an error of the server that ends the first run of many people: the
 * server is not there, the database or the tables are not, the user is not known.  The server's own
 * words are printed by the drivers; this is one line more, once, on stderr (cli/app.c).
 */
#ifndef SB_SQL_SQL_HINT_H
#define SB_SQL_SQL_HINT_H

/* For a MySQL error number, or (0) an SQLSTATE and message of PostgreSQL; NULL: nothing is known
 * about it. */
const char *sql_hint_for(int errnum, const char *state, const char *msg);

#endif
