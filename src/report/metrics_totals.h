/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Growth that reports tell piece by piece, as running totals: what intervals add while the run goes
 * on, put right by what the checkpoints and the summary say of the whole.  A total never falls.
 * What a report could not tell is not in it, so a total is the growth that was seen.
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
 * `intervals`: interval reports come, so checkpoints tell nothing new before the summary. */
double metrics_grow(struct metrics_totals *t, const char *key, enum snapshot_kind kind,
                    bool intervals, double growth);

/* The total when a report of this kind does not say how much `key` grew.  NULL: nothing was seen of
 * it yet.  In the summary it is what the checkpoints saw, when that is more. */
const double *metrics_total(const struct metrics_totals *t, const char *key,
                            enum snapshot_kind kind);

void metrics_totals_free(struct metrics_totals *t);

#endif
