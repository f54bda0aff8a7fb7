/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the load hosts in OpenMetrics, labelled by rank and host.
 */
#ifndef SB_REPORT_METRICS_RANKS_H
#define SB_REPORT_METRICS_RANKS_H

#include "report/metrics_text.h"
#include "report/snapshot.h"

void metrics_ranks(struct metrics *m, const struct snapshot *s);

#endif
