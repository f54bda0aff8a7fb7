/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the stages of a rate that changes, as metrics of the end of the run.
 */
#ifndef SB_REPORT_METRICS_STAGES_H
#define SB_REPORT_METRICS_STAGES_H

#include "report/metrics_text.h"

void metrics_stages(struct metrics *m, const struct snapshot *s);

#endif
