/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See vm.h.  Whatever can raise a Lua error happens inside a protected call.
 */
#include "script/vm.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "fiber/sched.h"

static const char vm_key[] = "sysbench.vm";

struct vm *vm_of(lua_State *L)
{
    struct script_context *cx = context_get();

    if (cx)
        return vm_of_context(cx);
    lua_getfield(L, LUA_REGISTRYINDEX, vm_key);
    struct vm *vm = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return vm;
}

const char *vm_error_text(lua_State *L)
{
    static const char *const members[] = {"sql_errno", "sql_state", "sql_errmsg"};
    int at = lua_gettop(L);
    const char *text[3];

    /* An ignored SQL error is raised as a table (sysbench.sql.lua), for a loop that retries.  Where
     * there is none, its text takes its place, in the words of errors that are not ignored. */
    if (lua_istable(L, at) && lua_checkstack(L, 8)) {
        for (int i = 0; i < 3; i++) {
            lua_pushstring(L, members[i]);
            lua_rawget(L, at);
            text[i] = lua_tostring(L, -1);
        }
        if (text[0] && text[1] && text[2]) {
            lua_pushfstring(L, "SQL error, errno = %s, state = '%s': %s", text[0], text[1],
                            text[2]);
            lua_replace(L, at);
        }
        lua_settop(L, at);
    }
    text[0] = lua_tostring(L, -1);
    return text[0] ? text[0] : "(not a string)";
}

void vm_own(lua_State *L, struct vm *vm)
{
    lua_pushlightuserdata(L, vm);
    lua_setfield(L, LUA_REGISTRYINDEX, vm_key);
}

void vm_free(struct vm *vm)
{
    context_fini(&vm->cx);
    free(vm->counters);
    free(vm);
}

struct vm_entry vm_enter(struct vm *vm)
{
    return (struct vm_entry){.old = context_set(&vm->cx),
                             .unpin = vm->cx.shared && !sched_pin(true)};
}

void vm_leave(struct vm_entry entry)
{
    if (entry.unpin)
        sched_pin(false);
    context_set(entry.old);
}

static int traceback(lua_State *L)
{
    const char *text = lua_tostring(L, 1);

    if (text) {
        luaL_traceback(L, L, text, 1);
        log_debug("%s", lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return 1;
}

static void say_failed(const struct vm *vm, const char *name, const char *why)
{
    if (!vm->script->env.generation->options_are_globals)
        log_fatal("`%s' function failed: %s", name, why);
    else /* in its words; thread_run() is ours, its event was 0.5's */
        log_fatal("failed to execute function `%s': %s",
                  strcmp(name, "thread_run") == 0 ? "event" : name, why);
}

int vm_call(struct vm *vm, const char *name, int nargs, int nresults, struct err *e)
{
    struct vm_entry entry = vm_enter(vm);
    lua_State *L = vm->L;
    int base = lua_gettop(L) - nargs, rc;
    bool reported = false;
    char *whole = NULL;

    lua_pushcfunction(L, traceback);
    lua_insert(L, base);
    rc = lua_pcall(L, nargs, nresults, log_verbosity() >= LOG_DEBUG ? base : 0);
    lua_remove(L, base);
    vm_leave(entry);
    if (!rc)
        return 0;
    progress_hide(&vm->script->progress);
    if (lua_istable(L, -1)) {
        /* error({reported = true}): the script has printed why; error({fatal = "..."}): a sentence
         * that says all, in which no function is named */
        lua_pushliteral(L, "reported");
        lua_rawget(L, -2);
        reported = lua_toboolean(L, -1);
        lua_pushliteral(L, "fatal");
        lua_rawget(L, -3);
        whole = lua_tostring(L, -1) ? mem_strdup(lua_tostring(L, -1)) : NULL;
        lua_pop(L, 2);
    }
    if (reported)
        ;
    else if (whole || !name)
        log_fatal("%s", whole ? whole : vm_error_text(L));
    else
        say_failed(vm, name, vm_error_text(L));
    free(whole);
    err_set(e, ERR_REPORTED, "%s", vm_error_text(L));
    lua_pop(L, 1);
    return -1;
}

bool vm_has_global(struct vm *vm, const char *name)
{
    struct vm_entry entry = vm_enter(vm); /* a script may have given its globals a metatable */

    lua_getfield(vm->L, LUA_GLOBALSINDEX, name);
    bool is = lua_isfunction(vm->L, -1);
    lua_pop(vm->L, 1);
    vm_leave(entry);
    return is;
}

int vm_call_global(struct vm *vm, const char *name, bool arg, struct err *e)
{
    if (!vm_has_global(vm, name))
        return 0;
    struct vm_entry entry = vm_enter(vm);
    lua_getglobal(vm->L, name);
    if (arg)
        lua_pushinteger(vm->L, vm->cx.tid);
    int rc = vm_call(vm, name, arg ? 1 : 0, 0, e);
    vm_leave(entry);
    return rc ? rc : vm_read_rest(vm, name, e);
}

/* Lua is not running: in a shared state others may have the worker meanwhile. */
int vm_read_rest(struct vm *vm, const char *name, struct err *e)
{
    struct script_context *old = context_set(&vm->cx);
    sql_connection *con;
    int rc = 0;

    while (rc == 0 && (con = context_unread(&vm->cx)) != NULL)
        if (!sql_discard_results(con))
            rc = err_set(e, ERR_REPORTED, "SQL error, errno = %d, state = '%s': %s", con->sql_errno,
                         con->sql_state ? con->sql_state : "",
                         con->sql_errmsg ? con->sql_errmsg : "");
    context_set(old);
    if (rc)
        say_failed(vm, name, e->msg);
    return rc;
}

void vm_push_api(struct vm *vm, const char *table, const char *name)
{
    lua_State *L = vm->L;

    lua_getglobal(L, "sysbench");
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, table);
        lua_remove(L, -2);
    }
    if (lua_istable(L, -1))
        lua_getfield(L, -1, name);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}
