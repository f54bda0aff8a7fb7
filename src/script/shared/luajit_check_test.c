/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The check of LuaJIT: the one that is linked passes, and each way in which another one could
 * differ is found, named, and answered with a state for each client.
 */
#include "script/shared/luajit_check.h"

#include <lauxlib.h>
#include <lualib.h>

#include "base/test.h"
#include "base/test_capture.h"
#include "script/script.h"

static bool always(lua_State *L)
{
    (void)L;
    return true;
}

static bool never(lua_State *L)
{
    (void)L;
    return false;
}

static void keep_globals(lua_State *co)
{
    lua_pop(co, 1);
}

/* Each client compiles for itself. */
static int load_anew(lua_State *L, const char *text, size_t len, const char *name)
{
    return luaL_loadbuffer(L, text, len, name);
}

/* A chunk without the end of the text: `shared` is missing. */
static int load_wrong(lua_State *L, const char *text, size_t len, const char *name)
{
    (void)text;
    (void)len;
    return luaL_loadbuffer(L, "error('odd')", 12, name);
}

static int load_nothing(lua_State *L, const char *text, size_t len, const char *name)
{
    (void)text;
    (void)len;
    return luaL_loadbuffer(L, "result = 1", 10, name);
}

static int load_refused(lua_State *L, const char *text, size_t len, const char *name)
{
    (void)text;
    (void)len;
    return luaL_loadbuffer(L, "x = = 1", 7, name);
}

/* The state's own generator. */
static int common_random(lua_State *L)
{
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "random");
    lua_getfield(L, -2, "randomseed");
    lua_remove(L, -3);
    return 2;
}

static void without(lua_State *L, const char *text)
{
    luaL_openlibs(L);
    if (luaL_dostring(L, text))
        lua_error(L);
}

static void without_attach(lua_State *L)
{
    without(L, "jit.attach = nil");
}

static void without_new(lua_State *L)
{
    without(L, "package.preload['table.new'] = nil");
}

static void without_loader(lua_State *L)
{
    without(L, "package.loaders[4] = nil");
}

static void with_other_modules(lua_State *L)
{
    without(L, "debug.getregistry()._LOADED = {}");
}

/* The check with one of the traits replaced says this. */
#define EXPECT(member, value, text)                                                                \
    do {                                                                                           \
        struct luajit_traits t_ = luajit_traits;                                                   \
        struct err e_ = {0};                                                                       \
        t_.member = value;                                                                         \
        CHECK_INT(luajit_check(&t_, &e_), -1);                                                     \
        CHECK_STR(e_.msg, text);                                                                   \
    } while (0)

static void test_passes(void)
{
    struct err e = {0};

    for (int i = 0; i < 3; i++)
        CHECK_INT(luajit_check(&luajit_traits, &e), 0);
    CHECK_STR(e.msg, "");
    capture();
    CHECK_INT(script_shared_states(3), 3);
    CHECK_INT(script_shared_states(0), 0);
    CHECK_STR(captured(), "");
}

static void test_finds(void)
{
    EXPECT(collecting, always, "a finalizer cannot be told from other code");
    EXPECT(collecting, never, "a finalizer cannot be told from other code");
    EXPECT(own_globals, keep_globals, "coroutines share their globals");
    EXPECT(load, load_anew, "functions of one chunk have different prototypes");
    EXPECT(load, load_wrong, "coroutines on two stacks: turns:1: odd");
    EXPECT(load, load_nothing, "coroutines on two stacks disturb each other");
    EXPECT(load, load_refused, "cannot load a chunk: turns:1: unexpected symbol near '='");
    EXPECT(fresh_random, common_random, "math libraries share a random number generator");
    EXPECT(open_libraries, without_attach, "it has no jit.attach");
    EXPECT(open_libraries, without_loader, "it has no four package.loaders");
    EXPECT(open_libraries, with_other_modules, "it has no registry._LOADED");
    EXPECT(open_libraries, without_new, "it has no table.new");
}

static void test_falls_back(void)
{
    struct luajit_traits t = luajit_traits;

    t.collecting = always;
    capture();
    CHECK_INT(luajit_check_states(2, &t), 0);
    CHECK_STR(
        captured(),
        "WARNING: this LuaJIT cannot run several clients in one state (a finalizer cannot be told from "
        "other code): each client gets a Lua state of its own\n");
}

TEST_MAIN(luajit_check_test)
{
    test_passes();
    test_finds();
    test_falls_back();
    return test_done("luajit_check");
}
