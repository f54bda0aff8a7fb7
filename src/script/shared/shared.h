/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: one Lua state for all clients of a worker (--workers=lua-state=worker).  A
 * state per client takes some 150 KiB each, and with thousands of them little code is compiled:
 * each state compiles for itself, and few run anything often enough.  In a shared state each client
 * is a coroutine with globals, libraries, modules and API tables of its own
 * (src/lua/internal/sysbench.shared.lua); chunks are compiled once (chunk_factory.c), and so are
 * traces.
 *
 *     client opens:   shared_join      the first of a worker also makes the state
 *     client runs:    functions.wait   gives the worker to others (defer_note in deferred.h)
 *     client ends:    shared_leave     its connections end now; the last one closes the state
 *
 * switch_note: a client gives way only in a C function that Lua called as such, never in one called
 * through FFI (compiled code keeps the state's current coroutine and stack where a switch would not
 * find them), in a finalizer (the collector is in the middle of its work) or in a callback of the
 * compiler. vm_enter() pins the client to its worker; functions.wait() lifts that for one call
 * unless one of the above is in progress.  LuaJIT sets the current coroutine when a C function
 * returns to Lua and when one calls Lua, so nothing has to be restored after a switch; but not when
 * one raises an error, which who has given way therefore must not do itself.  configure checks what
 * this relies on.
 *
 * lost_note: the collector runs in whatever client happens to allocate, and may find a connection
 * or a statement of another one, which may be waiting for an answer on the same connection.  So
 * finalizers only record what was lost; its owner frees it at its next call.
 *
 * What clients cannot have of their own: the metatable of strings, declarations and metatypes of
 * FFI, the collector, debug.sethook(), the default files of io.  docs/workers.md describes the
 * consequences.
 *
 * A state belongs to its worker's thread.
 */
#ifndef SB_SCRIPT_SHARED_SHARED_H
#define SB_SCRIPT_SHARED_SHARED_H

#include "script/vm.h"

/* Makes a place for vm in the state at *slot, and the state if there is none.  -1: *e says why;
 * the vm must be closed even so. */
int shared_join(struct shared_state **slot, struct vm *vm, struct err *e);

/* Frees the vm, and the state with the last one. */
void shared_leave(struct vm *vm);

/* sysbench.opt: the clients begin with the same values.  push: leaves the client's table on the
 * stack; false: there is none yet. keep: takes the first one, filled, from the stack and leaves the
 * client's.  Both may raise Lua errors. */
bool shared_push_opt(lua_State *L, struct shared_state *st);
void shared_keep_opt(lua_State *L, struct shared_state *st);

/*
 * chunk_factory.c: chunks for a Lua state that several clients share: each is compiled once,
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

/* Like luaL_loadbuffer() and luaL_loadfile(): a function with L's globals or an error on the
 * stack; 0 or Lua's error number.  `name` is also the key: the text that belongs to it must not
 * change; a file may.  The state's thread. */
int chunk_factory_load_text(lua_State *L, const char *text, size_t len, const char *name);
int chunk_factory_load_file(lua_State *L, const char *path);

/*
 * functions.c: plain C functions of Lua, functions.wait() and so on, which the Lua side of a shared
 * state (sysbench.shared.lua and the modules that it runs) gets as a table.
 */

/* Around what may wait, in a plain C function of Lua: the client gives way meanwhile where it may
 * (switch_note).  In a state of its own, or outside any: nothing. */
bool shared_begin_wait(lua_State *L);
void shared_end_wait(bool begun);

/* Finalizers: see lost_note. */
void shared_lost_connection(struct shared_state *st, struct script_context *cx,
                            sql_connection *con);
void shared_lost_statement(sql_statement *stmt);

/* Leaves the table of functions, and the function that runs an internal module: the arguments of
 * sysbench.shared.lua. */
void shared_push_functions(lua_State *L);

#endif
