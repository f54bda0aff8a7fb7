/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opens a Lua state for one client (api.h, then the internal modules) or a place in a shared one
 * (shared/shared.h), and loads the script.  A script given as a file or on stdin is read once;
 * every state gets the same text, as the main state has compiled it (chunks.h).  A module is left
 * to require().  Whatever can raise a Lua error happens inside a protected call.
 */
#include "script/host.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "script/api.h"
#include "script/legacy.h"
#include "script/shared/shared.h"

/* In the order in which they are run; each gets the table `sysbench`. */
static const char *const modules[] = {"sysbench.lua", "sysbench.cmdline.lua", "sysbench.rand.lua",
                                      "sysbench.sql.lua", "sysbench.lazy.lua"};

/* Runs an internal module; its arguments: the table sysbench, what runs another one, and `host`. */
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
    api_push_host(L);
    lua_call(L, 3, 0);
}

/* Runs as a protected C function: builds the whole API. */
static int set_up(lua_State *L)
{
    struct vm *vm = lua_touserdata(L, 1);

    vm_own(L, vm);
    api_open_libraries(L, vm->script);
    api_push_sysbench(L, vm);
    lua_pushvalue(L, -1);
    lua_setglobal(L, "sysbench");
    legacy_serve(&vm->script->chunks, L);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        run_module(L, vm, modules[i], lua_gettop(L));
    return 0;
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
    if (client && s->run.nshared)
        return shared_join(&s->run.shared[client_index(client) % s->run.nshared], vm, e);
    vm->L = luaL_newstate();
    if (!vm->L)
        return err_set(e, ERR_FAILED, "cannot create a Lua state: out of memory");
    struct script_context *old = context_set(&vm->cx);
    int rc = lua_cpcall(vm->L, set_up, vm);
    context_set(old);
    if (rc)
        return err_set(e, ERR_FAILED, "cannot set up a Lua state: %s", vm_error_text(vm->L));
    return *s->luajit_cmd ? api_luajit_command(vm->L, s->luajit_cmd, e) : 0;
}

void vm_close(struct vm *vm)
{
    if (!vm)
        return;
    if (vm->cx.shared) {
        shared_leave(vm);
        return;
    }
    struct script_context *old = context_set(&vm->cx);
    vm->cx.closing = true;
    if (vm->L)
        lua_close(vm->L);
    context_set(old == &vm->cx ? NULL : old);
    vm_free(vm);
}

int vm_load(struct vm *vm, struct err *e)
{
    struct vm_entry entry = vm_enter(vm);
    struct script *s = vm->script;
    lua_State *L = vm->L;
    int rc = 0;

    lua_options_note_reads(vm);
    lua_options_export_early(vm);
    if (s->source == SCRIPT_MODULE) {
        lua_getglobal(L, "require");
        lua_pushstring(L, s->env.testname);
    } else if (vm->cx.shared
                   ? chunk_factory_load_text(L, s->text, s->text_len, s->chunk_name)
                   : chunks_load_text(&s->chunks, L, s->text, s->text_len, s->chunk_name, 0)) {
        const char *dot = strrchr(s->chunk_name, '.');
        log_fatal("%s%s", vm_error_text(L),
                  dot && strcmp(dot, ".sql") == 0
                      ? "; a test is a Lua script: docs/from-pgbench.md translates pgbench's"
                      : "");
        rc = err_set(e, ERR_REPORTED, "%s", vm_error_text(L));
        lua_pop(L, 1);
    }
    if (rc == 0)
        rc = vm_call(vm, NULL, s->source == SCRIPT_MODULE, 0, e);
    if (rc == 0 && s->options_known)
        lua_options_export(vm);
    vm_leave(entry);
    return rc;
}
