/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See api.h.
 */
#include "script/api.h"

#include <lauxlib.h>
#include <locale.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include "config.h"

const struct internal_lua *api_text(const char *name)
{
    for (size_t i = 0; i < internal_lua_count; i++)
        if (strcmp(internal_lua[i].name, name) == 0)
            return &internal_lua[i];
    return NULL;
}

/* --- search paths --- */

/* ~ is the home directory, @ where the shipped scripts are. */
static const char lua_path[] =
    "./?.lua;./?/init.lua;./src/lua/?.lua;"
    "~/.luarocks/share/lua/5.1/?.lua;~/.luarocks/share/lua/5.1/?/init.lua;"
    "~/.luarocks/share/lua/?.lua;~/.luarocks/share/lua/?/init.lua;"
    "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;@/?.lua;";
static const char lua_cpath[] = "./?.so;~/.luarocks/lib/lua/5.1/?.so;~/.luarocks/lib/lua/?.so;"
                                "/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so;" SB_LIBDIR ";";

/* Where the bundled scripts are: beside the program, wherever its installation was moved to; the
 * source tree's for a program that is run where it was built. */
static void add_script_directory(struct str *out)
{
    char exe[4096], *moved = NULL;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *directory = SB_DATADIR;

    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash && slash - exe >= 4 && memcmp(slash - 4, "/src", 4) == 0 &&
        access(SB_SRCLUADIR "/oltp_common.lua", R_OK) == 0) {
        directory = SB_SRCLUADIR;
    } else if (slash && slash - exe >= 4 && memcmp(slash - 4, "/bin", 4) == 0) {
        struct str script = STR_INIT;
        moved = mem_printf("%.*s/share/sysbench", (int)(slash - 4 - exe), exe);
        str_printf(&script, "%s/oltp_common.lua", moved);
        if (access(str_cstr(&script), R_OK) == 0)
            directory = moved;
        str_free(&script);
    }
    str_adds(out, directory);
    free(moved);
}

/* Entries below the home directory are left out where there is none. */
static void default_path(struct str *out, const char *path)
{
    const char *home = getenv("HOME");

    while (*path) {
        size_t n = strcspn(path, ";") + 1;
        bool special = *path == '~' || *path == '@';
        if (*path == '@')
            add_script_directory(out);
        else if (*path == '~' && home)
            str_adds(out, home);
        if (*path != '~' || home)
            str_add(out, path + special, n - special);
        path += n;
    }
}

/* LUA_PATH replaces the default; ";;" in it stands for the default. */
static void full_path(struct str *out, const char *variable, const char *path)
{
    const char *given = getenv(variable), *gap;

    if (!given) {
        default_path(out, path);
        return;
    }
    while ((gap = strstr(given, ";;"))) {
        str_add(out, given, (size_t)(gap - given));
        str_adds(out, gap > given ? ";" : "");
        default_path(out, path);
        given = gap + 2;
    }
    str_adds(out, given);
}

void api_search_path(struct str *out)
{
    full_path(out, "LUA_PATH", lua_path);
}

static void set_path(lua_State *L, const char *field, const char *variable, const char *path)
{
    struct str all = STR_INIT;

    full_path(&all, variable, path);
    lua_getglobal(L, "package");
    lua_pushlstring(L, str_cstr(&all), all.len);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
    str_free(&all);
}

/* --- the API --- */

/* os.setlocale(), for all categories but one.  A locale belongs to the process, and one with a
 * decimal comma would be in every report and result file: LC_NUMERIC stays "C". */
static int api_setlocale(lua_State *L)
{
    static const char *const names[] = {"all",     "collate", "ctype", "monetary",
                                        "numeric", "time",    NULL};
    static const int category[] = {LC_ALL,     LC_COLLATE, LC_CTYPE,   LC_MONETARY,
                                   LC_NUMERIC, LC_TIME,    LC_MESSAGES};
    const char *locale = luaL_optstring(L, 1, NULL), *is;
    int which = category[luaL_checkoption(L, 2, "all", names)];

    if (which == LC_NUMERIC && locale) {
        is = strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 ? "C" : NULL;
    } else if (which != LC_ALL || !locale || strstr(locale, "LC_NUMERIC=C;")) {
        is = setlocale(which, locale); /* a list of categories that scripts have from us, too */
    } else {
        /* never LC_ALL with a name: another thread may print while it is set */
        is = "";
        for (size_t i = 1; is && i < sizeof category / sizeof *category; i++)
            if (category[i] != LC_NUMERIC)
                is = setlocale(category[i], locale);
        is = is ? setlocale(LC_ALL, NULL) : NULL;
    }
    lua_pushstring(L, is);
    return 1;
}

/* print() as Lua's, but each call is one write, so that lines of different threads do not mix. */
static int api_print(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer b;
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
    const char *text = lua_tolstring(L, -1, &len);
    progress_hide(&vm_of(L)->script->progress);
    if (memchr(text, '\0', len))
        fwrite(text, 1, len, stdout);
    else
        log_print("%s", text);
    return 0;
}

static int api_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    if (lua_next(L, 1))
        return 2;
    lua_pushnil(L);
    return 1;
}

/* LuaJIT compiled traversals of tables from September 2021 on, and until April 2022, on x86-64, now
 * and then with half of a pointer (its issue 829): such a loop crashed.  Debian 12 has a version
 * from between.  What is no function of LuaJIT's own it does not compile.  pairs() stays, which
 * scripts may give what has __pairs(): it returns its upvalue, next(). */
static void replace_traversal(lua_State *L)
{
    lua_getglobal(L, "jit");
    lua_getfield(L, -1, "version");
    lua_getfield(L, -2, "arch");
    bool affected = strcmp(lua_tostring(L, -2), "LuaJIT 2.1.0-beta3") == 0 &&
                    strcmp(lua_tostring(L, -1), "x64") == 0;
    lua_pop(L, 3);
    if (!affected)
        return;
    lua_pushcfunction(L, api_next);
    lua_getglobal(L, "pairs");
    lua_pushvalue(L, -2);
    lua_setupvalue(L, -2, 1);
    lua_pop(L, 1);
    lua_setglobal(L, "next");
}

/* ffi.cdef(declarations) */
static void declare(lua_State *L, const char *declarations)
{
    lua_getglobal(L, "ffi");
    lua_getfield(L, -1, "cdef");
    lua_pushstring(L, declarations);
    lua_call(L, 1, 0);
    lua_pop(L, 1);
}

static const char *const headers[] = {"sql_types.h", "exports.h"};

void api_push_module(lua_State *L, const char *name)
{
    const struct internal_lua *m = api_text(name);

    if (luaL_loadbuffer(L, m->text, m->len, m->name))
        lua_error(L);
}

/* What sysbench.redeclared.lua returns, for sysbench.cdef.lua; the upvalue names the generation's
 * header. */
static int api_load_redeclared(lua_State *L)
{
    api_push_module(L, "sysbench.redeclared.lua");
    lua_pushstring(L, api_text(lua_tostring(L, lua_upvalueindex(1)))->text);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        lua_pushstring(L, api_text(headers[i])->text);
    lua_concat(L, 3);
    lua_call(L, 1, 1);
    return 1;
}

/* LuaJIT's own package.path, which scripts do not get. */
static const char path_key[] = "sysbench.luajit_path";

int api_luajit_command(lua_State *L, const char *command, struct err *e)
{
    const struct internal_lua *m = api_text("sysbench.luajit_cmd.lua");
    int rc = luaL_loadbuffer(L, m->text, m->len, m->name);

    if (rc == 0) {
        lua_pushstring(L, command);
        lua_getfield(L, LUA_REGISTRYINDEX, path_key);
        rc = lua_pcall(L, 2, 0, 0);
    }
    if (rc == 0)
        return 0;
    const char *why = lua_tostring(L, -1);
    err_set(e, ERR_USAGE, "%s: --luajit-cmd=%s", why ? why : "(not a string)", command);
    lua_pop(L, 1);
    return -1;
}

void api_open_libraries(lua_State *L, struct script *s)
{
    /* the header that numbers the counters; generations before 1.0 had none */
    const char *counters =
        s->env.generation->id == GENERATION_1_1 ? "counter_type_1_1.h" : "counter_type_1_0.h";

    luaL_openlibs(L);
    replace_traversal(L);
    if (*s->luajit_cmd) {
        lua_getglobal(L, "package");
        lua_getfield(L, -1, "path");
        lua_setfield(L, LUA_REGISTRYINDEX, path_key);
        lua_pop(L, 1);
    }
    set_path(L, "path", "LUA_PATH", lua_path);
    set_path(L, "cpath", "LUA_CPATH", lua_cpath);
    chunks_serve_require(&s->chunks, L);
    lua_pushcfunction(L, api_print);
    lua_setglobal(L, "print");
    lua_getglobal(L, "os");
    lua_pushcfunction(L, api_setlocale);
    lua_setfield(L, -2, "setlocale");
    lua_pop(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "ffi");
    lua_call(L, 1, 1);
    lua_setglobal(L, "ffi");
    declare(L, api_text(counters)->text);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        declare(L, api_text(headers[i])->text);
    api_push_module(L, "sysbench.cdef.lua");
    lua_pushstring(L, counters);
    lua_pushcclosure(L, api_load_redeclared, 1);
    lua_call(L, 1, 0);
}

void api_push_host(lua_State *L)
{
    static const luaL_Reg functions[] = {{"loop", loop_run}, {"mix", mix_say}, {NULL, NULL}};

    lua_newtable(L);
    luaL_register(L, NULL, functions);
}

void api_push_sysbench(lua_State *L, const struct vm *vm)
{
    const struct script_env *env = &vm->script->env;
    struct str line = STR_INIT;

    lua_newtable(L);
    lua_pushinteger(L, vm->cx.tid);
    lua_setfield(L, -2, "tid");
    /* which generation's sysbench the script runs on, and which release of ours */
    lua_pushstring(L, env->generation->version);
    lua_setfield(L, -2, "version");
    lua_pushstring(L, generation_banner(env->generation, NULL, &line));
    lua_setfield(L, -2, "version_string");
    lua_pushliteral(L, PACKAGE_VERSION);
    lua_setfield(L, -2, "tx_version");
    str_free(&line);

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
