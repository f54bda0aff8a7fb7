/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Collects rows of a multi-row INSERT into statements below a packet limit: a prefix, then rows
 * joined by commas.  Pure text; the caller supplies the function that sends a complete statement.
 * Belongs to one connection, and so to one client.
 */
#ifndef SB_SQL_SQL_BULK_H
#define SB_SQL_SQL_BULK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Longest statement, a terminating NUL included. */
#define SQL_BULK_PACKET 524288u

struct sql_bulk {
    struct str text; /* the prefix and the rows gathered so far */
    size_t prefix_len;
    size_t rows;
    bool active;
};

/* Sends one statement: 0, or non-zero on failure, which ends the call that caused it. */
typedef int (*sql_bulk_send)(void *arg, const char *text, size_t len);

/* All three: 0, or -1: too long (FATAL line), not begun (ALERT), or the sender failed.  Then the
 * rows of the failed statement and the row of the call are dropped, and the bulk insert can
 * continue. */

/* Sends rows left from an earlier insert first. */
int sql_bulk_begin(struct sql_bulk *b, const char *prefix, size_t len, sql_bulk_send send,
                   void *arg);
int sql_bulk_add(struct sql_bulk *b, const char *row, size_t len, sql_bulk_send send, void *arg);
/* Sends the rest and releases the memory; does nothing if nothing was begun. */
int sql_bulk_end(struct sql_bulk *b, sql_bulk_send send, void *arg);

/* Releases the memory, rows included, without sending. */
void sql_bulk_drop(struct sql_bulk *b);

#endif
