/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: the block of --server-syscalls in the final report.  Pure rendering; any
 * thread may call.
 */
#ifndef SB_REPORT_TEXT_SYSCALLS_H
#define SB_REPORT_TEXT_SYSCALLS_H

#include "report/text_lines.h"
#include "report/snapshot.h"

void text_syscalls(struct str *out, const struct snapshot *s, enum text_detail detail);

#endif
