/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See legacy.h.
 */
#include "script/legacy.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "script/api.h"

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const struct internal_lua *text_of(const char *name, size_t len)
{
    char key[64];
    int n = snprintf(key, sizeof key, "legacy/%.*s.lua", (int)len, name);

    return (size_t)n < sizeof key ? api_text(key) : NULL;
}

const struct internal_lua *legacy_script(const char *testname)
{
    const char *name = last_part(testname);
    size_t n = strcspn(name, ".");

    return strcmp(name + n, ".lua") != 0 && (name[n] || name == testname) ? NULL : text_of(name, n);
}

const struct internal_lua *legacy_file(const char *path)
{
    return strcmp(last_part(path), "common.lua") == 0 && access(path, F_OK) ? text_of("common", 6)
                                                                            : NULL;
}

const struct internal_lua *legacy_module(const char *name)
{
    static const char directory[] = "oltp_legacy.";

    if (strcmp(name, "common") == 0)
        return text_of(name, 6);
    if (strncmp(name, directory, strlen(directory)) != 0)
        return NULL;
    name += strlen(directory);
    return text_of(name, strlen(name));
}

const struct internal_lua *own_module(const char *name)
{
    static const char directory[] = "sysbench-tx.";
    char key[64];

    if (strncmp(name, directory, strlen(directory)) != 0)
        return NULL;
    snprintf(key, sizeof key, "sysbench-tx/%s.lua", name + strlen(directory));
    return api_text(key);
}

void legacy_chunk_name(const struct internal_lua *text, char *name, size_t size)
{
    snprintf(name, size, strncmp(text->name, "legacy/", 7) ? "@%s" : "@oltp_%s", text->name);
}

static int load(lua_State *L, const struct internal_lua *text)
{
    struct chunks *c = lua_touserdata(L, lua_upvalueindex(1));
    char name[64];

    legacy_chunk_name(text, name, sizeof name);
    return chunks_load_text(c, L, text->text, text->len, name, 0);
}

/* Lua's dofile(), with the fallback, and compiled once for all clients. */
static int do_file(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL); /* NULL: standard input */
    const struct internal_lua *text = path ? legacy_file(path) : NULL;

    lua_settop(L, 1);
    if (text   ? load(L, text)
        : path ? chunks_load_file(lua_touserdata(L, lua_upvalueindex(1)), L, path)
               : luaL_loadfile(L, NULL))
        return lua_error(L);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - 1;
}

/* The searcher of package.loaders for Lua files, with what is built in before them and after.  Its
 * own place in that table would show: scripts count the searchers. */
static int search(lua_State *L)
{
    const struct internal_lua *own = own_module(luaL_checkstring(L, 1));
    const struct internal_lua *text = own ? own : legacy_module(lua_tostring(L, 1));

    lua_settop(L, 1);
    if (!own) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_insert(L, 1);
        lua_call(L, 1, 1);
    }
    if (text && !lua_isfunction(L, 1) && load(L, text))
        return lua_error(L);
    return 1;
}

void legacy_serve(struct chunks *c, lua_State *L)
{
    lua_pushlightuserdata(L, c);
    lua_pushcclosure(L, do_file, 1);
    lua_setglobal(L, "dofile");
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaders");
    lua_pushlightuserdata(L, c);
    lua_rawgeti(L, -2, 2);
    lua_pushcclosure(L, search, 2);
    lua_rawseti(L, -2, 2);
    lua_pop(L, 2);
}
