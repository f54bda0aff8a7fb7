/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Can a client library be carried?
 */
#ifndef SB_CARRY_LIBRARY_H
#define SB_CARRY_LIBRARY_H

#include <stdbool.h>

#include "base/err.h"

/* Does the dynamic linker lead everybody to this program's poll()?  Else nothing can be carried.  Any thread. */
bool hook_is_in_place(void);

/* The library that `function` belongs to waits by calling poll(), ppoll() or their checked forms by
 * name; -1 with a sentence when it does not.  0 also where that cannot be seen.  Any thread. */
int library_check(const void *function, struct err *e);

#endif
