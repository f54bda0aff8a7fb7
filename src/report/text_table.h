/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interval reports as a table for people who watch: columns under a header that comes again every
 * 20 rows, as vmstat and iostat have it, fitted to a width.
 *
 *                   response, ms                  --- server --- client
 *     time s     tps    p50    p95    p99  late err/s  usr%  sys%   cpu%
 *          1 1200.00  0.710  1.840  3.210     0  0.00   6.4   2.1    3.9
 *
 * What the user asked for goes before what he did not, and what tells most goes first; a figure
 * that cannot be had has no column, and why not is said once in a line of its own.  The width and
 * the colours are asked for at each header only, so a window that was resized counts from the next
 * one on.  A column that can be had again brings its header at once.
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

/* One interval: its row, and before it whatever it needs. */
void text_table_interval(struct text_table *t, struct str *out, const struct snapshot *s, bool sql);

/* Something else was printed meanwhile: the next row has its header. */
void text_table_restart(struct text_table *t);

#endif
