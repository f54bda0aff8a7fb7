/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: what every Lua state of a script gets, whether it is a client's own
 * (host.c) or shared by several (shared.c): libraries, search paths, print(), the C declarations,
 * the table `sysbench` as the host fills it.  All of it may raise Lua errors: for protected calls.
 */
#ifndef SB_SCRIPT_API_H
#define SB_SCRIPT_API_H

#include "base/str.h"
#include "script/vm.h"
#include "script/internal_lua.h"

/* A text that is built into the program; NULL: there is none of that name. */
const struct internal_lua *api_text(const char *name);

/* Appends the search path of modules, LUA_PATH included. */
void api_search_path(struct str *out);

/* The standard libraries, package.path and cpath, the searches of require(), print(), the global
 * ffi and our declarations. */
void api_open_libraries(lua_State *L, struct script *s);
/* Leaves an internal module as a function. */
void api_push_module(lua_State *L, const char *name);

/* Leaves the table sysbench on the stack, with what the host puts into it. */
void api_push_sysbench(lua_State *L, const struct vm *vm);

/* lua_options.c: sysbench.cmdline.print_test_options() */
int lua_options_print(lua_State *L);

/* Leaves a table of plain C functions, `host` in the internal modules; functions.c adds more for
 * a shared state. */
void api_push_host(lua_State *L);

/* host.loop(thread_id, again, read_rest, on_error): loop.c */
int loop_run(lua_State *L);

/* sysbench.mix(): mix.c */
int mix_say(lua_State *L);

/* --luajit-cmd: what `luajit -j` takes (sysbench.luajit_cmd.lua), for every Lua state before the
 * script is loaded into it.  -1: there is no such command, or it raised an error; *e names the
 * option.  The stack is as before. */
int api_luajit_command(lua_State *L, const char *command, struct err *e);

#endif
