/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The marks of a snapshot as lines of the timeline: `[ 3.214s ] mark: new pool size`.
 */
#ifndef SB_REPORT_TEXT_MARKS_H
#define SB_REPORT_TEXT_MARKS_H

#include "base/str.h"
#include "report/snapshot.h"

/* Since measuring began, negative during a warm-up. */
dur_ns mark_elapsed(const struct snapshot *s, const struct mark *m);

void text_marks(struct str *out, const struct snapshot *s);

#endif
