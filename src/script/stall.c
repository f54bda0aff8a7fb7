/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where a client is that stalls its worker, or has used up its C stack.  The question comes in a
 * signal handler, where a Lua state must not be touched, with one exception: LuaJIT, like Lua, lets
 * a hook be set at any moment. The hook runs when the interpreter executes its next instruction,
 * and reads the place. In compiled code that is when the trace is left; in a C function, when it
 * returns.  If the client blocks before, the place stays unknown.
 *
 * When the C stack is used up, nothing runs any more in that thread, and its state is read as it
 * is: base/overflow.c survives a fault in that.
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

/* C functions and modules without lines have no current line. */
static bool is_of_script(const lua_Debug *ar)
{
    return ar->currentline > 0 && !api_text(ar->source) &&
           strcmp(ar->source, DEFERRED_MODULE_NAME) != 0;
}

#define PLACE (LUA_IDSIZE + 24)

/* The line of the script that runs; false: it is not known. */
static bool find_place(lua_State *L, char place[PLACE])
{
    lua_Debug ar;

    for (int level = 0; level < FRAMES && lua_getstack(L, level, &ar); level++) {
        if (!lua_getinfo(L, "Sl", &ar) || !is_of_script(&ar))
            continue;
        snprintf(place, PLACE, "%s:%d", ar.short_src, ar.currentline);
        return true;
    }
    return false;
}

static void say_where(lua_State *L, lua_Debug *hook)
{
    char place[PLACE];

    (void)hook;
    lua_sethook(L, NULL, 0, 0);
    if (context_get() == stalling && find_place(L, place))
        sched_stalled_at(place);
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

/* --- an event without end --- */

static _Thread_local struct script_context *overdue;
static _Thread_local char overdue_place[PLACE + 2]; /* where it was interrupted; "": not known */

/* Raised again at each instruction, so that no pcall() of the script stops it. */
static void raise_overdue(lua_State *L, lua_Debug *hook)
{
    char place[PLACE];

    (void)hook;
    if (context_get() != overdue)
        return;
    if (!overdue_place[0] && find_place(L, place))
        snprintf(overdue_place, sizeof overdue_place, "%s: ", place);
    lua_pushfstring(
        L, "%sthe event has done nothing but compute since the time limit: is it an endless loop?",
        overdue_place);
    lua_error(L);
}

int script_client_overdue(void)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->client || cx->closing)
        return -1;
    overdue = cx;
    overdue_place[0] = '\0';
    if (vm_of_context(cx)->L)
        lua_sethook(vm_of_context(cx)->L, raise_overdue, LUA_MASKCOUNT, 1);
    return cx->tid;
}

void script_client_overdue_end(lua_State *L)
{
    if (lua_gethook(L) == raise_overdue)
        lua_sethook(L, NULL, 0, 0);
}

/* --- a C stack that is used up --- */

/* First the client: the state may be in no condition to be read. */
void script_overflow_place(char *out, size_t size)
{
    struct script_context *cx = context_get();
    char who[32] = "the script", place[PLACE];

    if (!cx)
        return;
    if (cx->client)
        snprintf(who, sizeof who, "client %d", cx->tid);
    snprintf(out, size, "%s", who);
    if (vm_of_context(cx)->L && find_place(vm_of_context(cx)->L, place))
        snprintf(out, size, "%s at %s", who, place);
}
