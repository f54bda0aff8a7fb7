/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the machine's columns as text, named as vmstat names them.  Pure
 * rendering; any thread may call.
 */
#ifndef SB_REPORT_TEXT_HOST_H
#define SB_REPORT_TEXT_HOST_H

#include "base/str.h"
#include "report/text_lines.h"
#include "report/snapshot.h"

/* " | host r 2 b 0 swpd ... st 0.0 | disk ... | net ... | psi ... | mhz ... throttled ..." */
void text_interval_host(struct str *out, const struct snapshot *s);

void text_host(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
