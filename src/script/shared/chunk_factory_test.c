/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks for several clients of one state: functions with the caller's globals, made of the same
 * prototypes, with the lines and names of the text; texts that no factory can be made of; files
 * that change.
 */
#include "script/shared/shared.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"

/* A coroutine with globals of its own, left on the stack of L; _G.who = who. */
static lua_State *client(lua_State *L, const char *who)
{
    lua_State *co = lua_newthread(L);

    lua_newtable(co);
    lua_pushstring(co, who);
    lua_setfield(co, -2, "who");
    lua_getfield(co, LUA_GLOBALSINDEX, "error");
    lua_setfield(co, -2, "error");
    lua_replace(co, LUA_GLOBALSINDEX);
    return co;
}

/* What the text returns for this client; the error's text when it raises one. */
static const char *result(lua_State *co, const char *text, const char *name)
{
    lua_settop(co, 0);
    if (chunk_factory_load_text(co, text, strlen(text), name) == 0)
        lua_pcall(co, 0, 1, 0);
    return lua_isnoneornil(co, -1) ? "nil" : lua_tostring(co, -1);
}

static void test_texts(lua_State *L)
{
    lua_State *a = client(L, "a"), *b = client(L, "b");
    const char *shebang = "#!/usr/bin/env sysbench\nf = function() error(who) end\nreturn f()";

    for (int i = 0; i < 2; i++) {
        CHECK_STR(result(a, "return who", "=one"), "a");
        CHECK_STR(result(b, "return who", "=one"), "b");
        CHECK_STR(result(a, shebang, "=two"), "two:2: a");
        CHECK_STR(result(b, shebang, "=two"), "two:2: b");
        CHECK_STR(result(a, "\xef\xbb\xbf#!x\nreturn who -- no newline", "=three"), "a");
        CHECK_STR(result(b, "n = (n or 0) + 1 return n, ...", "=four"), i ? "2" : "1");
        CHECK_STR(result(a, "", "=five"), "nil");
    }
    /* errors are Lua's own, and a text cannot end the frame from inside */
    CHECK_STR(result(a, "x = = 1", "=six"), "six:1: unexpected symbol near '='");
    CHECK_STR(result(a, "return 1 end, function()", "=seven"),
              "seven:1: '<eof>' expected near 'end'");
    CHECK_STR(result(a, "\nreturn who .. nil", "=eight"),
              "eight:2: attempt to concatenate a nil value");
    lua_pop(L, 2);
}

/* The prototype of the function that the text returns, by its address. */
static const char *prototype(lua_State *co, lua_State *L, const char *text)
{
    const char *at;

    lua_settop(co, 0);
    chunk_factory_load_text(co, text, strlen(text), "=proto");
    lua_call(co, 0, 1);
    lua_getglobal(L, "address_of");
    lua_xmove(co, L, 1);
    lua_call(L, 1, 1);
    at = lua_tostring(L, -1);
    return at ? at : "?";
}

static void test_same_prototype(lua_State *L)
{
    lua_State *a = client(L, "a"), *b = client(L, "b");
    const char *text = "return function() return who end", *one, *two;

    CHECK_INT(luaL_dostring(L, "local u = require('jit.util')\n"
                               "function address_of(f) return tostring(u.funcinfo(f).proto) end"),
              0);
    one = prototype(a, L, text);
    two = prototype(b, L, text);
    CHECK_STR(one, two);
    CHECK(strncmp(one, "proto: ", 7) == 0);
    lua_settop(L, 0);
}

static void test_bytecode(lua_State *L)
{
    lua_State *a = client(L, "a"), *b = client(L, "b");
    const char *code;
    size_t len;

    CHECK_INT(luaL_dostring(L, "return string.dump(loadstring('return who'))"), 0);
    code = lua_tolstring(L, -1, &len);
    for (int i = 0; i < 2; i++) {
        lua_State *co = i ? b : a;
        CHECK_INT(chunk_factory_load_text(co, code, len, "=code"), 0);
        lua_call(co, 0, 1);
        CHECK_STR(lua_tostring(co, -1), i ? "b" : "a");
    }
    lua_settop(L, 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    fputs(text, f);
    fclose(f);
}

static void test_files(lua_State *L)
{
    lua_State *a = client(L, "a");
    char path[] = "/tmp/chunk_factory_test.XXXXXX";
    int fd = mkstemp(path);

    CHECK(fd >= 0);
    close(fd);
    for (int i = 0; i < 2; i++) {
        write_file(path, i ? "return who .. ' again'" : "return who");
        CHECK_INT(chunk_factory_load_file(a, path), 0);
        lua_call(a, 0, 1);
        CHECK_STR(lua_tostring(a, -1), i ? "a again" : "a");
    }
    unlink(path);
    CHECK(chunk_factory_load_file(a, path) != 0);
    CHECK(strstr(lua_tostring(a, -1), "cannot open") != NULL);
    lua_settop(L, 0);
}

TEST_MAIN(chunk_factory_test)
{
    lua_State *L = luaL_newstate();

    luaL_openlibs(L);
    test_texts(L);
    test_same_prototype(L);
    test_bytecode(L);
    test_files(L);
    lua_close(L);
    return test_done("chunk_factory");
}
