/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See shared.h.  shared_begin_wait() is the only place where a client of a shared Lua state gives
 * way to others, and where what its finalizers have noted is freed.
 */
#include "script/shared/shared.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fiber/sched.h"
#include "script/api.h"
#include "script/exports.h"
#include "script/legacy.h"
#include "script/shared/state.h"

/* --- finalizers --- */

static void note_lost(struct shared_client *place, struct lost what)
{
    place->lost = mem_grow(place->lost, place->nlost + 1, sizeof *place->lost);
    place->lost[place->nlost++] = what;
}

static bool owns_connection(const struct script_context *cx, const sql_connection *con)
{
    for (size_t i = 0; i < cx->nconnections; i++)
        if (cx->connection[i] == con)
            return true;
    return false;
}

void shared_lost_connection(struct shared_state *st, struct script_context *cx, sql_connection *con)
{
    struct shared_client *place = vm_of_context(cx)->place;

    /* who is not found has been freed: a script may call finalizers too */
    if (!owns_connection(cx, con))
        for (place = st->first; place && !owns_connection(&place->vm->cx, con); place = place->next)
            ;
    if (place && !place->vm->cx.closing)
        note_lost(place, (struct lost){.con = con});
}

void shared_lost_statement(sql_statement *stmt)
{
    struct script_context *owner = sql_connection_owner(stmt->connection);

    if (owner->closing) /* no longer connected: nothing to wait for */
        sql_statement_free(stmt);
    else
        note_lost(vm_of_context(owner)->place, (struct lost){.stmt = stmt});
}

/* --- plain C functions --- */

/* The table of the client that runs. */
static int fn_client(lua_State *L)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm_of_context(cx)->place->me);
    else
        lua_pushnil(L);
    return 1;
}

/* The one place where a client of a shared state may be parked: see switch_note.  The collector
 * is stopped while a finalizer runs, and at no other time: scripts cannot stop it here. */
bool shared_begin_wait(lua_State *L)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->shared || cx->shared->in_compiler || !lua_gc(L, LUA_GCISRUNNING, 0))
        return false;
    sched_pin(false);
    if (vm_of_context(cx)->place->nlost) {
        /* Frees what the collector has found.  A copy, because more may be found while this waits.
         */
        struct shared_client *place = vm_of_context(cx)->place;
        struct lost *lost = place->lost;
        size_t n = place->nlost;
        place->lost = NULL;
        place->nlost = 0;
        for (size_t i = 0; i < n; i++) {
            if (lost[i].stmt)
                sql_statement_free(lost[i].stmt);
            else
                context_release(cx, lost[i].con);
        }
        free(lost);
    }
    return true;
}

void shared_end_wait(bool begun)
{
    if (begun)
        sched_pin(true);
}

/* wait(...): makes the call that was deferred last.  The arguments are passed to stay alive. */
static int fn_wait(lua_State *L)
{
    struct script_context *cx = context_get();
    bool begun = shared_begin_wait(L);
    double answer = deferred_make(cx->deferred);

    shared_end_wait(begun);
    lua_pushnumber(L, answer);
    return 1;
}

/* wait(source, ...), and keeps the source alive as long as its result may be read. */
static int fn_wait_keeping(lua_State *L)
{
    struct shared_client *place = vm_of_context(context_get())->place;

    place->kept_at = place->kept_at % SHARED_KEPT + 1;
    lua_rawgeti(L, LUA_REGISTRYINDEX, place->kept);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, place->kept_at);
    lua_pop(L, 1);
    return fn_wait(L);
}

static int fn_in_compiler(lua_State *L)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        cx->shared->in_compiler += (unsigned)luaL_checkinteger(L, 1);
    return 0;
}

/* load_file(path): a function with the client's globals, or nil and what is wrong. */
static int fn_load_file(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);

    if (!(path ? chunk_factory_load_file(L, path) : luaL_loadfile(L, NULL)))
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

/* load_legacy(path), load_legacy(nil, module), load_legacy(nil, nil, module of our own): what
 * legacy.h has for it, as load_file(); nil: nothing. */
static int fn_load_legacy(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    const char *module = luaL_optstring(L, 2, NULL);
    const struct internal_lua *m = path     ? legacy_file(path)
                                   : module ? legacy_module(module)
                                            : own_module(luaL_checkstring(L, 3));
    char name[64];

    if (!m)
        return 0;
    legacy_chunk_name(m, name, sizeof name);
    if (chunk_factory_load_text(L, m->text, m->len, name))
        return lua_error(L);
    return 1;
}

/* fresh_random(): random and randomseed of a math library of one's own. */
static int shared_fresh_random(lua_State *L)
{
    lua_State *T = lua_newthread(L);

    lua_newtable(T);
    lua_replace(T, LUA_GLOBALSINDEX);
    /* where the library would find the state's own */
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_pushcfunction(T, luaopen_math);
    lua_pushliteral(T, "math");
    lua_call(T, 1, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "_LOADED");
    lua_getfield(T, 1, "random");
    lua_getfield(T, 1, "randomseed");
    lua_xmove(T, L, 2);
    return 2;
}

static int fn_run(lua_State *L);

/* What an internal module gets as its second argument: run(name), with the other arguments of
 * the first run. */
static int fn_run_further(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    for (int i = 1; i <= 3; i++)
        lua_pushvalue(L, lua_upvalueindex(i));
    return fn_run(L);
}

/* run(module, sysbench, globals, shared): an internal module, with these globals or the state's. */
static int fn_run(lua_State *L)
{
    const struct internal_lua *m = api_text(luaL_checkstring(L, 1));

    lua_settop(L, 4);
    if (!m || chunk_factory_load_text(L, m->text, m->len, m->name))
        return lua_error(L);
    if (!lua_isnil(L, 3)) {
        lua_pushvalue(L, 3);
        lua_setfenv(L, -2);
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 4);
    lua_pushcclosure(L, fn_run_further, 3);
    lua_pushvalue(L, 4);
    lua_call(L, 3, 0);
    return 0;
}

static const luaL_Reg functions[] = {
    {"client", fn_client},
    {"wait", fn_wait},
    {"wait_keeping", fn_wait_keeping},
    {"in_compiler", fn_in_compiler},
    {"load_file", fn_load_file},
    {"load_legacy", fn_load_legacy},
    {"fresh_random", shared_fresh_random},
    {NULL, NULL},
};

void shared_push_functions(lua_State *L)
{
    api_push_host(L);
    luaL_register(L, NULL, functions);
    lua_pushcfunction(L, fn_run);
}
