/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See chunk_factory.h.  The factories are in a table of the registry, by name; false stands for a
 * text that has none.
 */
#include "script/shared/chunk_factory.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

static const char factories_key[] = "sysbench.chunk_factories";

static void push_factories(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, factories_key);
    if (!lua_isnil(L, -1))
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, factories_key);
}

/* The text without what Lua skips: a byte order mark, a first line that begins with #. */
static const char *after_head(const char *text, size_t *len)
{
    size_t skip = 0;

    if (*len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        skip = 3;
    if (skip < *len && text[skip] == '#')
        while (skip < *len && text[skip] != '\n' && text[skip] != '\r')
            skip++;
    *len -= skip;
    return text + skip;
}

/* Leaves the factory, or false, on the stack. */
static void push_factory(lua_State *L, const char *text, size_t len, const char *name)
{
    const char *body = after_head(text, &len);
    struct str framed = STR_INIT;

    str_adds(&framed, "return function(...) ");
    str_add(&framed, body, len);
    str_adds(&framed, "\nend");
    if (luaL_loadbuffer(L, str_cstr(&framed), framed.len, name)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 0);
    }
    str_free(&framed);
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
    int rc = luaL_loadbuffer(L, text, len, name);

    if (rc)
        return rc;
    push_factories(L);
    lua_getfield(L, -1, key);
    if (!lua_isnil(L, -1)) { /* known not to have one */
        lua_pop(L, 2);
        return 0;
    }
    lua_pop(L, 1);
    push_factory(L, text, len, name);
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

static int read_whole(const char *path, struct str *out)
{
    FILE *f = fopen(path, "rb");
    char part[8192];
    size_t n;
    int rc;

    if (!f)
        return -1;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        str_add(out, part, n);
    rc = ferror(f) ? -1 : 0;
    fclose(f);
    return rc;
}

int chunk_factory_load_file(lua_State *L, const char *path)
{
    struct str text = STR_INIT, key = STR_INIT;
    struct stat st;
    int rc;

    if (stat(path, &st) || !S_ISREG(st.st_mode))
        /* a pipe can be read only once; for a missing file Lua has the message */
        return luaL_loadfile(L, path);
    str_printf(&key, "@%s\n%llx %llx %lld %lld.%09ld", path, (unsigned long long)st.st_dev,
               (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
               st.st_mtim.tv_nsec);
    if (make_known(L, str_cstr(&key))) {
        rc = 0;
    } else if (read_whole(path, &text)) {
        rc = luaL_loadfile(L, path);
    } else {
        struct str name = STR_INIT;
        str_printf(&name, "@%s", path);
        rc = load_new(L, str_cstr(&key), str_cstr(&text), text.len, str_cstr(&name));
        str_free(&name);
    }
    str_free(&text);
    str_free(&key);
    return rc;
}
