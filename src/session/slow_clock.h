/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A clock that is slow to read: with the clock sources hpet, acpi_pm and xen every reading is a
 * system call or an access to a device, about a microsecond, and a transaction needs several.
 */
#ifndef SB_SESSION_SLOW_CLOCK_H
#define SB_SESSION_SLOW_CLOCK_H

#include "base/clock.h"
#include "base/str.h"

/* What one reading takes; 50 us are spent to find out. */
dur_ns slow_clock_cost(void);

/* The warning about a clock of that cost, one sentence; nothing if it is fast.  `sys_root` is
 * "/sys" outside tests. */
void slow_clock_warning(struct str *out, dur_ns cost, const char *sys_root);

#endif
