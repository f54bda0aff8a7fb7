/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One Lua state for all clients of a worker (--lua-state=worker).  A state of its own costs a
 * client some 150 KiB, and thousands of them make compiled code rare: each compiles for itself, and
 * what few clients get to run often enough stays interpreted.  In a shared state each client is a
 * coroutine with globals, libraries, modules and API tables of its own
 * (src/lua/internal/sysbench.shared.lua); chunks are compiled once (makers.h), and so are traces.
 *
 *     client opens:   shared_join      the first of a worker also makes the state
 *     client runs:    natives.wait     gives the worker to others (ask_note in asks.h)
 *     client ends:    shared_leave     its connections end now; the last one closes the state
 *
 * switch_note: a client gives way only in a C function that Lua called as such, never in one called
 * through FFI (compiled code keeps the state's current coroutine and stack where a switch would not
 * find them), in a finalizer (the collector is in the middle of its work) or in a callback of the
 * compiler. vm_enter() pins the client to its worker; natives.wait() lifts that for one call if
 * nothing of that kind is on the way.  LuaJIT notes anew which coroutine runs when a C function
 * returns to it, and when one calls Lua, so nothing has to be put right after a switch.
 *
 * lost_note: the collector runs in whatever client happens to allocate, and may find a connection
 * or a statement of another one, which may be waiting for an answer on the same connection.  So
 * finalizers only note what was lost; its owner frees it at its next call.
 *
 * What cannot be given to each: the metatable of strings, declarations and metatypes of FFI, the
 * collector, debug.sethook(), the default files of io.  docs/workers.md tells what follows.
 *
 * A state belongs to its worker's thread.
 */
#ifndef SB_SCRIPT_SHARED_H
#define SB_SCRIPT_SHARED_H

#include "script/host.h"

/* Makes a place for vm in the state at *slot, and the state if there is none.  -1: *e says why; the
 * vm is to be closed all the same. */
int shared_join(struct shared_state **slot, struct vm *vm, struct err *e);

/* Frees the vm, and the state with the last one. */
void shared_leave(struct vm *vm);

/* sysbench.opt is the same for all at first.  push: leaves the client's table on the stack; false:
 * there is none yet. keep: takes the first one, filled, from the stack and leaves the client's.
 * Both may raise Lua errors. */
bool shared_push_opt(lua_State *L, struct shared_state *st);
void shared_keep_opt(lua_State *L, struct shared_state *st);

/* Finalizers: see lost_note. */
void shared_lost_connection(struct shared_state *st, struct script_context *cx,
                            sql_connection *con);
void shared_lost_statement(sql_statement *stmt);

#endif
