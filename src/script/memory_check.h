/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: do the Lua states of a run fit into memory?  A LuaJIT built without GC64
 * keeps the objects of all states of the process in the lowest part of the address space, and a
 * state that gets no memory there fails in the middle of the run.  So the need is estimated before
 * the run, from the main state, which has loaded the same script.
 */
#ifndef SB_SCRIPT_ROOM_H
#define SB_SCRIPT_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What such a LuaJIT has: MAP_32BIT on x86-64. */
#define LUA_MEMORY_BYTES ((size_t)1 << 30)

/* `state`: bytes of one state with the script in it; `shared` states are used by all clients, 0:
 * each has its own. -1: a sentence that says how many clients fit. */
int memory_check(bool gc64, size_t state, int clients, int shared, struct err *e);

#endif
