/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Answers of the server to questions of our own: rows, numbers, and whether there will be any more.
 */
#ifndef SB_SESSION_ANSWERS_H
#define SB_SESSION_ANSWERS_H

#include "sql/sql.h"

/* The next row, behind the last of which all are freed; NULL: there is none, or no answer. */
sql_row *answer_row(sql_result *res);

/* A number, to all of 53 bits.  False: it is NULL, or none. */
bool answer_number(const sql_value *v, double *out);

/* The number that a question has as its answer; 0: there is none. */
double answer_one(sql_connection *con, const char *question);

/* Up or not, the policy of the clients' errors decides that. */
bool answers_lost(const sql_connection *con);

#endif
