/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of a client in C: thread_run() of sysbench.lua says when and why.  Called as a plain C
 * function of Lua, so that a client of a shared state gives way in it (switch_note in
 * shared/shared.h).  An event is the script's global event(), looked up each time, or that of a mix
 * (mix.h).
 */
#include <lauxlib.h>

#include "script/api.h"
#include "script/exports.h"
#include "script/mix.h"
#include "script/shared/shared.h"

/* again(err): further attempts at an event that has ended in an error; returns whether one has
 * succeeded, and what it returned.  read_rest(thread_id): reads the results that an event has left
 * unread. */
enum { THREAD_ID = 1, AGAIN, READ_REST, ON_ERROR, ARGUMENTS = ON_ERROR };

enum outcome { FAILED, DONE, LAST };

static bool more_events(lua_State *L, const struct vm *vm)
{
    bool begun = vm->cx.shared && shared_begin_wait(L);
    bool more = sb_more_events(vm->cx.tid);

    shared_end_wait(begun);
    return more;
}

/* f(thread_id), f on top of the stack; leaves what it returns, or the error: false. */
static bool call(lua_State *L)
{
    lua_pushvalue(L, THREAD_ID);
    return lua_pcall(L, 1, 1, lua_isnil(L, ON_ERROR) ? 0 : ON_ERROR) == 0;
}

/* Runs the event once; FAILED leaves the error.  Results that it has left unread are part of it,
 * and so is an error among them. */
static enum outcome attempt(lua_State *L, struct vm *vm)
{
    if (vm->mix)
        return mix_attempt(L, vm) ? DONE : FAILED;
    lua_settop(L, ARGUMENTS);
    lua_getfield(L, LUA_GLOBALSINDEX, "event");
    if (!call(L))
        return FAILED;
    if (lua_toboolean(L, -1))
        return LAST;
    if (!sb_event_unread(vm->cx.tid))
        return DONE;
    lua_pushvalue(L, READ_REST);
    return call(L) ? DONE : FAILED;
}

/* The error is on top of the stack.  What again() raises ends the loop. */
static enum outcome try_again(lua_State *L)
{
    lua_pushvalue(L, AGAIN);
    lua_insert(L, -2);
    lua_call(L, 1, 2);
    enum outcome o = lua_toboolean(L, -1) ? LAST : lua_toboolean(L, -2) ? DONE : FAILED;
    lua_settop(L, ARGUMENTS);
    return o;
}

int loop_run(lua_State *L)
{
    int tid = (int)luaL_checkinteger(L, THREAD_ID);
    struct vm *vm = vm_of(L);

    if (!vm->cx.shared && !vm->mix)
        return 0;
    lua_settop(L, ARGUMENTS);
    while (more_events(L, vm)) {
        sb_event_start(tid);
        enum outcome o = attempt(L, vm);
        if (o == FAILED)
            o = try_again(L);
        if (o == LAST) {
            sb_event_cancel(tid);
            break;
        }
        if (o == DONE)
            sb_event_stop(tid);
    }
    lua_pushboolean(L, true);
    return 1;
}
