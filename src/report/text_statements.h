/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block of --report-statements: one line for each kind of statement of the run.
 */
#ifndef SB_REPORT_TEXT_STATEMENTS_H
#define SB_REPORT_TEXT_STATEMENTS_H

#include "base/str.h"
#include "report/snapshot.h"
#include "report/text_lines.h"

/* The share of the time in transactions that a kind took, per cent; NaN for kinds outside
 * transactions or when there was none. */
double statement_share(const struct snapshot *s, const struct stmt_figures *f);

/* The kind in words: its name, or its class. */
const char *statement_name(const struct stmt_figures *f);

/* Empty when it was not requested.  The brief form has the columns that fit beside the kind in
 * 80. */
void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
