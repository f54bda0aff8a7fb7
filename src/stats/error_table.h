/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code: how many of each (number, SQLSTATE) there were, since when and until when, and
 * the text of the first.  Clients note an error as it happens; the reporting side reads all rows.
 *
 *     client -> error_table_note()     a row that is there: no lock; a new one: a short mutex
 *     report -> error_table_rows()     the rows so far, in the order of their first errors
 *
 * After ERROR_ROWS_MAX different codes, others are counted in one more row.  Texts come from
 * servers and may hold any bytes: a row's text is valid UTF-8 without control characters.
 */
#ifndef SB_STATS_ERROR_TABLE_H
#define SB_STATS_ERROR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"

#define ERROR_ROWS_MAX 64 /* without the row of the others */
#define ERROR_TEXT_MAX 256

struct error_row {
    int code;          /* the server's or the library's number; 0: it has none */
    char sqlstate[6];  /* "" if there is none */
    const char *class; /* a constant text: "deadlock"; "other" in the row of the others */
    char text[ERROR_TEXT_MAX + 4]; /* of the first; ends in "..." if it was cut */
    uint64_t count;
    mono_ns first, last;
};

struct error_table; /* opaque */

struct error_table *error_table_new(void);
void error_table_free(struct error_table *t); /* NULL is allowed */

/* Any thread.  sqlstate and text may be NULL; `class` lives as long as the table. */
void error_table_note(struct error_table *t, int code, const char *sqlstate, const char *class,
                      const char *text, mono_ns now);

/* Any thread.  `out` has room for ERROR_ROWS_MAX + 1; a row keeps its place in further calls, but
 * that of the others, which is the last. */
size_t error_table_rows(const struct error_table *t, struct error_row *out);

/* A text of any bytes as that of a row, `out` emptied first. */
void error_text_clean(char out[ERROR_TEXT_MAX + 4], const char *text);

#endif
