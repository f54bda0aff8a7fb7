/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See shared.h: making the state, joining and leaving it.
 */
#include "script/shared/shared.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fiber/sched.h"
#include "script/api.h"
#include "script/shared/state.h"

/* --- the state --- */

static int open_libraries(lua_State *L)
{
    const struct shared_state *st = lua_touserdata(L, 1);

    api_open_libraries(L, st->script);
    return 0;
}

static int set_up(lua_State *L)
{
    struct shared_state *st = lua_touserdata(L, 1);

    api_push_module(L, "sysbench.shared.lua");
    shared_push_functions(L);
    api_push_module(L, "sysbench.deferred.lua");
    lua_pushvalue(L, -3);
    lua_call(L, 1, 0);
    lua_call(L, 2, 2);
    st->image = luaL_ref(L, LUA_REGISTRYINDEX);
    st->new_client = luaL_ref(L, LUA_REGISTRYINDEX);
    st->opt = LUA_NOREF;
    return 0;
}

static int open_state(struct shared_state *st, struct err *e)
{
    const char *command = st->script->luajit_cmd;

    st->L = luaL_newstate();
    if (!st->L)
        return err_set(e, ERR_FAILED, "cannot create a Lua state: out of memory");
    if (lua_cpcall(st->L, open_libraries, st))
        return err_set(e, ERR_FAILED, "cannot set up a Lua state: %s", vm_error_text(st->L));
    if (*command &&
        api_luajit_command(st->L, command, e)) /* before require() becomes the clients' */
        return -1;
    if (lua_cpcall(st->L, set_up, st))
        return err_set(e, ERR_FAILED, "cannot set up a Lua state: %s", vm_error_text(st->L));
    return 0;
}

/* The last client is gone, or there never was one. */
static void close_state(struct shared_state *st)
{
    struct shared_client *next;

    if (st->L)
        lua_close(st->L);
    for (struct shared_client *c = st->first; c; c = next) {
        next = c->next;
        vm_free(c->vm);
        free(c->lost);
        free(c);
    }
    *st->slot = NULL;
    free(st);
}

/* --- clients --- */

/* Protected: makes the coroutine and its surroundings. */
static int add_client(lua_State *L)
{
    struct vm *vm = lua_touserdata(L, 1);
    struct shared_client *place = vm->place;

    vm->L = lua_newthread(L);
    lua_pushvalue(L, -1);
    place->thread = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_createtable(L, SHARED_KEPT, 0);
    place->kept = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_createtable(L, 0, 8);
    lua_insert(L, -2);
    lua_setfield(L, -2, "thread");
    lua_pushvalue(L, -1);
    place->me = luaL_ref(L, LUA_REGISTRYINDEX);

    lua_rawgeti(L, LUA_REGISTRYINDEX, vm->cx.shared->new_client);
    lua_insert(L, -2);
    api_push_sysbench(L, vm);
    lua_call(L, 2, 1);
    lua_xmove(L, vm->L, 1);
    lua_replace(vm->L, LUA_GLOBALSINDEX);
    return 0;
}

static int join(struct shared_state *st, struct vm *vm, struct err *e)
{
    struct shared_client *place = mem_alloc(sizeof *place);

    *place = (struct shared_client){
        .next = st->first, .vm = vm, .thread = LUA_NOREF, .me = LUA_NOREF, .kept = LUA_NOREF};
    st->first = place;
    st->here++;
    vm->place = place;
    vm->cx.shared = st;
    vm->cx.deferred = &place->deferred;
    if (lua_cpcall(st->L, add_client, vm) == 0)
        return 0;
    err_set(e, ERR_FAILED, "cannot set up a client in the Lua state of its worker: %s",
            vm_error_text(st->L));
    lua_pop(st->L, 1);
    return -1;
}

int shared_join(struct shared_state **slot, struct vm *vm, struct err *e)
{
    struct script_context *old = context_set(&vm->cx);
    bool was_pinned = sched_pin(true);
    int rc = 0;

    if (!*slot) {
        *slot = mem_alloc(sizeof **slot);
        (*slot)->slot = slot;
        (*slot)->script = vm->script;
        rc = open_state(*slot, e);
        if (rc)
            close_state(*slot);
    }
    if (rc == 0)
        rc = join(*slot, vm, e);
    sched_pin(was_pinned);
    context_set(old);
    return rc;
}

void shared_leave(struct vm *vm)
{
    struct shared_state *st = vm->cx.shared;
    struct shared_client *place = vm->place;
    struct script_context *old = context_set(&vm->cx);

    context_hang_up(&vm->cx); /* no Lua runs: others may have the worker meanwhile */
    context_set(old);
    struct vm_entry entry = vm_enter(vm);
    vm->cx.closing = true;
    for (size_t i = 0; i < place->nlost; i++)
        if (place->lost[i].stmt)
            sql_statement_free(place->lost[i].stmt);
    place->nlost = 0;
    /* what it had in Lua stays until all clients are gone, as they mostly are at once: its
     * finalizers are not for other clients to run */
    if (--st->here == 0) {
        if (entry.old == &vm->cx)
            entry.old = NULL;
        close_state(st);
    }
    vm_leave(entry);
}

/* --- sysbench.opt --- */

bool shared_push_opt(lua_State *L, struct shared_state *st)
{
    if (st->opt == LUA_NOREF)
        return false;
    lua_newtable(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->opt);
    lua_setmetatable(L, -2);
    return true;
}

void shared_keep_opt(lua_State *L, struct shared_state *st)
{
    lua_rawgeti(L, LUA_REGISTRYINDEX, st->image);
    lua_insert(L, -2);
    lua_call(L, 1, 1);
    st->opt = luaL_ref(L, LUA_REGISTRYINDEX);
    shared_push_opt(L, st);
}
