/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See chunks.h.  A list is enough: a run loads about ten texts, the same ones in every state.
 */
#include "script/chunks.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

/* What a file was when it was compiled; all 0 for a text in memory. */
struct stamp {
    dev_t dev;
    ino_t ino;
    off_t size;
    int64_t changed_ns;
};

struct chunk {
    struct chunk *next;
    char *name;
    struct stamp stamp;
    size_t len;
    char code[]; /* constant once it is in the list: readers need the lock for the list only */
};

void chunks_init(struct chunks *c)
{
    pthread_mutex_init(&c->lock, NULL);
    c->first = NULL;
}

void chunks_fini(struct chunks *c)
{
    for (struct chunk *k = c->first, *next; k; k = next) {
        next = k->next;
        free(k->name);
        free(k);
    }
    c->first = NULL;
    pthread_mutex_destroy(&c->lock);
}

static const struct chunk *find(struct chunks *c, const char *name, const struct stamp *s)
{
    const struct chunk *k;

    pthread_mutex_lock(&c->lock);
    for (k = c->first; k; k = k->next)
        if (strcmp(k->name, name) == 0 && k->stamp.dev == s->dev && k->stamp.ino == s->ino &&
            k->stamp.size == s->size && k->stamp.changed_ns == s->changed_ns)
            break;
    pthread_mutex_unlock(&c->lock);
    return k;
}

static const struct stamp none;

/* Another thread may have been faster: a duplicate does no harm. */
static void keep(struct chunks *c, const char *name, const struct stamp *stamp, const char *code,
                 size_t len)
{
    struct chunk *k = mem_alloc(sizeof *k + len);

    k->name = mem_strdup(name);
    k->stamp = *stamp;
    k->len = len;
    memcpy(k->code, code, len);
    pthread_mutex_lock(&c->lock);
    k->next = c->first;
    c->first = k;
    pthread_mutex_unlock(&c->lock);
}

/* The function on top of the stack has just been compiled.  If a script has removed string.dump,
 * every state compiles for itself. */
static void keep_top(struct chunks *c, lua_State *L, const char *name, const struct stamp *stamp,
                     int strip)
{
    const char *code;
    size_t len;

    luaL_loadstring(L, "return string.dump(...)");
    lua_pushvalue(L, -2);
    lua_pushboolean(L, strip);
    if (lua_pcall(L, 2, 1, 0) == 0 && (code = lua_tolstring(L, -1, &len)) && !find(c, name, stamp))
        keep(c, name, stamp, code, len);
    lua_pop(L, 1);
}

int chunks_load_text(struct chunks *c, lua_State *L, const char *text, size_t len, const char *name,
                     int strip)
{
    const struct chunk *k = find(c, name, &none);

    if (k)
        return luaL_loadbuffer(L, k->code, k->len, name);
    int rc = luaL_loadbuffer(L, text, len, name);
    if (rc == 0)
        keep_top(c, L, name, &none, strip);
    return rc;
}

int chunks_load_file(struct chunks *c, lua_State *L, const char *path)
{
    struct stamp stamp = {0};
    struct stat st;
    int rc;

    if (stat(path, &st) || !S_ISREG(st.st_mode))
        /* a pipe can be read only once; for a missing file Lua has the message */
        return luaL_loadfile(L, path);
    stamp = (struct stamp){st.st_dev, st.st_ino, st.st_size,
                           (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
    const struct chunk *k = find(c, path, &stamp);
    if (k) {
        lua_pushfstring(L, "@%s", path);
        rc = luaL_loadbuffer(L, k->code, k->len, lua_tostring(L, -1));
        lua_remove(L, -2);
        return rc;
    }
    rc = luaL_loadfile(L, path);
    if (rc == 0)
        keep_top(c, L, path, &stamp, 0);
    return rc;
}

/* --- what was loaded --- */

int chunks_read(FILE *f, size_t most, struct str *out)
{
    char part[8192];
    size_t n;

    while (out->len <= most && (n = fread(part, 1, sizeof part, f)) > 0)
        str_add(out, part, n);
    return ferror(f) ? -1 : 0;
}

uint32_t chunks_sum(struct chunks *c)
{
    struct crc32 table;
    uint32_t sum = 0;

    crc32_setup(&table);
    pthread_mutex_lock(&c->lock);
    for (const struct chunk *k = c->first, *twin; k; k = k->next) {
        struct str text = STR_INIT;
        for (twin = c->first; twin != k && strcmp(twin->name, k->name) != 0; twin = twin->next)
            ;
        if (!k->stamp.ino || twin != k) /* a file that has changed is in the list twice */
            continue;
        FILE *f = fopen(k->name, "rb");
        if (f) {
            chunks_read(f, SIZE_MAX - 1, &text);
            fclose(f);
        }
        sum += crc32_of(&table, str_cstr(&text), text.len);
        str_free(&text);
    }
    pthread_mutex_unlock(&c->lock);
    return sum;
}

/* --- require --- */

/* package.searchpath(): what was found once in a search path is not searched for again while it can
 * be read.  The file's name is kept like a chunk; names of chunks do not begin with ?. */
static int search_path(lua_State *L)
{
    struct chunks *c = lua_touserdata(L, lua_upvalueindex(1));
    int n = lua_gettop(L);
    const char *key = n == 2 && lua_isstring(L, 1) && lua_isstring(L, 2)
                          ? lua_pushfstring(L, "?%s\n%s", lua_tostring(L, 1), lua_tostring(L, 2))
                          : NULL;
    const struct chunk *k = key ? find(c, key, &none) : NULL;

    if (k && access(k->code, R_OK) == 0) {
        lua_pushstring(L, k->code);
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(2)); /* Lua's own */
    for (int i = 1; i <= n; i++)
        lua_pushvalue(L, i);
    lua_call(L, n, 2);
    if (lua_isnil(L, -2))
        return 2; /* the paths that were tried */
    lua_pop(L, 1);
    if (key && !k)
        keep(c, key, &none, lua_tostring(L, -1), lua_objlen(L, -1) + 1);
    return 1;
}

/* A searcher of package.loaders: the loader of module `name`, or a string that says where none
 * was found. */
static int search(lua_State *L)
{
    struct chunks *c = lua_touserdata(L, lua_upvalueindex(1));
    const char *name = luaL_checkstring(L, 1), *path;

    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(2)); /* the table package */
    lua_getfield(L, 2, "path");
    if (!lua_isstring(L, 3))
        return luaL_error(L, "'package.path' must be a string");
    lua_pushvalue(L, lua_upvalueindex(3)); /* search_path() */
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 3);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2))
        return 1; /* the paths that were tried */
    lua_pop(L, 1);
    path = lua_tostring(L, -1);
    if (chunks_load_file(c, L, path))
        return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path,
                          lua_tostring(L, -1));
    return 1;
}

void chunks_serve_require(struct chunks *c, lua_State *L)
{
    lua_getglobal(L, "package");
    lua_pushlightuserdata(L, c);
    lua_getfield(L, -2, "searchpath");
    lua_pushcclosure(L, search_path, 2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "searchpath");
    lua_getfield(L, -2, "loaders");
    lua_pushlightuserdata(L, c);
    lua_pushvalue(L, -4);
    lua_pushvalue(L, -4);
    lua_pushcclosure(L, search, 3);
    /* the first looks into package.preload, the second is the one for Lua files */
    lua_rawseti(L, -2, 2);
    lua_pop(L, 3);
}
