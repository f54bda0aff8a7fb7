/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stages of a rate that changes, in the final report: their planned rates and their figures
 * side by side, and whether each was sustained.
 */
#ifndef SB_REPORT_TEXT_STAGES_H
#define SB_REPORT_TEXT_STAGES_H

#include "base/str.h"
#include "report/snapshot.h"

/* Nothing with fewer than two stages. */
void text_stages(struct str *out, const struct snapshot *s);

/* What the target was, for the Rate block: "500:60s, 500-2000:5m"; "" without stages. */
void text_stage_list(struct str *out, const struct snapshot *s);

#endif
