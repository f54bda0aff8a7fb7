/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Do the Lua states of a run fit?  A LuaJIT that was not built with GC64 keeps all its objects in
 * the lowest part of the address space, for all states of the process together, and a state that
 * gets no memory there dies in the middle of things.  So the need is estimated before the run, from
 * the main state, which has loaded the same script.
 */
#ifndef SB_SCRIPT_ROOM_H
#define SB_SCRIPT_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What such a LuaJIT can count on: MAP_32BIT on x86-64. */
#define ROOM_BYTES ((size_t)1 << 30)

/* `state`: bytes of one state with the script in it; `shared` states are used by all clients, 0:
 * each has its own. -1: a sentence that says how many clients fit. */
int room_check(bool gc64, size_t state, int clients, int shared, struct err *e);

#endif
