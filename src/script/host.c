/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening a Lua state: standard libraries, search paths, the C declarations, the internal modules,
 * then the script.  A script given as a file or on stdin is read once and every state gets the same
 * text, in the form that the main state has compiled (chunks.h); a module is left to require().  Whatever can raise a Lua error happens inside a protected
 * call.
 */
#include "script/host.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "script/exports.h"
#include "script/internal_lua.h"
#include "script/luajit_cmd.h"

/* In the order in which they are run; each gets the table `sysbench`. */
static const char *const modules[] = {"sysbench.lua", "sysbench.cmdline.lua", "sysbench.rand.lua",
                                      "sysbench.sql.lua", "sysbench.lazy.lua"};

static const char vm_key[] = "sysbench.vm";

struct vm *vm_of(lua_State *L)
{
    struct vm *vm;

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

static const struct internal_lua *internal(const char *name)
{
    for (size_t i = 0; i < internal_lua_count; i++)
        if (strcmp(internal_lua[i].name, name) == 0)
            return &internal_lua[i];
    return NULL;
}

/* --- search paths --- */

/* ~ is the home folder, @ where the shipped scripts are. */
static const char lua_path[] =
    "./?.lua;./?/init.lua;./src/lua/?.lua;"
    "~/.luarocks/share/lua/5.1/?.lua;~/.luarocks/share/lua/5.1/?/init.lua;"
    "~/.luarocks/share/lua/?.lua;~/.luarocks/share/lua/?/init.lua;"
    "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;@/?.lua;";
static const char lua_cpath[] = "./?.so;~/.luarocks/lib/lua/5.1/?.so;~/.luarocks/lib/lua/?.so;"
                                "/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so;" SB_LIBDIR ";";

/* The installed folder; the source tree's for a program that is run where it was built. */
static const char *script_folder(void)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;

    if (n <= 0)
        return SB_DATADIR;
    exe[n] = '\0';
    slash = strrchr(exe, '/');
    if (!slash || slash - exe < 4 || memcmp(slash - 4, "/src", 4) != 0 ||
        access(SB_SRCLUADIR "/oltp_common.lua", R_OK))
        return SB_DATADIR;
    return SB_SRCLUADIR;
}

/* Entries below the home folder are left out where there is none. */
static void default_path(struct str *out, const char *path)
{
    const char *home = getenv("HOME");

    while (*path) {
        size_t n = strcspn(path, ";") + 1;
        const char *folder = *path == '~' ? home : *path == '@' ? script_folder() : "";
        if (folder) {
            str_adds(out, folder);
            str_add(out, path + (*folder != '\0'), n - (*folder != '\0'));
        }
        path += n;
    }
}

/* LUA_PATH replaces the default; ";;" in it stands for the default. */
static void set_path(lua_State *L, const char *field, const char *variable, const char *path)
{
    struct str usual = STR_INIT, all = STR_INIT;
    const char *given = getenv(variable), *gap;

    default_path(&usual, path);
    if (!given) {
        str_adds(&all, str_cstr(&usual));
    } else {
        while ((gap = strstr(given, ";;"))) {
            str_add(&all, given, (size_t)(gap - given));
            str_printf(&all, "%s%s", gap > given ? ";" : "", str_cstr(&usual));
            given = gap + 2;
        }
        str_adds(&all, given);
    }
    lua_getglobal(L, "package");
    lua_pushlstring(L, str_cstr(&all), all.len);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
    str_free(&usual);
    str_free(&all);
}

/* --- the API --- */

/* print() as Lua's, but each call is one write, so that lines of different threads do not mix. */
static int api_print(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
    const char *text;
    size_t len;

    lua_getglobal(L, "tostring");
    luaL_buffinit(L, &b);
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, n + 1);
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
        if (!lua_isstring(L, -1))
            return luaL_error(L, "'tostring' must return a string to 'print'");
        luaL_addvalue(&b);
        luaL_addchar(&b, i < n ? '\t' : '\n');
    }
    if (n == 0)
        luaL_addchar(&b, '\n');
    luaL_pushresult(&b);
    text = lua_tolstring(L, -1, &len);
    progress_hide(&vm_of(L)->script->progress);
    if (memchr(text, '\0', len))
        fwrite(text, 1, len, stdout);
    else
        log_print("%s", text);
    return 0;
}

static void declare(lua_State *L, const char *header)
{
    const struct internal_lua *text = internal(header);

    lua_getglobal(L, "ffi");
    lua_getfield(L, -1, "cdef");
    lua_pushlstring(L, text->text, text->len);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
}

/* Runs an internal module; its arguments: the table sysbench, and what runs another one. */
static void run_module(lua_State *L, struct vm *vm, const char *name, int table);

/* sysbench.lazy.lua gets this: run_module(name). */
static int api_run_module(lua_State *L)
{
    run_module(L, lua_touserdata(L, lua_upvalueindex(1)), luaL_checkstring(L, 1), lua_upvalueindex(2));
    return 0;
}

static void run_module(lua_State *L, struct vm *vm, const char *name, int table)
{
    const struct internal_lua *m = internal(name);

    if (chunks_load_text(&vm->script->chunks, L, m->text, m->len, m->name, 1))
        lua_error(L);
    lua_pushvalue(L, table);
    lua_pushlightuserdata(L, vm);
    lua_pushvalue(L, table);
    lua_pushcclosure(L, api_run_module, 2);
    lua_call(L, 2, 0);
}

/* Leaves the table sysbench on the stack. */
static void push_sysbench(lua_State *L, const struct vm *vm)
{
    const struct script_env *env = &vm->script->env;

    lua_newtable(L);
    lua_pushinteger(L, vm->cx.tid);
    lua_setfield(L, -2, "tid");
    lua_pushstring(L, env->generation->version);
    lua_setfield(L, -2, "version");
    lua_pushfstring(L, "sysbench %s", env->generation->version);
    lua_setfield(L, -2, "version_string");

    lua_newtable(L);
    lua_newtable(L);
    for (int i = 0; i < env->argc; i++) {
        lua_pushstring(L, env->argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "argv");
    lua_pushstring(L, env->command);
    lua_setfield(L, -2, "command");
    if (vm->script->source != SCRIPT_STDIN) {
        lua_pushstring(L, env->testname);
        lua_setfield(L, -2, "script_path");
    }
    lua_pushcfunction(L, lua_options_print);
    lua_setfield(L, -2, "print_test_options");
    lua_setfield(L, -2, "cmdline");
}

/* Runs as a protected C function: builds the whole API. */
static int set_up(lua_State *L)
{
    struct vm *vm = lua_touserdata(L, 1);

    luaL_openlibs(L);
    lua_pushlightuserdata(L, vm);
    lua_setfield(L, LUA_REGISTRYINDEX, vm_key);
    if (*opt_str(vm->script->env.opts, "luajit-cmd"))
        luajit_keep_path(L);
    set_path(L, "path", "LUA_PATH", lua_path);
    set_path(L, "cpath", "LUA_CPATH", lua_cpath);
    lua_pushcfunction(L, api_print);
    lua_setglobal(L, "print");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "ffi");
    lua_call(L, 1, 1);
    lua_setglobal(L, "ffi");
    declare(L, "sql_types.h");
    declare(L, "exports.h");

    push_sysbench(L, vm);
    lua_pushvalue(L, -1);
    lua_setglobal(L, "sysbench");
    chunks_serve_require(&vm->script->chunks, L);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        run_module(L, vm, modules[i], lua_gettop(L));
    return 0;
}

int vm_open(struct vm **out, struct script *s, int tid, const struct rng *rng,
            struct client *client, struct err *e)
{
    struct vm *vm = mem_alloc(sizeof *vm);
    const char *command = opt_str(s->env.opts, "luajit-cmd");
    struct script_context *old;
    int rc;

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

void vm_close(struct vm *vm)
{
    struct script_context *old;

    if (!vm)
        return;
    old = context_set(&vm->cx);
    vm->cx.closing = true;
    if (vm->L)
        lua_close(vm->L);
    context_fini(&vm->cx);
    context_set(old == &vm->cx ? NULL : old);
    free(vm->counters);
    free(vm);
}

/* --- calls --- */

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
    struct script_context *old = context_set(&vm->cx);
    int base = lua_gettop(vm->L) - nargs, rc;

    lua_pushcfunction(vm->L, traceback);
    lua_insert(vm->L, base);
    rc = lua_pcall(vm->L, nargs, nresults, log_verbosity() >= LOG_DEBUG ? base : 0);
    lua_remove(vm->L, base);
    context_set(old);
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
    bool is;

    lua_getfield(vm->L, LUA_GLOBALSINDEX, name);
    is = lua_isfunction(vm->L, -1);
    lua_pop(vm->L, 1);
    return is;
}

int vm_call_global(struct vm *vm, const char *name, bool arg, struct err *e)
{
    if (!vm_has_global(vm, name))
        return 0;
    lua_getglobal(vm->L, name);
    if (arg)
        lua_pushinteger(vm->L, vm->cx.tid);
    return vm_call(vm, name, arg ? 1 : 0, 0, e);
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

int vm_load(struct vm *vm, struct err *e)
{
    struct script *s = vm->script;
    lua_State *L = vm->L;
    int nargs = 0;

    if (s->source == SCRIPT_MODULE) {
        lua_getglobal(L, "require");
        lua_pushstring(L, s->env.testname);
        nargs = 1;
    } else if (chunks_load_text(&s->chunks, L, s->text, s->text_len, s->chunk_name, 0)) {
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
