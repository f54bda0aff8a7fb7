/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A script as the engine sees it (engine/workload.h).  Each client has a Lua state of its own or
 * a place in its worker's (shared.h), opened and closed on the client's thread; init() and done()
 * run in the main state.  Its events are run by thread_run() of sysbench.lua, by way of loop.c.
 */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prefetch.h"
#include "fiber/sched.h"
#include "script/api.h"
#include "script/exports.h"
#include "script/host.h"
#include "script/lua_states.h"
#include "script/shared/shared.h"

static struct script *script_of(struct workload *w)
{
    return ((struct script_run *)w)->script;
}

static int run_init(struct workload *w, struct err *e)
{
    struct script *s = script_of(w);
    size_t state = (size_t)lua_gc(s->main->L, LUA_GCCOUNT, 0) * 1024;
    int clients = (int)share_of(share_checked(s->env.share), s->run.peers.n);

    /* an old LuaJIT that does not know the word is none either */
    bool gc64 = luaL_dostring(s->main->L, "return require('ffi').abi('gc64')") == 0 &&
                lua_toboolean(s->main->L, -1);
    lua_pop(s->main->L, 1);
    if (memory_check(gc64, state, clients, s->run.nshared, e))
        return -1;

    if (vm_call_global(s->main, "init", false, e))
        return -1;
    s->options_fixed = true;
    if (!vm_has_global(s->main, "event"))
        return err_set(e, ERR_FAILED, "cannot find the event() function in %s",
                       script_base_name(s));
    s->run.in_c =
        !*s->luajit_cmd && log_verbosity() < LOG_DEBUG && script_is_bundled(s->env.testname);
    return 0;
}

/* After the lines that all tests have: a script's own, by sysbench.hooks.print_header. */
static void print_header(struct workload *w)
{
    struct script *s = script_of(w);
    struct err e = {0};

    vm_push_api(s->main, "hooks", "print_header");
    if (lua_isnil(s->main->L, -1))
        lua_pop(s->main->L, 1);
    else if (vm_call(s->main, "sysbench.hooks.print_header", 0, 0, &e))
        s->report_failed = true;
}

static int run_done(struct workload *w, struct err *e)
{
    struct script *s = script_of(w);

    if (vm_call_global(s->main, "done", false, e))
        return -1;
    return s->report_failed ? err_set(e, ERR_REPORTED, "a report hook failed") : 0;
}

/* See sql_settle. */
static void settle(const struct vm *vm)
{
    for (size_t i = 0; vm && i < vm->cx.nconnections; i++)
        sql_settle(vm->cx.connection[i]);
}

static int client_open(struct workload *w, struct client *c, void **state, struct err *e)
{
    struct script *s = script_of(w);
    struct vm *vm = NULL;
    int rc = vm_open(&vm, s, client_id(c), NULL, c, e);

    *state = vm;
    if (rc == 0) {
        atomic_store_explicit(&s->run.peers.counters[vm->cx.tid], vm->cx.counters,
                              memory_order_release);
        rc = vm_load(vm, e);
    }
    /* so that a script's first event need not connect */
    if (rc == 0 && s->env.generation->connects_before_init && !s->own &&
        vm_has_global(vm, "thread_init"))
        rc = vm_call_global(vm, "db_connect", false, e);
    if (rc == 0)
        rc = vm_call_global(vm, "thread_init", true, e);
    settle(vm);
    return rc;
}

static int client_run(struct workload *w, struct client *c, void *state, struct err *e)
{
    struct vm *vm = state;
    struct prefetch_list *l = prefetch_more(PREFETCH_OF_CLIENT);
    struct script_context *old = context_set(&vm->cx);

    (void)w;
    (void)c;
    if (l) { /* what each event touches of a client */
        prefetch_add(l, &vm->cx, sizeof vm->cx);
        prefetch_add(l, vm->place, 2 * CACHE_LINE);
        prefetch_add(l, vm->L, 2 * CACHE_LINE);
    }
    struct vm_entry entry = vm_enter(vm);
    lua_getglobal(vm->L, "thread_run");
    lua_pushinteger(vm->L, vm->cx.tid);
    int rc = vm_call(vm, "thread_run", 1, 0, e);
    vm_leave(entry); /* others may have the worker while what follows waits */
    /* a loop of the script's own may have left its last event open */
    sb_event_start(vm->cx.tid);
    if (rc)
        sb_event_fail(vm->cx.tid);
    else
        sb_event_cancel(vm->cx.tid);
    settle(vm);
    context_set(old);
    return rc;
}

static int client_close(struct workload *w, struct client *c, void *state, bool failed,
                        struct err *e)
{
    (void)w;
    (void)c;
    return failed ? 0 : vm_call_global(state, "thread_done", true, e);
}

static void client_free(struct workload *w, struct client *c, void *state)
{
    (void)w;
    (void)c;
    vm_close(state);
}

static int client_here(void)
{
    const struct script_context *cx = context_get();

    return cx && cx->client ? cx->tid : -1;
}

/*
 * Where a client is that stalls its worker.  The question comes in a signal handler, where a Lua
 * state must not be touched, with one exception: LuaJIT, like Lua, lets a hook be set at any
 * moment. The hook runs when the interpreter executes its next instruction, and reads the place. In
 * compiled code that is when the trace is left; in a C function, when it returns.  If the client
 * blocks before, the place stays unknown.
 *
 * The place is a line of the script: a frame of our own modules, which it has called or which call
 * it, tells the user nothing.
 */

#define FRAMES 64 /* of ours, above the script's */

/* The client that stalls.  In a shared state the hook runs for whichever client is next. */
static _Thread_local struct script_context *stalling;

/* Tells the line of the script that runs, if there is one: C functions and modules without lines
 * have no current line. */
static void say_where(lua_State *L, lua_Debug *hook)
{
    char place[LUA_IDSIZE + 24];
    lua_Debug ar;

    (void)hook;
    lua_sethook(L, NULL, 0, 0);
    for (int level = 0; context_get() == stalling && level < FRAMES; level++) {
        if (!lua_getstack(L, level, &ar))
            return;
        if (!lua_getinfo(L, "Sl", &ar) || ar.currentline <= 0 || api_text(ar.source))
            continue;
        snprintf(place, sizeof place, "%s:%d", ar.short_src, ar.currentline);
        sched_stalled_at(place);
        return;
    }
}

void script_client_stalled(void)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->client || cx->closing)
        return;
    struct vm *vm = vm_of_context(cx);
    if (vm->mix)
        return; /* hardly any Lua runs */
    stalling = cx;
    if (vm->L && !lua_gethook(vm->L)) /* else the script has one of its own */
        lua_sethook(vm->L, say_where, LUA_MASKCOUNT, 1);
}

static const struct workload_ops ops = {
    .name = "lua",
    .is_script = true,
    .init = run_init,
    .print_header = print_header,
    .client_open = client_open,
    .client_run = client_run,
    .client_close = client_close,
    .client_free = client_free,
    .client_stalled = script_client_stalled,
    .client_here = client_here,
    .done = run_done,
};

struct workload *script_workload(struct script *s, int shared_states)
{
    struct script_run *r = &s->run;

    r->workload = (struct workload){.ops = &ops, .name = s->env.testname};
    r->script = s;
    r->peers.n = (size_t)s->env.threads;
    free(r->shared);
    r->nshared = shared_states;
    r->shared = shared_states ? mem_array((size_t)shared_states, sizeof *r->shared) : NULL;
    free(r->peers.counters);
    r->peers.counters = mem_array(r->peers.n, sizeof *r->peers.counters);
    return &r->workload;
}
