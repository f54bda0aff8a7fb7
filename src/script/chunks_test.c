/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which scripts and modules may be loaded once for all clients, and which may not.
 */
#include "script/chunks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

static char dir[] = "/tmp/chunks_test.XXXXXX";

static void write_file(const char *name, const char *text, long changed)
{
    struct timespec t[2] = {{changed, 0}, {changed, 0}};
    char path[64];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    utimensat(AT_FDCWD, path, t, 0);
}

static lua_State *state(struct chunks *c)
{
    lua_State *L = luaL_newstate();

    luaL_openlibs(L);
    chunks_serve_require(c, L);
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.lua", dir);
    lua_setfield(L, -2, "path");
    lua_pop(L, 1);
    return L;
}

/* What `text` returns, or raises, as a string; valid until the next call. */
static const char *eval(lua_State *L, const char *text)
{
    lua_settop(L, 0);
    if (luaL_dostring(L, text) && !lua_isstring(L, -1))
        return "(an error without text)";
    return lua_tostring(L, -1) ? lua_tostring(L, -1) : "(nothing)";
}

static size_t kept(const struct chunks *c)
{
    const struct {
        const void *next;
    } *k = (const void *)c->first;
    size_t n = 0;

    for (; k; k = k->next)
        n++;
    return n;
}

/* The second state gets bytecode and must not notice. */
static void states_cannot_tell(void)
{
    struct chunks c;

    chunks_init(&c);
    write_file("m.lua",
               "local n = 0\nlocal M = {}\nfunction M.count() n = n + 1 return n end\n"
               "function M.raise()\n  error('oops')\nend\nM.big = 42LL\nreturn M\n",
               1000);
    for (int i = 0; i < 3; i++) {
        lua_State *L = state(&c);
        char want[96];
        CHECK_STR(eval(L, "return require('m').count() .. ' ' .. require('m').count()"), "1 2");
        snprintf(want, sizeof want, "%s/m.lua:5: oops", dir);
        CHECK_STR(eval(L, "require('m').raise()"), want);
        CHECK_STR(eval(L, "return tostring(require('m').big)"), "42LL");
        snprintf(want, sizeof want, "@%s/m.lua", dir);
        CHECK_STR(eval(L, "return debug.getinfo(require('m').raise, 'S').source"), want);
        CHECK_STR(eval(L, "local k, v = debug.getupvalue(require('m').count, 1) return k .. v"),
                  "n2");
        lua_close(L);
        CHECK_INT(kept(&c), 2); /* where it is, and its bytecode */
    }
    chunks_fini(&c);
}

/* Lua's library calls this one. */
static unsigned opened;

__attribute__((visibility("default"))) FILE *fopen64(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *))(uintptr_t)dlsym(RTLD_NEXT, "fopen64");

    opened++;
    return real(path, mode);
}

/* The first state opens files until it has found the module, and to read it; the next ones none,
 * not even what would be found first by now.  Another path is another search, and a file that is
 * gone is searched for again. */
static void searched_for_once(void)
{
    static const char *const found[] = {"here", "here", "here", "earlier", "earlier"};
    static const unsigned opens[] = {4, 0, 0, 3, 2};
    char first[64], here[64];
    struct chunks c;

    chunks_init(&c);
    snprintf(first, sizeof first, "%s/first", dir);
    snprintf(here, sizeof here, "%s/s.lua", dir);
    write_file("s.lua", "return 'here'", 1000);
    for (int i = 0; i < 5; i++) {
        lua_State *L = state(&c);
        eval(L, "local path = package.path\n"
                "package.path = path:gsub('%?', 'no/?') .. ';' .. path:gsub('%?', 'first/?') ..\n"
                "   ';' .. path");
        if (i == 3)
            eval(L, "package.path = package.path .. ';'");
        if (i == 4)
            unlink(here);
        opened = 0;
        CHECK_STR(eval(L, "return require('s')"), found[i]);
        CHECK_INT(opened, opens[i]);
        lua_close(L);
        mkdir(first, 0700);
        write_file("first/s.lua", "return 'earlier'", 1000);
    }
    chunks_fini(&c);
}

static void changed_file_is_read_again(void)
{
    struct chunks c;
    lua_State *L;

    chunks_init(&c);
    write_file("v.lua", "return 'old'", 1000);
    L = state(&c);
    CHECK_STR(eval(L, "return require('v')"), "old");
    lua_close(L);
    write_file("v.lua", "return 'new'", 2000);
    L = state(&c);
    CHECK_STR(eval(L, "return require('v')"), "new");
    CHECK_STR(eval(L, "package.loaded.v = nil return require('v')"), "new");
    lua_close(L);
    chunks_fini(&c);
}

/* The words of require() itself. */
static void errors(void)
{
    struct chunks c;
    char want[256];
    lua_State *L;

    chunks_init(&c);
    write_file("bad.lua", "return return", 1000);
    L = state(&c);
    snprintf(want, sizeof want,
             "error loading module 'bad' from file '%s/bad.lua':\n\t%s/bad.lua:1: unexpected "
             "symbol near 'return'",
             dir, dir);
    for (int i = 0; i < 2; i++)
        CHECK_STR(eval(L, "require('bad')"), want);
    CHECK_INT(kept(&c), 1); /* where it is */
    eval(L, "package.cpath = ''");
    snprintf(want, sizeof want, "no file '%s/none/such.lua'", dir);
    CHECK(strstr(eval(L, "require('none.such')"), want) != NULL);
    CHECK(strstr(eval(L, "require('none.such')"), "module 'none.such' not found:") != NULL);
    CHECK_STR(eval(L, "package.path = nil require('x')"), "'package.path' must be a string");
    lua_close(L);
    chunks_fini(&c);
}

static void texts(void)
{
    static const char text[] = "local a = ...\nreturn function()\n error('here')\nend";
    struct chunks c;

    chunks_init(&c);
    for (int i = 0; i < 2; i++) {
        lua_State *L = state(&c);
        CHECK_INT(chunks_load_text(&c, L, text, strlen(text), "@name.lua", 0), 0);
        lua_call(L, 0, 1);
        CHECK(lua_pcall(L, 0, 0, 0) != 0);
        CHECK_STR(lua_tostring(L, -1), "name.lua:3: here");
        CHECK_INT(chunks_load_text(&c, L, "x x x", 5, "=bad", 0), LUA_ERRSYNTAX);
        CHECK_INT(chunks_load_text(&c, L, text, strlen(text), "=ours", 1), 0);
        CHECK_STR(eval(L, "string.dump = nil return 'gone'"), "gone");
        /* without string.dump: still loads */
        CHECK_INT(chunks_load_text(&c, L, "return 7", 8, "=seven", 0), 0);
        lua_call(L, 0, 1);
        CHECK_INT(lua_tointeger(L, -1), 7);
        lua_close(L);
        CHECK_INT(kept(&c), 2);
    }
    chunks_fini(&c);
}

TEST_MAIN(chunks_test)
{
    static const char *const files[] = {"m.lua", "v.lua", "bad.lua", "first/s.lua"};
    char path[64];

    if (!mkdtemp(dir))
        return 1;
    states_cannot_tell();
    searched_for_once();
    changed_file_is_read_again();
    errors();
    texts();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/first", dir);
    rmdir(path);
    rmdir(dir);
    return test_done("chunks");
}
