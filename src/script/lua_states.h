/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --workers=lua-state: does each client have a Lua state of its own, or do the clients of a worker
 * share one?
 */
#ifndef SB_SCRIPT_LUA_STATES_H
#define SB_SCRIPT_LUA_STATES_H

#include "engine/plan.h"

enum lua_state_choice { LUA_STATE_AUTO, LUA_STATE_CLIENT, LUA_STATE_WORKER };

/* The option; its row is engine/plan_clients.c's. */
enum lua_state_choice lua_states_read(const struct opts *o);

/* Workers whose clients share a state; 0: each client has its own. */
int lua_states(enum lua_state_choice choice, const struct plan *p);

/* -1: the option was given and cannot be had with a thread for each client.  Called when the
 * options are read, unless workers may still become the default (plan_may_use_workers), and for a
 * run once that is decided.  `why`: the sentence of what kept workers from being the default; ""
 * when nothing but the script or the number of clients did. */
int lua_states_check(enum lua_state_choice choice, const struct plan *p, const char *why,
                     struct err *e);

#endif
