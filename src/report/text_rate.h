/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text that stock does not have: additions to an interval line, and the blocks Rate, Server and
 * Load generator of the final report.  Private to src/report
 */
#ifndef SB_REPORT_TEXT_RATE_H
#define SB_REPORT_TEXT_RATE_H

#include "base/str.h"
#include "report/snapshot.h"
#include "report/text_lines.h"
#include "report/text_verdict.h"

void text_interval_additions(struct str *out, const struct snapshot *s);

/* Blocks of the final report, each empty when the snapshot does not have its figures: Rate without
 * its last line, that last line, Server and Load generator. */
void text_rate(struct str *out, const struct snapshot *s);
void text_verdict(struct str *out, const struct snapshot *s, const struct text_verdict *v);
void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
