/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Running totals of growth that reports give piece by piece: the intervals add to a total while the
 * run goes on, the checkpoints and the summary correct it.  A total never falls.  It leaves out
 * what a report could not measure, so it is the growth that was seen.  Private to src/report
 */
#ifndef SB_REPORT_METRICS_TOTALS_H
#define SB_REPORT_METRICS_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/snapshot.h"

struct metrics_totals {
    struct metrics_total *total;
    size_t n;
};

/* A report of this kind says that `key` grew by `growth` in its period; returns the total.
 * `intervals`: there are interval reports, so checkpoints add nothing before the summary. */
double metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                    bool intervals, double growth);

/* The total when a report of this kind does not say how much `key` grew.  NULL: no report had the
 * key yet.  In the summary it is the sum of the checkpoints, when that is larger. */
const double *metrics_total(const struct metrics_totals *t, const char *key,
                            enum snapshot_kind kind);

void metrics_totals_free(struct metrics_totals *t);

#endif
