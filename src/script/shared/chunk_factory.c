/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See shared.h.  The factories are in a table of the registry, by name; false stands for a
 * text that has none.
 */
#include "script/shared/shared.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "script/chunks.h"

static void push_factories(lua_State *L)
{
    luaL_findtable(L, LUA_REGISTRYINDEX, "sysbench_chunk_factories", 0);
}

/* The factory is on top; leaves a function with L's globals instead. */
static void make(lua_State *L)
{
    lua_pushvalue(L, LUA_GLOBALSINDEX);
    lua_setfenv(L, -2);
    lua_call(L, 0, 1);
}

/* Leaves the function, or nothing and returns false when there is no factory of that name. */
static bool make_known(lua_State *L, const char *key)
{
    push_factories(L);
    lua_getfield(L, -1, key);
    lua_remove(L, -2);
    if (lua_isfunction(L, -1)) {
        make(L);
        return true;
    }
    lua_pop(L, 1);
    return false;
}

/* Compiles the text as it is, so that errors and their messages are Lua's own; then, the first
 * time, as a factory. */
static int load_new(lua_State *L, const char *key, const char *text, size_t len, const char *name)
{
    struct str framed = STR_INIT;
    int rc = luaL_loadbuffer(L, text, len, name);
    size_t skip = 0;

    if (rc)
        return rc;
    push_factories(L);
    lua_getfield(L, -1, key);
    if (!lua_isnil(L, -1)) { /* known not to have one */
        lua_pop(L, 2);
        return 0;
    }
    lua_pop(L, 1);
    /* without what Lua skips: a byte order mark, a first line that begins with # */
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        skip = 3;
    if (skip < len && text[skip] == '#')
        while (skip < len && text[skip] != '\n' && text[skip] != '\r')
            skip++;
    str_adds(&framed, "return function(...) ");
    str_add(&framed, text + skip, len - skip);
    str_adds(&framed, "\nend");
    if (luaL_loadbuffer(L, str_cstr(&framed), framed.len, name)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 0);
    }
    str_free(&framed);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, key);
    lua_remove(L, -2);
    if (lua_isfunction(L, -1)) {
        make(L);
        lua_remove(L, -2);
    } else {
        lua_pop(L, 1);
    }
    return 0;
}

int chunk_factory_load_text(lua_State *L, const char *text, size_t len, const char *name)
{
    return make_known(L, name) ? 0 : load_new(L, name, text, len, name);
}

int chunk_factory_load_file(lua_State *L, const char *path)
{
    struct str text = STR_INIT;
    struct stat st;
    FILE *f;
    int rc;

    if (stat(path, &st) || !S_ISREG(st.st_mode))
        /* a pipe can be read only once; for a missing file Lua has the message */
        return luaL_loadfile(L, path);
    char *key = mem_printf("@%s\n%llx %llx %lld %lld.%09ld", path, (unsigned long long)st.st_dev,
                           (unsigned long long)st.st_ino, (long long)st.st_size,
                           (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    char *name = mem_printf("@%s", path);
    if (make_known(L, key)) {
        rc = 0;
    } else if (!(f = fopen(path, "rb"))) {
        rc = luaL_loadfile(L, path);
    } else {
        rc = chunks_read(f, SIZE_MAX - 1, &text)
                 ? luaL_loadfile(L, path)
                 : load_new(L, key, str_cstr(&text), text.len, name);
        fclose(f);
    }
    str_free(&text);
    free(key);
    free(name);
    return rc;
}
