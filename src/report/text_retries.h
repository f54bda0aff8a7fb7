/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block of the final report about transactions that were run again after
 * an error, and the one about connections.  Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_RETRIES_H
#define SB_REPORT_TEXT_RETRIES_H

#include "base/str.h"
#include "report/snapshot.h"

/* Nothing when there were none.  Where the report is stock's alone, nothing but what went wrong: a
 * deadlock that was retried is in its "ignored errors". */
void text_retries(struct str *out, const struct snapshot *s);

/* Clients that were refused, lost connections that were replaced, and those without prepared
 * statements.  Nothing where the report is stock's alone, or there is nothing to say. */
void text_connections(struct str *out, const struct snapshot *s);

#endif
