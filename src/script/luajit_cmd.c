/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See api.h.  The modules (jit.v, jit.dump, jit.p) come with LuaJIT.  Their directory is in
 * LuaJIT's default package.path, which scripts do not get (script/api.c).  A command that needs a
 * module appends that path to the script's and leaves it there, because modules load others when
 * they are used.
 */
#include "script/api.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

static const char path_key[] = "sysbench.luajit_path";

void luajit_keep_path(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_setfield(L, LUA_REGISTRYINDEX, path_key);
    lua_pop(L, 1);
}

/* Protected: argument 1 is the command. */
static int run(lua_State *L)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *command = lua_tostring(L, 1), *args = strchr(command, '=');
    const char *name;
    int nargs = 0;

    if (args)
        lua_pushlstring(L, command, (size_t)(args++ - command));
    else
        lua_pushvalue(L, 1);
    name = lua_tostring(L, -1);
    lua_getglobal(L, "jit");
    lua_getfield(L, -1, name);
    /* dots and slashes would lead require() somewhere else */
    if (!lua_isfunction(L, -1) && !name[strspn(name, letters)]) {
        lua_getglobal(L, "package"); /* the path of its modules is appended */
        lua_getfield(L, -1, "path");
        lua_pushliteral(L, ";");
        lua_getfield(L, LUA_REGISTRYINDEX, path_key);
        lua_concat(L, 3);
        lua_setfield(L, -2, "path");
        lua_getglobal(L, "require");
        lua_pushfstring(L, "jit.%s", name);
        if (lua_pcall(L, 1, 1, 0) == 0 && lua_istable(L, -1))
            lua_getfield(L, -1, "start");
    }
    if (!lua_isfunction(L, -1)) {
        lua_pushliteral(L, "unknown luaJIT command or jit.* modules not installed");
        return lua_error(L);
    }
    while (args && *args) {
        size_t len = strcspn(args, ",");
        luaL_checkstack(L, 1, "too many arguments");
        lua_pushlstring(L, args, len);
        nargs++;
        args += len + (args[len] == ',');
    }
    lua_call(L, nargs, 0);
    return 0;
}

int luajit_command(lua_State *L, const char *command, struct err *e)
{
    const char *why;

    lua_pushcfunction(L, run);
    lua_pushstring(L, command);
    if (lua_pcall(L, 1, 0, 0) == 0)
        return 0;
    why = lua_tostring(L, -1);
    err_set(e, ERR_USAGE, "%s: --luajit-cmd=%s", why ? why : "(not a string)", command);
    lua_pop(L, 1);
    return -1;
}
