/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening a Lua state of one's own (api.h, then the internal modules) or a place in a shared one
 * (shared.h), then the script; and every entry of C into either.  A script given as a file or on
 * stdin is read once and every state gets the same text, in the form that the main state has
 * compiled (chunks.h); a module is left to require().  Whatever can raise a Lua error happens
 * inside a protected call.
 */
#include "script/host.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "carry/carry.h"
#include "script/api.h"
#include "script/luajit_cmd.h"
#include "script/makers.h"
#include "script/shared.h"

/* In the order in which they are run; each gets the table `sysbench`. */
static const char *const modules[] = {"sysbench.lua", "sysbench.cmdline.lua", "sysbench.rand.lua",
                                      "sysbench.sql.lua", "sysbench.lazy.lua"};

static const char vm_key[] = "sysbench.vm";

struct vm *vm_of(lua_State *L)
{
    struct script_context *cx = context_get();
    struct vm *vm;

    if (cx)
        return vm_of_context(cx);
    lua_getfield(L, LUA_REGISTRYINDEX, vm_key);
    vm = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return vm;
}

const char *vm_error_text(lua_State *L)
{
    const char *text = lua_tostring(L, -1);

    return text ? text : "(not a string)";
}

/* Runs an internal module; its arguments: the table sysbench, and what runs another one. */
static void run_module(lua_State *L, struct vm *vm, const char *name, int table);

/* sysbench.lazy.lua gets this: run_module(name). */
static int api_run_module(lua_State *L)
{
    run_module(L, lua_touserdata(L, lua_upvalueindex(1)), luaL_checkstring(L, 1),
               lua_upvalueindex(2));
    return 0;
}

static void run_module(lua_State *L, struct vm *vm, const char *name, int table)
{
    const struct internal_lua *m = api_text(name);

    if (chunks_load_text(&vm->script->chunks, L, m->text, m->len, m->name, 1))
        lua_error(L);
    lua_pushvalue(L, table);
    lua_pushlightuserdata(L, vm);
    lua_pushvalue(L, table);
    lua_pushcclosure(L, api_run_module, 2);
    lua_call(L, 2, 0);
}

/* Runs as a protected C function: builds the whole API. */
static int set_up(lua_State *L)
{
    struct vm *vm = lua_touserdata(L, 1);

    lua_pushlightuserdata(L, vm);
    lua_setfield(L, LUA_REGISTRYINDEX, vm_key);
    api_open_libraries(L, vm->script);
    api_push_sysbench(L, vm);
    lua_pushvalue(L, -1);
    lua_setglobal(L, "sysbench");
    chunks_serve_require(&vm->script->chunks, L);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        run_module(L, vm, modules[i], lua_gettop(L));
    return 0;
}

static int open_own(struct vm *vm, struct err *e)
{
    const char *command = opt_str(vm->script->env.opts, "luajit-cmd");
    struct script_context *old;
    int rc;

    vm->L = luaL_newstate();
    if (!vm->L)
        return err_set(e, ERR_FAILED, "cannot create a Lua state: out of memory");
    old = context_set(&vm->cx);
    rc = lua_cpcall(vm->L, set_up, vm);
    context_set(old);
    if (rc)
        return err_set(e, ERR_FAILED, "cannot set up a Lua state: %s", vm_error_text(vm->L));
    return *command ? luajit_command(vm->L, command, e) : 0;
}

int vm_open(struct vm **out, struct script *s, int tid, const struct rng *rng,
            struct client *client, struct err *e)
{
    struct vm *vm = mem_alloc(sizeof *vm);

    exports_link();
    vm->script = s;
    if (rng)
        vm->rng = *rng;
    vm->counters = mem_array_aligned(1, sizeof *vm->counters);
    context_init(&vm->cx, tid, &vm->rng, vm->counters);
    if (client)
        context_attach(&vm->cx, client, &s->run.peers);
    vm->cx.dist = s->env.dist;
    vm->cx.uniq = s->env.uniq;
    vm->cx.progress = &s->progress;
    vm->cx.listener = &s->listener;
    *out = vm;
    return client && s->run.nshared ? shared_join(&s->run.shared[tid % s->run.nshared], vm, e)
                                    : open_own(vm, e);
}

void vm_free(struct vm *vm)
{
    context_fini(&vm->cx);
    free(vm->counters);
    free(vm);
}

void vm_close(struct vm *vm)
{
    struct script_context *old;

    if (!vm)
        return;
    if (vm->cx.shared) {
        shared_leave(vm);
        return;
    }
    old = context_set(&vm->cx);
    vm->cx.closing = true;
    if (vm->L)
        lua_close(vm->L);
    context_set(old == &vm->cx ? NULL : old);
    vm_free(vm);
}

/* --- calls --- */

struct vm_entry vm_enter(struct vm *vm)
{
    return (struct vm_entry){.old = context_set(&vm->cx),
                             .unpin = vm->cx.shared && !carry_pin(true)};
}

void vm_leave(struct vm_entry entry)
{
    if (entry.unpin)
        carry_pin(false);
    context_set(entry.old);
}

static int traceback(lua_State *L)
{
    const char *text = lua_tostring(L, 1);

    if (text) {
        luaL_traceback(L, L, text, 1);
        log_debug("%s", lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return 1;
}

int vm_call(struct vm *vm, const char *name, int nargs, int nresults, struct err *e)
{
    struct vm_entry entry = vm_enter(vm);
    int base = lua_gettop(vm->L) - nargs, rc;

    lua_pushcfunction(vm->L, traceback);
    lua_insert(vm->L, base);
    rc = lua_pcall(vm->L, nargs, nresults, log_verbosity() >= LOG_DEBUG ? base : 0);
    lua_remove(vm->L, base);
    vm_leave(entry);
    if (!rc)
        return 0;
    progress_hide(&vm->script->progress);
    if (name)
        log_fatal("`%s' function failed: %s", name, vm_error_text(vm->L));
    else
        log_fatal("%s", vm_error_text(vm->L));
    err_set(e, ERR_REPORTED, "%s", vm_error_text(vm->L));
    lua_pop(vm->L, 1);
    return -1;
}

bool vm_has_global(struct vm *vm, const char *name)
{
    struct vm_entry entry = vm_enter(vm); /* a script may have given its globals a metatable */
    bool is;

    lua_getfield(vm->L, LUA_GLOBALSINDEX, name);
    is = lua_isfunction(vm->L, -1);
    lua_pop(vm->L, 1);
    vm_leave(entry);
    return is;
}

int vm_call_global(struct vm *vm, const char *name, bool arg, struct err *e)
{
    struct vm_entry entry;
    int rc;

    if (!vm_has_global(vm, name))
        return 0;
    entry = vm_enter(vm);
    lua_getglobal(vm->L, name);
    if (arg)
        lua_pushinteger(vm->L, vm->cx.tid);
    rc = vm_call(vm, name, arg ? 1 : 0, 0, e);
    vm_leave(entry);
    return rc;
}

void vm_push_api(struct vm *vm, const char *table, const char *name)
{
    lua_State *L = vm->L;

    lua_getglobal(L, "sysbench");
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, table);
        lua_remove(L, -2);
    }
    if (lua_istable(L, -1))
        lua_getfield(L, -1, name);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}

static int load_script(struct vm *vm)
{
    struct script *s = vm->script;

    return vm->cx.shared
               ? makers_load_text(vm->L, s->text, s->text_len, s->chunk_name)
               : chunks_load_text(&s->chunks, vm->L, s->text, s->text_len, s->chunk_name, 0);
}

static int load(struct vm *vm, struct err *e)
{
    struct script *s = vm->script;
    lua_State *L = vm->L;
    int nargs = 0;

    if (s->source == SCRIPT_MODULE) {
        lua_getglobal(L, "require");
        lua_pushstring(L, s->env.testname);
        nargs = 1;
    } else if (load_script(vm)) {
        log_fatal("%s", vm_error_text(L));
        err_set(e, ERR_REPORTED, "%s", vm_error_text(L));
        lua_pop(L, 1);
        return -1;
    }
    if (vm_call(vm, NULL, nargs, 0, e))
        return -1;
    if (s->options_known)
        lua_options_export(vm);
    return 0;
}

int vm_load(struct vm *vm, struct err *e)
{
    struct vm_entry entry = vm_enter(vm);
    int rc = load(vm, e);

    vm_leave(entry);
    return rc;
}
