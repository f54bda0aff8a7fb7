/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block of the final report about transactions that were run again after
 * an error.  Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_RETRIES_H
#define SB_REPORT_TEXT_RETRIES_H

#include "base/str.h"
#include "report/snapshot.h"

/* Nothing when there were none.  Where the report is stock's alone, nothing but what went wrong: a
 * deadlock that was retried is in its "ignored errors". */
void text_retries(struct str *out, const struct snapshot *s);

#endif
