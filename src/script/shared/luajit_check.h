/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: does this LuaJIT behave as shared states (shared.h) rely on?  Its manual
 * promises less, and other versions and builds of it are about.  So the program checks before a
 * run, in a state of its own, exactly these:
 *
 *   - Each coroutine has globals of its own (lua_replace(L, LUA_GLOBALSINDEX)), which a chunk that
 *     it loads gets.
 *   - A chunk factory (chunk_factory.h) makes functions of one prototype with those globals.
 *   - A plain C function may change to another C stack, on which another coroutine of the state
 *     runs, also inside pcall() and when the caller is compiled.  When the first stack is back,
 *     its coroutine goes on as if nothing had happened: locals, pcall() and errors are its own.
 *     The coroutines take turns in any order, and the collector may run in either meanwhile.
 *   - lua_gc(L, LUA_GCISRUNNING) is false in a finalizer, and true elsewhere.
 *   - A second math library has a random number generator of its own.
 *   - jit.attach(), table.new, package.searchpath, the four package.loaders, newproxy() and the
 *     registry's _LOADED are there.
 */
#ifndef SB_SCRIPT_SHARED_LUAJIT_CHECK_H
#define SB_SCRIPT_SHARED_LUAJIT_CHECK_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What is relied on, as functions, so that a test can put others in their place. */
struct luajit_traits {
    bool (*collecting)(lua_State *L);   /* the collector runs, and is not in a finalizer */
    void (*own_globals)(lua_State *co); /* takes them from the coroutine's stack */
    int (*load)(lua_State *L, const char *text, size_t len, const char *name);
    lua_CFunction fresh_random;
    void (*open_libraries)(lua_State *L);
};
extern const struct luajit_traits luajit_traits;

/* -1: *e says what is otherwise. */
int luajit_check(const struct luajit_traits *t, struct err *e);

/* How many states the clients of a run may share: `states`; 0 with a warning when the check fails.
 * Not called for 0 states. */
int luajit_check_states(int states, const struct luajit_traits *t);

#endif
