/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See luajit_check.h.  Two coroutines of a state run the same text, one on the caller's stack and
 * one on a fiber.  They take turns at each wait(), and each must come to the sum that it would come
 * to alone.
 */
#include "script/shared/luajit_check.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "base/log.h"
#include "fiber/fiber.h"
#include "script/script.h"
#include "script/shared/chunk_factory.h"
#include "script/shared/functions.h"

/* --- what is relied on --- */

static bool collecting(lua_State *L)
{
    return lua_gc(L, LUA_GCISRUNNING, 0);
}

static void own_globals(lua_State *co)
{
    lua_replace(co, LUA_GLOBALSINDEX);
}

const struct luajit_traits luajit_traits = {
    .collecting = collecting,
    .own_globals = own_globals,
    .load = chunk_factory_load_text,
    .fresh_random = shared_fresh_random,
    .open_libraries = luaL_openlibs,
};

/* --- the text that both coroutines run --- */

/* The rounds are enough for the loops to be compiled.  `first` is the number of the coroutine, so
 * the two differ in every value; one waits more often than the other, so their turns do not pair.
 */
static const char turns[] = "local wait, first = ...\n"
                            "local sum = 0\n"
                            "local function add(i)\n"
                            "   local n = wait(first * i)\n"
                            "   if i % 16 == 0 then error({n}) end\n"
                            "   sum = sum + n\n"
                            "end\n"
                            "for i = 1, 160 do\n"
                            "   local ok, e = pcall(add, i)\n"
                            "   if not ok then sum = sum - e[1] end\n"
                            "   if i % 64 == 0 then collectgarbage() end\n"
                            "end\n"
                            "for i = 1, 160 * first do\n"
                            "   local n = wait(i)\n"
                            "   sum = sum + n\n"
                            "end\n"
                            "result = sum\n"
                            "function shared() return result end\n";

/* What `result` is. */
static double expected(int first)
{
    double sum = 0;

    for (int i = 1; i <= 160; i++)
        sum += i % 16 ? first * i : -first * i;
    for (int i = 1; i <= 160 * first; i++)
        sum += i;
    return sum;
}

/* --- texts that check one thing each --- */

/* Returns what is missing. */
static const char parts[] =
    "for _, name in ipairs({'jit.attach', 'package.searchpath', 'package.loaders', 'newproxy'}) do\n"
    "   local at = _G\n"
    "   for part in name:gmatch('[^.]+') do at = at and at[part] end\n"
    "   if at == nil then return name end\n"
    "end\n"
    "if not pcall(require, 'table.new') then return 'table.new' end\n"
    "if #package.loaders ~= 4 then return 'four package.loaders' end\n"
    "if debug.getregistry()._LOADED ~= package.loaded then return 'registry._LOADED' end\n";

static const char finalizer[] =
    "local collecting = ...\n"
    "local inside\n"
    "getmetatable(newproxy(true)).__gc = function() inside = collecting() end\n"
    "collectgarbage() collectgarbage()\n"
    "return collecting() and inside == false\n";

static const char prototypes[] = "local proto = require('jit.util').funcinfo\n"
                                 "local a, b = ...\n"
                                 "return a ~= b and proto(a).proto == proto(b).proto\n";

static const char random[] = "local one, seed_one, two, seed_two = ...\n"
                             "seed_one(1) seed_two(1)\n"
                             "for _ = 1, 3 do one() end\n"
                             "local drawn = two()\n"
                             "seed_one(1)\n"
                             "return one() == drawn\n";

/* --- taking turns --- */

struct check {
    const struct luajit_traits *traits;
    lua_State *L;
    lua_State *co[2];
    struct fiber fiber[2]; /* the caller's stack, the other one */
    bool ended[2];
    int rc[2]; /* of lua_pcall */
};

static struct check *check_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* wait(n): lets the other coroutine run, then returns n. */
static int take_turns(lua_State *L)
{
    struct check *c = check_of(L);
    int me = L == c->co[1];

    if (!c->ended[!me])
        fiber_switch(&c->fiber[me], &c->fiber[!me]);
    lua_pushnumber(L, lua_tonumber(L, 1));
    return 1;
}

static int is_collecting(lua_State *L)
{
    lua_pushboolean(L, check_of(L)->traits->collecting(L));
    return 1;
}

static void push_function(struct check *c, lua_State *L, lua_CFunction f)
{
    lua_pushlightuserdata(L, c);
    lua_pushcclosure(L, f, 1);
}

static void run(struct check *c, int me)
{
    lua_State *co = c->co[me];

    push_function(c, co, take_turns);
    lua_pushinteger(co, me + 1);
    c->rc[me] = lua_pcall(co, 2, 0, 0);
    c->ended[me] = true;
}

static void run_other(void *arg)
{
    struct check *c = arg;

    run(c, 1);
    fiber_leave(&c->fiber[1], &c->fiber[0]);
}

static int run_both(struct check *c, struct err *e)
{
    fiber_adopt_thread(&c->fiber[0]);
    if (fiber_open(&c->fiber[1], FIBER_STACK_MIN, run_other, c, e))
        return -1;
    run(c, 0);
    while (!c->ended[1])
        fiber_switch(&c->fiber[0], &c->fiber[1]);
    fiber_close(&c->fiber[1]);
    for (int i = 0; i < 2; i++) {
        if (c->rc[i])
            return err_set(e, ERR_FAILED, "coroutines on two stacks: %s",
                           lua_tostring(c->co[i], -1));
    }
    return 0;
}

/* --- the check --- */

/* Runs the text with the arguments on top of the stack; leaves what it returns.  Raises errors. */
static void run_text(lua_State *L, const char *text, int nargs)
{
    if (luaL_loadbuffer(L, text, strlen(text), "=check"))
        lua_error(L);
    lua_insert(L, -1 - nargs);
    lua_call(L, nargs, 1);
}

/* A coroutine with globals of its own and the text, loaded, on its stack.  It stays on the stack
 * of L. */
static void add_coroutine(struct check *c, int i)
{
    static const char *const base[] = {"pcall", "error", "collectgarbage"};
    lua_State *co = c->co[i] = lua_newthread(c->L);

    lua_newtable(co);
    for (size_t k = 0; k < sizeof base / sizeof *base; k++) {
        lua_getglobal(c->L, base[k]);
        lua_xmove(c->L, co, 1);
        lua_setfield(co, -2, base[k]);
    }
    c->traits->own_globals(co);
    if (c->traits->load(co, turns, strlen(turns), "=turns"))
        luaL_error(c->L, "cannot load a chunk: %s", lua_tostring(co, -1));
}

/* Protected: checks all but the turns, and makes the coroutines for those. */
static int check_parts(lua_State *L)
{
    struct check *c = lua_touserdata(L, 1);

    c->traits->open_libraries(L);
    run_text(L, parts, 0);
    if (!lua_isnil(L, -1))
        return luaL_error(L, "it has no %s", lua_tostring(L, -1));
    push_function(c, L, is_collecting);
    run_text(L, finalizer, 1);
    if (!lua_toboolean(L, -1))
        return luaL_error(L, "a finalizer cannot be told from other code");
    for (int i = 0; i < 2; i++) {
        lua_pushcfunction(L, c->traits->fresh_random);
        lua_call(L, 0, 2);
    }
    run_text(L, random, 4);
    if (!lua_toboolean(L, -1))
        return luaL_error(L, "math libraries share a random number generator");
    for (int i = 0; i < 2; i++)
        add_coroutine(c, i);
    return 2;
}

/* Protected, after the turns. */
static int check_functions(lua_State *L)
{
    struct check *c = lua_touserdata(L, 1);

    lua_getglobal(L, "result");
    if (!lua_isnil(L, -1))
        return luaL_error(L, "coroutines share their globals");
    for (int i = 0; i < 2; i++) {
        lua_getglobal(c->co[i], "result");
        if (lua_tonumber(c->co[i], -1) != expected(i + 1))
            return luaL_error(L, "coroutines on two stacks disturb each other");
        lua_getglobal(c->co[i], "shared");
        lua_xmove(c->co[i], L, 1);
    }
    run_text(L, prototypes, 2);
    if (!lua_toboolean(L, -1))
        return luaL_error(L, "functions of one chunk have different prototypes");
    return 0;
}

/* Runs f(c) and leaves its results. */
static int protected(struct check *c, lua_CFunction f, int nresults, struct err *e)
{
    lua_pushcfunction(c->L, f);
    lua_pushlightuserdata(c->L, c);
    return lua_pcall(c->L, 1, nresults, 0) ? err_set(e, ERR_FAILED, "%s", lua_tostring(c->L, -1))
                                           : 0;
}

int luajit_check(const struct luajit_traits *t, struct err *e)
{
    struct check c = {.traits = t, .L = luaL_newstate()};
    int rc;

    if (!c.L)
        return err_set(e, ERR_FAILED, "out of memory");
    rc =
        protected(&c, check_parts, 2, e) || run_both(&c, e) || protected(&c, check_functions, 0, e);
    lua_close(c.L);
    return rc ? -1 : 0;
}

int luajit_check_states(int states, const struct luajit_traits *t)
{
    struct err why = {0};

    if (luajit_check(t, &why) == 0)
        return states;
    log_warn("this LuaJIT cannot run several clients in one state (%s): each client gets a Lua "
             "state of its own",
             why.msg);
    return 0;
}

int script_shared_states(int states)
{
    return states ? luajit_check_states(states, &luajit_traits) : 0;
}
