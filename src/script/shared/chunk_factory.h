/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: chunks for a Lua state that several clients share: each is compiled once,
 * and each client gets functions of its own, with its own globals, made of the same prototypes.
 * LuaJIT's traces belong to prototypes, so clients that compiled for themselves would each fill the
 * machine code with traces of their own.
 *
 * factory_note: Lua makes a new function of a known prototype in one way only: by running code that
 * says "function".  So the text is put between "return function(...) " and " end", on its first and
 * last lines, which leaves the numbers of all lines as they are.  The chunk that results is the
 * factory: it is given a client's globals (lua_setfenv) and run, and what it returns is the
 * client's function.  A text that compiles only without the frame (bytecode) is loaded by each
 * client for itself.
 */
#ifndef SB_SCRIPT_SHARED_CHUNK_FACTORY_H
#define SB_SCRIPT_SHARED_CHUNK_FACTORY_H

#include <lua.h>
#include <stddef.h>

/* Like luaL_loadbuffer() and luaL_loadfile(): a function with L's globals or an error on the
 * stack; 0 or Lua's error number.  `name` is also the key: the text that belongs to it must not
 * change; a file may.  The state's thread. */
int chunk_factory_load_text(lua_State *L, const char *text, size_t len, const char *name);
int chunk_factory_load_file(lua_State *L, const char *path);

#endif
