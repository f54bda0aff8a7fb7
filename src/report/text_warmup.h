/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A warm-up that was to end by itself (--warmup-until), in words: for stderr when it is over, and
 * for the final report.
 */
#ifndef SB_REPORT_TEXT_WARMUP_H
#define SB_REPORT_TEXT_WARMUP_H

#include "base/str.h"
#include "report/snapshot.h"

/* One sentence without a full stop. */
void text_warmed(struct str *out, const struct snapshot_warmup *w);

/* Its block; nothing unless the option was given. */
void text_warmup(struct str *out, const struct snapshot *s);

#endif
