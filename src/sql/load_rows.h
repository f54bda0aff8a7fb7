/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the loading of tables: the rows of the OLTP tables as text, made from a client's
 * random stream.  A row takes its draws in the order of src/lua/oltp_tables.lua (c, pad, k), so for
 * a seed these are the rows that the script would have made, with a tenth of the work.
 *
 *     LOAD_TABS    12 TAB 4995 TAB 68487932199-96439406143-... TAB 22195207048-... NEWLINE
 *     LOAD_VALUES  (12, 4995, '68487932199-96439406143-...', '22195207048-...')
 *
 * struct load_rows is constant after load_rows_init(): any thread may use it.  A struct load_maker
 * is one thread's.
 */
#ifndef SB_SQL_LOAD_ROWS_H
#define SB_SQL_LOAD_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/dist.h"
#include "base/rng_skip.h"
#include "sql/load_digits.h"

#define LOAD_ROW_MAX 256 /* no row is longer */

/* COPY and LOAD DATA read the first, INSERT the second. */
enum load_form { LOAD_TABS, LOAD_VALUES };

struct load_rows {
    const struct dist_params *dist; /* what k is drawn from: 1 .. last */
    uint64_t last;
    struct rng_skip texts; /* over the draws of c and pad */
};

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size);

/* The stream as it is n rows later. */
void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n);

/* Makes the rows of a stream, a few ahead. */
struct load_maker {
    const struct load_rows *l;
    struct rng rng; /* behind the rows that are made */
    unsigned at;    /* the next of them; LOAD_LANES: none are left */
    uint64_t k[LOAD_LANES];
    char digits[LOAD_LANES][LOAD_DIGITS_BYTES];
};

void load_maker_init(struct load_maker *m, const struct load_rows *l, const struct rng *r);

/* Writes the next row, without a NUL; returns its length. */
size_t load_row(struct load_maker *m, uint64_t id, enum load_form form, char *out);

#endif
