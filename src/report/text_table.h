/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interval reports as a table for people who watch: columns under a header that is repeated every
 * 20 rows, as in vmstat and iostat, fitted to a width.
 *
 *                   response, ms                  --- server --- client
 *     time s     tps    p50    p95    p99  late err/s  usr%  sys%   cpu%
 *          1 1200.00  0.710  1.840  3.210     0  0.00   6.4   2.1    3.9
 *
 * Columns that the user requested have priority over others, and the most informative ones over the
 * rest; a figure that is unavailable has no column, and a line of its own gives the reason once.
 * Each header reads the width and the colours anew, so resizing the window takes effect at the next
 * header.  When a figure becomes available again, its column returns with a header at once.
 *
 * One table belongs to one thread at a time.
 */
#ifndef SB_REPORT_TEXT_TABLE_H
#define SB_REPORT_TEXT_TABLE_H

#include "report/text_columns.h"
#include "base/str.h"

#define TEXT_TABLE_ROWS 20 /* under one header */

struct text_screen {
    size_t width; /* in columns */
    bool colour;
};

struct text_table; /* opaque */

/* `ask` is called before each header, with `arg`. */
struct text_table *text_table_new(struct text_screen (*ask)(void *arg), void *arg);
void text_table_free(struct text_table *t); /* NULL is allowed */

/* One interval: its row, after a header or reasons where needed. */
void text_table_interval(struct text_table *t, struct str *out, const struct snapshot *s, bool sql);

/* Call it when other text was printed: the next row gets a header. */
void text_table_restart(struct text_table *t);

#endif
