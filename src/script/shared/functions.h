/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: the shared C functions: plain C functions of Lua, functions.wait() and so
 * on, which the Lua side of a shared state (sysbench.shared.lua and the modules that it runs) gets
 * as a table.
 */
#ifndef SB_SCRIPT_SHARED_FUNCTIONS_H
#define SB_SCRIPT_SHARED_FUNCTIONS_H

#include <lua.h>

/* Leaves the table of functions, and the function that runs an internal module: the arguments of
 * sysbench.shared.lua. */
void shared_push_functions(lua_State *L);

/* fresh_random(): random and randomseed of a math library of one's own. */
int shared_fresh_random(lua_State *L);

#endif
