/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --workers=lua-state: does each client have a Lua state of its own, or do the clients of a worker
 * share one?
 */
#ifndef SB_SCRIPT_LUA_STATES_H
#define SB_SCRIPT_LUA_STATES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/plan.h"

enum lua_state_choice { LUA_STATE_AUTO, LUA_STATE_CLIENT, LUA_STATE_WORKER };

/* The option; its row is engine/plan.c's. */
enum lua_state_choice lua_states_read(const struct opts *o);

/* Workers whose clients share a state; 0: each client has its own. */
int lua_states(enum lua_state_choice choice, const struct plan *p);

/* -1: the option was given and cannot be had with a thread for each client.  Called when the
 * options are read, unless workers may still become the default (plan_may_use_workers), and for a
 * run once that is decided.  `why`: the sentence of what kept workers from being the default; ""
 * when nothing but the script or the number of clients did. */
int lua_states_check(enum lua_state_choice choice, const struct plan *p, const char *why,
                     struct err *e);

/*
 * Do the Lua states of a run fit into memory?  A LuaJIT built without GC64 keeps the objects of all
 * states of the process in the lowest part of the address space, and a state that gets no memory
 * there fails in the middle of the run.  So the need is estimated before the run, from the main
 * state, which has loaded the same script.
 */

/* What such a LuaJIT has: MAP_32BIT on x86-64. */
#define LUA_MEMORY_BYTES ((size_t)1 << 30)

/* `state`: bytes of one state with the script in it; `shared` states are used by all clients, 0:
 * each has its own. -1: a sentence that says how many clients fit. */
int memory_check(bool gc64, size_t state, int clients, int shared, struct err *e);

#endif
