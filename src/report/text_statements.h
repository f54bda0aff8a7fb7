/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block of --report-statements: one line for each kind of statement of the run.
 */
#ifndef SB_REPORT_TEXT_STATEMENTS_H
#define SB_REPORT_TEXT_STATEMENTS_H

#include "base/str.h"
#include "report/snapshot.h"
#include "report/text_lines.h"

/* What share of the time in transactions a kind took, per cent; NaN for what is no part of them or
 * when there was none. */
double statement_share(const struct snapshot *s, const struct kind_figures *f);

/* The kind in words: its name, or its class. */
const char *statement_name(const struct kind_figures *f);

/* Nothing when it was not asked for.  In brief the columns are those that fit beside the kind
 * in 80. */
void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
