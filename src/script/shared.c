/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See shared.h: making the state, joining and leaving it, and the C functions (natives) that its Lua side gets.
 */
#include "script/shared.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/mem.h"
#include "carry/carry.h"
#include "script/api.h"
#include "script/exports.h"
#include "script/luajit_cmd.h"
#include "script/makers.h"

/* Sources of results that are kept alive, as `held` in sysbench.sql.lua. */
#define HELD 8

struct shared_state {
    lua_State *L;
    struct shared_state **slot; /* where it is found */
    struct script *script;
    struct shared_client *first; /* all that ever joined */
    size_t here;                 /* those that have not left */
    /* references to the registry: the functions that sysbench.shared.lua returned, the metatable of sysbench.opt */
    int new_client, image, opt;
    unsigned quiet;              /* in a callback of the compiler */
};

/* See lost_note; one of the two is NULL. */
struct lost {
    sql_connection *con;
    sql_statement *stmt;
};

struct shared_client {
    struct shared_client *next;
    struct vm *vm;
    int thread, me, held; /* references to the registry: the coroutine, the table client() gives, the ring of HELD */
    int held_at;
    struct lost *lost;
    size_t nlost;
};

/* --- natives --- */

/* The table of the client that runs. */
static int native_client(lua_State *L)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm_of_context(cx)->place->me);
    else
        lua_pushnil(L);
    return 1;
}

/* Frees what the collector has found.  A copy, because more may be found while this waits. */
static void free_lost(struct script_context *cx)
{
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

/* The one place where a client of a shared state may be parked: see switch_note.  The collector stands still while a
 * finalizer runs (and at no other time: scripts cannot stop it here). */
static bool begin_wait(lua_State *L, struct script_context *cx)
{
    if (cx->shared->quiet || !lua_gc(L, LUA_GCISRUNNING, 0))
        return false;
    carry_pin(false);
    if (vm_of_context(cx)->place->nlost)
        free_lost(cx);
    return true;
}

static void end_wait(bool begun)
{
    if (begun)
        carry_pin(true);
}

/* wait(...): makes the call that was asked for last.  The arguments are there to stay alive. */
static int native_wait(lua_State *L)
{
    struct script_context *cx = context_get();
    bool begun = begin_wait(L, cx);
    double answer = asks_make(cx);

    end_wait(begun);
    lua_pushnumber(L, answer);
    return 1;
}

/* As wait(source, ...), and keeps the source of what may be a result. */
static int native_wait_held(lua_State *L)
{
    struct shared_client *place = vm_of_context(context_get())->place;

    place->held_at = place->held_at % HELD + 1;
    lua_rawgeti(L, LUA_REGISTRYINDEX, place->held);
    lua_pushvalue(L, 1);
    lua_rawseti(L, -2, place->held_at);
    lua_pop(L, 1);
    return native_wait(L);
}

static bool more_events(lua_State *L, int tid)
{
    bool begun = begin_wait(L, context_get());
    bool more = sb_more_events(tid);

    end_wait(begun);
    return more;
}

/* loop(thread_id, again): thread_run() of sysbench.lua. */
static int native_loop(lua_State *L)
{
    int tid = (int)luaL_checkinteger(L, 1);
    bool ok;

    lua_settop(L, 2);
    while (more_events(L, tid)) {
        sb_event_start(tid);
        lua_getfield(L, LUA_GLOBALSINDEX, "event");
        lua_pushvalue(L, 1);
        ok = lua_pcall(L, 1, 1, 0) == 0;
        if (!ok) {
            lua_pushvalue(L, 2);
            lua_insert(L, -2);
            lua_call(L, 1, 2);
            ok = lua_toboolean(L, -2);
        }
        if (lua_toboolean(L, -1)) {
            sb_event_cancel(tid);
            return 0;
        }
        if (ok)
            sb_event_stop(tid);
        lua_settop(L, 2);
    }
    return 0;
}

static int native_quiet(lua_State *L)
{
    struct script_context *cx = context_get();

    if (cx && cx->shared)
        cx->shared->quiet += (unsigned)luaL_checkinteger(L, 1);
    return 0;
}

/* load_file(path): a function with the client's globals, or nil and what is wrong. */
static int native_load_file(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);

    if (!(path ? makers_load_file(L, path) : luaL_loadfile(L, NULL)))
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

/* fresh_random(): random and randomseed of a math library of one's own. */
static int native_fresh_random(lua_State *L)
{
    lua_State *T = lua_newthread(L);

    lua_newtable(T);
    lua_replace(T, LUA_GLOBALSINDEX);
    lua_getfield(L, LUA_REGISTRYINDEX, "_LOADED"); /* where the library would find the state's own */
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

static int native_run(lua_State *L);

/* What an internal module gets as its second argument: run(name), with the other arguments of the first run. */
static int native_run_further(lua_State *L)
{
    luaL_checkstring(L, 1);
    lua_settop(L, 1);
    for (int i = 1; i <= 3; i++)
        lua_pushvalue(L, lua_upvalueindex(i));
    return native_run(L);
}

/* run(module, sysbench, globals, shared): an internal module, with these globals or the state's. */
static int native_run(lua_State *L)
{
    const struct internal_lua *m = api_text(luaL_checkstring(L, 1));

    lua_settop(L, 4);
    if (!m || makers_load_text(L, m->text, m->len, m->name))
        return lua_error(L);
    if (!lua_isnil(L, 3)) {
        lua_pushvalue(L, 3);
        lua_setfenv(L, -2);
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 4);
    lua_pushcclosure(L, native_run_further, 3);
    lua_pushvalue(L, 4);
    lua_call(L, 3, 0);
    return 0;
}

/* --- the state --- */

static const luaL_Reg natives[] = {
    {"client", native_client}, {"wait", native_wait}, {"wait_held", native_wait_held},
    {"loop", native_loop}, {"quiet", native_quiet}, {"load_file", native_load_file},
    {"fresh_random", native_fresh_random}, {NULL, NULL},
};

static int set_up(lua_State *L)
{
    struct shared_state *st = lua_touserdata(L, 1);
    const struct internal_lua *m = api_text("sysbench.shared.lua");

    api_open_libraries(L, st->script);
    api_declare(L, "asks.h");
    if (luaL_loadbuffer(L, m->text, m->len, m->name))
        return lua_error(L);
    lua_newtable(L);
    for (const luaL_Reg *f = natives; f->name; f++) {
        lua_pushcfunction(L, f->func);
        lua_setfield(L, -2, f->name);
    }
    lua_pushcfunction(L, native_run);
    lua_call(L, 2, 2);
    st->image = luaL_ref(L, LUA_REGISTRYINDEX);
    st->new_client = luaL_ref(L, LUA_REGISTRYINDEX);
    st->opt = LUA_NOREF;
    return 0;
}

static int open_state(struct shared_state *st, struct err *e)
{
    const char *command = opt_str(st->script->env.opts, "luajit-cmd");

    st->L = luaL_newstate();
    if (!st->L)
        return err_set(e, ERR_FAILED, "cannot create a Lua state: out of memory");
    if (lua_cpcall(st->L, set_up, st))
        return err_set(e, ERR_FAILED, "cannot set up a Lua state: %s", vm_error_text(st->L));
    return *command ? luajit_command(st->L, command, e) : 0;
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
    lua_createtable(L, HELD, 0);
    place->held = luaL_ref(L, LUA_REGISTRYINDEX);
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

    *place = (struct shared_client){.next = st->first, .vm = vm, .thread = LUA_NOREF, .me = LUA_NOREF,
                                    .held = LUA_NOREF};
    st->first = place;
    st->here++;
    vm->place = place;
    vm->cx.shared = st;
    if (lua_cpcall(st->L, add_client, vm) == 0)
        return 0;
    err_set(e, ERR_FAILED, "cannot set up a client in the Lua state of its worker: %s", vm_error_text(st->L));
    lua_pop(st->L, 1);
    return -1;
}

int shared_join(struct shared_state **slot, struct vm *vm, struct err *e)
{
    struct script_context *old = context_set(&vm->cx);
    bool was_pinned = carry_pin(true);
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
    carry_pin(was_pinned);
    context_set(old);
    return rc;
}

void shared_leave(struct vm *vm)
{
    struct shared_state *st = vm->cx.shared;
    struct shared_client *place = vm->place;
    struct vm_entry entry = vm_enter(vm);

    context_hang_up(&vm->cx);
    vm->cx.closing = true;
    for (size_t i = 0; i < place->nlost; i++)
        if (place->lost[i].stmt)
            sql_statement_free(place->lost[i].stmt);
    place->nlost = 0;
    /* what it had in Lua stays until all clients are gone, as they mostly are at once: its finalizers are not for
     * other clients to run */
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

/* --- finalizers --- */

static void note_lost(struct shared_client *place, struct lost what)
{
    place->lost = mem_grow(place->lost, place->nlost + 1, sizeof *place->lost);
    place->lost[place->nlost++] = what;
}

static bool owns(const struct script_context *cx, const sql_connection *con)
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
    if (!owns(cx, con))
        for (place = st->first; place && !owns(&place->vm->cx, con); place = place->next)
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
