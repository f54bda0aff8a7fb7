/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The reports of sysbench 0.4.12 and 0.5, whose lines scripts still parse: interval lines, the
 * final and checkpoint report.  The dialects differ in titles, units and
 * in which lines there are, so a dialect is a row of the table in text_legacy.c.  text.c calls
 * these functions for every form that is old.
 *
 * `transactions` of 0.5 counts COMMIT and UNLOCK TABLES statements; that of 0.4 counts events.  A
 * run without events shows 0.00 as its shortest response time, and not the 18446744073709.55ms that
 * the old programs printed.
 *
 * Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_LEGACY_H
#define SB_REPORT_TEXT_LEGACY_H

#include "opt/generation.h"
#include "report/text_figures.h"

/* "[  10s] " */
void text_legacy_stamp(struct str *out, const struct snapshot *s);

/* An interval, without the stamp and the end of the line.  There is one form for all scripts. */
void text_legacy_interval(struct str *out, const struct snapshot *s, enum text_form text,
                          enum report_form form);

/* The statements, the summary and the fairness of threads. */
void text_legacy_cumulative(struct str *out, const struct snapshot *s, enum text_form text,
                            enum report_form form);

#endif
