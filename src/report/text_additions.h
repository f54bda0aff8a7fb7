/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Our blocks after stock's cumulative report, in their order: warm-up, rate, verdict, errors by
 * code, outages, retries, connections, server and load generator, statements, commands, stages,
 * phases, profile.
 */
#ifndef SB_REPORT_TEXT_ADDITIONS_H
#define SB_REPORT_TEXT_ADDITIONS_H

#include "base/str.h"
#include "report/run_info.h"
#include "report/text_lines.h"
#include "report/text_verdict.h"

/* A checkpoint's or the final report's; blocks that do not apply are left out. */
void text_additions(struct str *out, const struct snapshot *s, const struct text_verdict *v,
                    const struct report_info *info, enum text_detail detail);

/* What is left to report of a run that ends without a final snapshot. */
void text_ending(struct str *out, const struct report_info *info);

#endif
