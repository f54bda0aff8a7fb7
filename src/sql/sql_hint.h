/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: advice on the errors that most often end a first run: the server cannot be
 * reached, the database or the tables do not exist, the user is unknown.  The drivers print the
 * server's message; the advice is one more line on stderr, printed once (cli/app.c).
 */
#ifndef SB_SQL_SQL_HINT_H
#define SB_SQL_SQL_HINT_H

/* For a MySQL error number, or (0) a SQLSTATE and message of PostgreSQL; NULL: no advice. */
const char *sql_hint_for(int errnum, const char *state, const char *msg);

/* The setting of the server that such an error names: its value is asked for with `query`. */
struct sql_limit_of {
    const char *name, *query;
};
/* NULL: none. */
const struct sql_limit_of *sql_hint_limit(int errnum, const char *msg);

#endif
