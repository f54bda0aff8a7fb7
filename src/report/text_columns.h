/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns that an interval can have in a table (text_table.h): one row for each in
 * text_columns.c, with the figure of fields.h that it shows, its title, width and priority when
 * there is little room.  A new column is one line there.  Events and counters of the server that
 * have no row, and percentiles that the user listed, become columns under their own names.
 */
#ifndef SB_REPORT_TEXT_COLUMNS_H
#define SB_REPORT_TEXT_COLUMNS_H

#include <stdbool.h>

#include "report/snapshot.h"

#define TEXT_COLUMNS_MAX 160
#define TEXT_COLUMN_NAME 48

enum text_colour { TEXT_PLAIN, TEXT_WARN, TEXT_BAD };

/* One column of one interval. */
struct text_cell {
    char name[TEXT_COLUMN_NAME]; /* in the header, with its unit */
    const char *group;           /* the title above it; "" for none */
    int width;                   /* with the blank before it */
    int decimals;                /* at most */
    int priority;                /* lower goes first; TEXT_ASKED and so on */
    double order;                /* from left to right */
    double v;                    /* when it is not missing */
    bool lower;                  /* the truth is at least v */
    enum text_colour colour;
    const char *missing; /* NULL, or why there is no figure; as long as the snapshot */
    bool passing;        /* the next interval may have one */
};

/* Priorities from here on: always shown, of a group that the user requested, if there is room. */
enum { TEXT_MAIN = 0, TEXT_ASKED = 20, TEXT_EXTRA = 60 };

/* The columns that this snapshot can have, from left to right; returns how many.  `sql`:
 * transactions are called tps, else eps. */
size_t text_cells(const struct snapshot *s, bool sql, struct text_cell cells[TEXT_COLUMNS_MAX]);

/* v in at most `room` characters: fewer digits, then k, M, G, T for thousands and so on.  Returns
 * buf. */
const char *text_fit(char buf[32], double v, int width, int decimals);

#endif
