/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where a client is that stalls its worker.  The question comes in a signal handler, where a Lua
 * state must not be touched, with one exception: LuaJIT, like Lua, lets a hook be set at any
 * moment. The hook runs when the interpreter executes its next instruction, and reads the place. In
 * compiled code that is when the trace is left; in a C function, when it returns.  If the client
 * blocks before, the place stays unknown.
 *
 * The place is a line of the script: a frame of our own modules, which it has called or which call
 * it, tells the user nothing.
 */
#include <stdio.h>
#include <string.h>

#include "fiber/sched.h"
#include "script/api.h"
#include "script/host.h"
#include "script/shared/deferred.h"

#define FRAMES 64 /* of ours, above the script's */

/* The client that stalls.  In a shared state the hook runs for whichever client is next. */
static _Thread_local struct script_context *stalling;

/* Tells the line of the script that runs, if there is one: C functions and modules without lines
 * have no current line. */
static void say_where(lua_State *L, lua_Debug *hook)
{
    char place[LUA_IDSIZE + 24];
    lua_Debug ar;

    (void)hook;
    lua_sethook(L, NULL, 0, 0);
    for (int level = 0; context_get() == stalling && level < FRAMES; level++) {
        if (!lua_getstack(L, level, &ar))
            return;
        if (!lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0 || api_text(ar.source) ||
            strcmp(ar.source, DEFERRED_MODULE_NAME) == 0)
            continue;
        snprintf(place, sizeof place, "%s:%d", ar.short_src, ar.currentline);
        sched_stalled_at(place);
        return;
    }
}

void script_client_stalled(void)
{
    struct script_context *cx = context_get();
    struct vm *vm;

    if (!cx || !cx->client || cx->closing)
        return;
    vm = vm_of_context(cx);
    stalling = cx;
    if (vm->L && !lua_gethook(vm->L)) /* else the script has one of its own */
        lua_sethook(vm->L, say_where, LUA_MASKCOUNT, 1);
}
