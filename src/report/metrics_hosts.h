/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the figures of each database host as metrics with the label "host", when
 * the clients are spread over several.  Counts are since measuring began, percentiles those of the
 * last report.
 */
#ifndef SB_REPORT_METRICS_HOSTS_H
#define SB_REPORT_METRICS_HOSTS_H

#include "report/metrics_text.h"
#include "report/snapshot.h"

void metrics_hosts(struct metrics *m, const struct snapshot *s);

#endif
