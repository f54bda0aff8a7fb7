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

/* The standard libraries, package.path and cpath, print(), the global ffi and our declarations. */
void api_open_libraries(lua_State *L, const struct script *s);
/* ffi.cdef(declarations) */
void api_declare(lua_State *L, const char *declarations);

/* Leaves the table sysbench on the stack, with what the host puts into it. */
void api_push_sysbench(lua_State *L, const struct vm *vm);

/* lua_options.c: sysbench.cmdline.print_test_options() */
int lua_options_print(lua_State *L);

/*
 * luajit_cmd.c, --luajit-cmd: what `luajit -j` takes, for every Lua state before the script is
 * loaded into it.
 */

/* Keeps where LuaJIT itself looks for modules; before package.path is replaced.  Not protected:
 * may raise. */
void luajit_keep_path(lua_State *L);

/*
 * "NAME" or "NAME=ARGUMENT[,ARGUMENT...]": calls jit.NAME, or the function start() of the module
 * jit.NAME, with the arguments as strings.  -1: there is neither, or it raised an error; *e names
 * the option.  The stack is as before.
 */
int luajit_command(lua_State *L, const char *command, struct err *e);

/*
 * redeclared.c: declarations that a script repeats.  ffi.cdef() accepts a function or an opaque
 * type any number of times, but refuses a second enum with the same names, and makes of a second
 * struct another type, which our functions do not accept.  So a declaration that equals ours is
 * removed from the script's text: a
 *
 *     typedef struct { ... } name;        typedef enum { ... } name;
 *
 * without a tag that means the same as ours of that name, whatever its blanks, comments and
 * explicit enum values.  Everything else is left to FFI.
 */

/* The script's text without those that `ours` has, lines kept; to be freed.  NULL: it has none. */
char *redeclared_remove(const char *text, const char *const *ours, size_t n);

#endif
