/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns: what the blocks of a report are made of, and the table of intervals on a
 * terminal.  Pure rendering; any thread may call, a terminal's table belongs to one at a time.
 */
#ifndef SB_REPORT_TEXT_TABLE_H
#define SB_REPORT_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "report/find_record.h"
#include "report/text.h"

/* --- blocks: rows of a label and a value ---
 *
 * A label stands in column 5 and gets its colon here; the value is in column 42, wrapped so that
 * the report fits a terminal of 80 columns.  Words are never broken; a word that is longer than a
 * line gets a line of its own. */

#define TEXT_WIDTH   80
#define TEXT_UNBOUND SIZE_MAX /* for text_wrap: one line */
#define TEXT_INDENT  41
#define TEXT_BOUND   "\037" /* in text_wrap: a blank at which no line ends */

/* `text` in lines of up to `width` columns, of which the first already has `used` columns; further
 * lines are indented by `indent` columns.  Ends without a newline. */
void text_wrap(struct str *out, const char *text, size_t used, size_t indent, size_t width);

/* "    label:          "; "" is blank. */
void text_label(struct str *out, const char *label);

/* "    label:          value" in lines of that width, and a newline. */
void text_value(struct str *out, const char *label, size_t width, const char *fmt, ...)
    SB_PRINTF(4, 5);
#define text_item(out, label, ...) text_value(out, label, TEXT_WIDTH, __VA_ARGS__)
#define text_line(out, label, ...) text_value(out, label, TEXT_UNBOUND, __VA_ARGS__)

/* A block comes in two lengths.  The short one has no line for a figure that does not exist:
 * text_lines_end() names all of them with their reasons instead.  The long one has every line, and
 * wraps none. */
#define TEXT_REASONS 8 /* different ones in a block; further ones show as the last */
struct text_lines {
    struct str *out;
    enum text_detail detail;
    struct {
        const char *reason;
        struct str labels;
    } missing[TEXT_REASONS];
    size_t reasons;
};

/* For text_wrap: the width of a line that can be of any length. */
size_t text_lines_width(const struct text_lines *l);

/* The figure of this label does not exist.  `reason` is borrowed until text_lines_end. */
void text_missing(struct text_lines *l, const char *label, const char *reason);

/* The last lines of a block: what was missing, and an empty line. */
void text_lines_end(struct text_lines *l);

/* --- blocks: rows of figures --- */

/* A percentile of so few transactions is their maximum: it has a `*`, and its block this line. */
#define TEXT_FEW_MARK "*"
#define TEXT_FEW      "* of fewer samples than this percentile needs: the slowest of them"
static inline bool text_few(double point, uint64_t n)
{
    return n && n < find_needs(point);
}
/* text_ms(), marked where it has to be; then *few is set, and otherwise left alone. */
const char *text_point(char buf[40], int64_t ns, double point, uint64_t n, bool *few);
void text_few_line(struct str *out, bool few); /* "    * ..." if there was any */

/* A figure of a record (fields.h) ends where the heading of its column does; a missing one is
 * n/a. */
struct text_column {
    const char *head;
    int width, decimals;
    const char *figure;
    double scale;
};
struct figure;

/* A line of headings, and one of figures: each after a blank, without the beginning of the line. */
void text_heads(struct str *out, const struct text_column *c, size_t n);
void text_row(struct str *out, const struct text_column *c, size_t n, const struct figure *table,
              const struct snapshot *s, const void *of);

/* A name in the first column, `width` wide; a longer one has a line of its own. */
void text_name(struct str *out, const char *name, int width);

/* Latency series in ms under one head, p50 to mean; with `s` what --percentile lists is among them,
 * in ascending order.  What does not fit 80 columns is continued below. */
struct text_series {
    const char *label;
    const struct snapshot_series *v;
};
void text_series(struct str *out, int width, const struct snapshot *s,
                 const struct text_series *series, size_t n);

/* "0.143", "n/a" where there was no sample, or ">3600000.000" where only the bound is known.  All
 * return buf. */
const char *text_ms(char buf[40], int64_t ns);
/* So many digits, three of them decimals at most, never an exponent; "n/a" */
const char *text_digits(char buf[40], double v, int digits);
/* v in at most `width` characters: fewer digits, then k, M, G, T for thousands and so on */
const char *text_fit(char buf[32], double v, int width, int decimals);

/* --- intervals as a table ---
 *
 * For people who watch: columns under a header that is repeated every 20 rows, as in vmstat and
 * iostat, fitted to a width.
 *
 *                   response, ms                  --- server --- client
 *     time s     tps    p50    p95    p99  late err/s  usr%  sys%   cpu%
 *          1 1200.00  0.710  1.840  3.210     0  0.00   6.4   2.1    3.9
 *
 * Columns that the user requested have priority over others, and the most informative ones over the
 * rest; a figure that is unavailable has no column, and a line of its own gives the reason once.
 * Each header reads the width and the colours anew, so resizing the window takes effect at the next
 * header.  When a figure becomes available again, its column returns with a header at once. */

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

/* --- the columns of that table (text_columns.c) --- */

#define TEXT_COLUMNS_MAX 160
#define TEXT_COLUMN_NAME 48

enum text_colour { TEXT_PLAIN, TEXT_WARN, TEXT_BAD };

/* Priorities from here on: always shown, of a group that the user requested, if there is room. */
enum { TEXT_MAIN = 0, TEXT_ASKED = 20, TEXT_EXTRA = 60 };

/* One column of one interval. */
struct text_cell {
    char name[TEXT_COLUMN_NAME]; /* in the header, with its unit */
    const char *group;           /* the title above it; "" for none */
    int width;                   /* with the blank before it */
    int decimals;                /* at most */
    int priority;                /* lower goes first */
    double order;                /* from left to right */
    double v;                    /* when it is not missing */
    bool lower;                  /* the truth is at least v */
    bool few;                    /* a percentile of fewer transactions than it needs */
    enum text_colour colour;
    const char *missing; /* NULL, or why there is no figure; as long as the snapshot */
    bool passing;        /* the next interval may have one */
    /* the table's: its column is on the screen; it had a figure since the last header; it was left
     * out there because it had none, and returns as soon as it can */
    bool shown, seen, dropped;
};

/* The columns that this snapshot can have, from left to right; returns how many.  `sql`:
 * transactions are called tps, else eps. */
size_t text_cells(const struct snapshot *s, bool sql, struct text_cell cells[TEXT_COLUMNS_MAX]);

#endif
