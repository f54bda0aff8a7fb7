/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: what the probe saw as fields of the table that report hooks get:
 * stat.server_events, stat.server_status and stat.host, each only when it was asked for.  A figure
 * that does not exist is nil.
 */
#ifndef SB_SCRIPT_LUA_PROBE_H
#define SB_SCRIPT_LUA_PROBE_H

#include <lua.h>

#include "report/snapshot.h"

/* Adds them to the table on top of the stack. */
void lua_probe_set(lua_State *L, const struct snapshot *s);

#endif
