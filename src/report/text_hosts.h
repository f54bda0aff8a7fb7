/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block of the final report about the database hosts that the clients
 * were spread over: who did how much, and how fast.  Pure rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_HOSTS_H
#define SB_REPORT_TEXT_HOSTS_H

#include "base/str.h"
#include "report/snapshot.h"

/* Nothing with one host, or where the report is stock's alone. */
void text_hosts(struct str *out, const struct snapshot *s);

#endif
