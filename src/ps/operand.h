/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `pstime 10 4711`: 4711 intervals, or process 4711?  The original tool had no count and was called
 * with $(pgrep mysqld) after the seconds; users of vmstat write a count there.  So /proc decides: a
 * number that belongs to a process is that process.  Private to src/ps
 *
 * If more operands follow, a number up to PS_SMALL is a count nevertheless: `pstime 1 5 4711` must
 * not depend on whether some process 5 runs.  Linux assigns pids up to that only once, at boot.
 * Kernel threads do not count as processes; -p names them.
 */
#ifndef SB_PS_OPERAND_H
#define SB_PS_OPERAND_H

#include <stdbool.h>

#include "base/str.h"

#define PS_SMALL 300

/* Up to here a number is probably a count (an hour of seconds), above it hardly. */
#define PS_LIKELY_COUNT 3600

/* True when the number `text`, right after SECONDS, is a process.  `next` is the operand after it,
 * NULL: none.  Adds a sentence to *note where the other meaning is as likely or likelier. */
bool ps_operand_is_process(const char *proc_root, const char *text, const char *next,
                           struct str *note);

#endif
