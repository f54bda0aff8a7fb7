/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether a client library can run on fibers, and watches what it sends.
 */
#ifndef SB_FIBER_LIBRARY_H
#define SB_FIBER_LIBRARY_H

#include <stddef.h>

#include "base/err.h"

/* The dynamic linker resolves poll() to this program's; -1 with a sentence when it does not: then
 * there can be no workers.  Any thread. */
int hook_check(struct err *e);

/* The library that `function` belongs to waits by calling poll(), ppoll() or their checked forms by
 * name; -1 with a sentence when it does not.  0 also where that cannot be seen.  Any thread. */
int library_check(const void *function, struct err *e);

#endif
