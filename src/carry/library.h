/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Can a client library be carried?
 */
#ifndef SB_CARRY_LIBRARY_H
#define SB_CARRY_LIBRARY_H

#include "base/err.h"

/* The dynamic linker leads everybody to this program's poll(); -1 with a sentence when it does not:
 * then nothing can be carried.  Any thread. */
int hook_check(struct err *e);

/* The library that `function` belongs to waits by calling poll(), ppoll() or their checked forms by
 * name; -1 with a sentence when it does not.  0 also where that cannot be seen.  Any thread. */
int library_check(const void *function, struct err *e);

#endif
