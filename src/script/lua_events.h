/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: what went wrong, in the table that report hooks get.
 */
#ifndef SB_SCRIPT_LUA_EVENTS_H
#define SB_SCRIPT_LUA_EVENTS_H

#include <lua.h>

#include "report/snapshot.h"

/* Sets errors_by_code and incidents in the table at the top of the stack. */
void lua_events_set(lua_State *L, const struct snapshot *s);

#endif
