/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The block "Load hosts" of the final report: a row for each rank, how its clock compares with the
 * leader's, and which ranks were lost or differ from the others.  Nothing with one load host.
 */
#ifndef SB_REPORT_TEXT_RANKS_H
#define SB_REPORT_TEXT_RANKS_H

#include "base/str.h"
#include "report/snapshot.h"

void text_ranks(struct str *out, const struct snapshot *s);

/* At the end of an interval's line: the ranks whose figures it lacks.  Nothing if there are none.
 */
void text_interval_ranks(struct str *out, const struct snapshot *s);

/* "1, 2 (lost)": the same ranks, behind `before`. */
void text_missing_ranks(struct str *out, const struct snapshot *s, const char *before);

#endif
