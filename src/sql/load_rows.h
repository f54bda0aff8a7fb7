/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the loading of tables: the rows of the OLTP tables as text, made from a client's
 * random stream.  A row takes its draws in the order of src/lua/oltp_tables.lua (c, pad, k), so for
 * a seed these are the rows that the script would have made, with a twentieth of the work.
 *
 *     LOAD_TABS    12 TAB 4995 TAB 68487932199-96439406143-... TAB 22195207048-... NEWLINE
 *     LOAD_VALUES  (12, 4995, '68487932199-96439406143-...', '22195207048-...')
 *
 * Constant after load_rows_init(): any thread may use it, each with a stream of its own.
 */
#ifndef SB_SQL_LOAD_ROWS_H
#define SB_SQL_LOAD_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/dist.h"
#include "base/rng_skip.h"

#define LOAD_ROW_MAX 256 /* no row is longer */

/* COPY and LOAD DATA read the first, INSERT the second. */
enum load_form { LOAD_TABS, LOAD_VALUES };

struct load_rows {
    const struct dist_params *dist; /* what k is drawn from: 1 .. last */
    uint64_t last;
    struct rng_skip texts; /* over the draws of c and pad */
};

void load_rows_init(struct load_rows *l, const struct dist_params *dist, uint64_t table_size);

/* Writes the next row of the stream, without a NUL; returns its length. */
size_t load_row(const struct load_rows *l, struct rng *r, uint64_t id, enum load_form form,
                char *out);

/* The stream as it is n rows later. */
void load_rows_skip(const struct load_rows *l, struct rng *r, uint64_t n);

#endif
