/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cells of the tables whose columns are fixed (RFC 4180): steps-csv, ranks-csv, hosts-csv.  Each
 * function appends a comma and one cell, so the first cell of a row is the writer's.  Private to
 * src/report; any thread, no state.
 */
#ifndef SB_REPORT_CSV_CELLS_H
#define SB_REPORT_CSV_CELLS_H

#include <stdint.h>

#include "base/str.h"

void csv_count(struct str *out, uint64_t n);
/* Empty if it is not finite. */
void csv_number(struct str *out, double v);
/* ns as seconds; empty if it is negative. */
void csv_seconds(struct str *out, int64_t ns);
/* In quotes. */
void csv_text(struct str *out, const char *text);

#endif
