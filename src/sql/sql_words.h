/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/sql: how sysbench 0.4 and 0.5 counted a statement.  They looked at its first word:
 * SELECT is a read, INSERT, UPDATE and DELETE are writes, everything else is `other`; COMMIT and
 * UNLOCK TABLES also end a transaction.  Today's count goes by what a statement did, so an UPDATE
 * that changed no row is a write there and `other` here.
 */
#ifndef SB_SQL_SQL_WORDS_H
#define SB_SQL_SQL_WORDS_H

#include "sql/sql_driver.h"

struct sql_words {
    enum counter counter;
    bool commit; /* it ends a transaction */
};

/* In any case, after any blanks. */
struct sql_words sql_words(const char *text, size_t len);

/* After a success: lets c->res.counter name how the statement is counted, and counts the end of a
 * transaction. */
void sql_count_by_word(struct sql_conn *c, const char *text, size_t len);

#endif
