/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of a multi-row INSERT, gathered into statements that stay below a packet limit: prefix, then
 * rows joined by commas.  Pure text; whoever owns the buffer gives the function that sends a
 * finished statement. Belongs to one connection, so to one client.
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

/* All three: 0, or -1 (too long after a FATAL line, not begun after an ALERT, or the sender failed;
 * the rows of the failed statement and the row of the call are dropped, the bulk insert can go on).
 */

/* Rows left from an earlier insert are sent first. */
int sql_bulk_begin(struct sql_bulk *b, const char *prefix, size_t len, sql_bulk_send send,
                   void *arg);
int sql_bulk_add(struct sql_bulk *b, const char *row, size_t len, sql_bulk_send send, void *arg);
/* Sends the rest and releases the memory; harmless when nothing was begun. */
int sql_bulk_end(struct sql_bulk *b, sql_bulk_send send, void *arg);

/* Releases the memory, rows included, without sending. */
void sql_bulk_drop(struct sql_bulk *b);

#endif
