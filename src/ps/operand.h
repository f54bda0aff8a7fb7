/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `pstime 10 4711`: 4711 intervals, or process 4711?  The original tool had no count and was called
 * with $(pgrep mysqld) behind the seconds; users of vmstat write a count there.  So /proc decides:
 * a number that belongs to a process is that process.
 *
 * If more operands follow, a number up to PS_SMALL is a count all the same: `pstime 1 5 4711` must
 * not depend on whether some process 5 runs.  Linux assigns pids up to that only once, at boot.
 * Kernel threads do not count as processes: whoever means one says -p.
 */
#ifndef SB_PS_OPERAND_H
#define SB_PS_OPERAND_H

#include <stdbool.h>

#include "base/str.h"

#define PS_SMALL 300

/* Up to here a number may well be a count (an hour of seconds), above it hardly. */
#define PS_LIKELY_COUNT 3600

/* Is the number `text`, right behind SECONDS, a process?  `next` is the operand behind it, NULL:
 * none.  A sentence is added to *note where the other reading is as likely or likelier. */
bool ps_operand_is_process(const char *proc_root, const char *text, const char *next,
                           struct str *note);

#endif
