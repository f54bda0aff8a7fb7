/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: --luajit-cmd: what `luajit -j` takes, for every Lua state before the
 * script is loaded into it.
 */
#ifndef SB_SCRIPT_LUAJIT_CMD_H
#define SB_SCRIPT_LUAJIT_CMD_H

#include <lua.h>

#include "base/err.h"

/* Keeps where LuaJIT itself looks for modules; before package.path is replaced.  Not protected:
 * may raise. */
void luajit_keep_path(lua_State *L);

/*
 * "NAME" or "NAME=ARGUMENT[,ARGUMENT...]": calls jit.NAME, or the function start() of the module
 * jit.NAME, with the arguments as strings.  -1: there is neither, or it raised an error; *e names
 * the option.  The stack is as before.
 */
int luajit_command(lua_State *L, const char *command, struct err *e);

#endif
