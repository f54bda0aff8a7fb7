/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors by code and incidents as counters with labels, and at the end of a run its outages, its
 * connections and what --worker-batch did.  Private to src/report
 */
#ifndef SB_REPORT_METRICS_ERRORS_H
#define SB_REPORT_METRICS_ERRORS_H

#include "report/metrics_text.h"

/* Every code that has occurred until now, so that no series ends while the run lasts. */
void metrics_errors(struct metrics *m, const struct snapshot *s);

#endif
