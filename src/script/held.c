/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where a script is when it has kept its worker for too long.  The question comes in a signal
 * handler, where a Lua state must not be touched but for one thing: LuaJIT, as Lua, lets a hook be
 * set at any moment.  The hook runs when the interpreter executes its next instruction, and there
 * the place can be read.  In compiled code that is when the trace is left; in a C function, when it
 * has returned; if the client blocks before, no place is known.
 */
#include <stdio.h>

#include "carry/carry.h"
#include "script/host.h"

/* Whom the signal found.  In a shared state a hook meets whoever runs next. */
static _Thread_local struct script_context *asked;

static void say_where(lua_State *L, lua_Debug *ar)
{
    char place[LUA_IDSIZE + 24];

    lua_sethook(L, NULL, 0, 0);
    if (context_get() != asked || !lua_getinfo(L, "Sl", ar))
        return;
    snprintf(place, sizeof place, "%s:%d", ar->short_src, ar->currentline);
    carry_held_at(place);
}

void script_client_held(void)
{
    struct script_context *cx = context_get();
    struct vm *vm;

    if (!cx || !cx->client || cx->closing)
        return;
    vm = vm_of_context(cx);
    asked = cx;
    if (vm->L && !lua_gethook(vm->L)) /* else the script has one of its own */
        lua_sethook(vm->L, say_where, LUA_MASKCOUNT, 1);
}
