/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: Lua states, and calls into them.  A state (struct vm) belongs to one
 * context (context.h): the main thread, a client, a reporter, a thread of a command.  Each runs the
 * script's top level once; nothing is shared between states but what struct script holds, which is
 * constant while several threads run.  With --workers=lua-state=worker the clients of a worker
 * share one lua_State, in which each has globals of its own (shared/shared.h); a struct vm is then
 * such a place.
 */
#ifndef SB_SCRIPT_VM_H
#define SB_SCRIPT_VM_H

#include <lua.h>

#include "base/str.h"
#include "script/chunks.h"
#include "script/context.h"
#include "script/loading.h"
#include "script/script.h"

enum script_source { SCRIPT_STDIN, SCRIPT_FILE, SCRIPT_MODULE };

struct vm {
    lua_State *L;
    struct script *script;
    struct script_context cx;
    struct rng rng;              /* unless the client has one */
    struct counters *counters;   /* likewise */
    struct shared_client *place; /* in a state that it shares: shared.c's */
    const struct mix *mix;       /* its events, if C runs them (mix.h); NULL: Lua does */
};

static inline struct vm *vm_of_context(struct script_context *cx)
{
    return (struct vm *)((char *)cx - offsetof(struct vm, cx));
}

struct script_run {
    struct workload workload; /* first: what the engine holds */
    struct script *script;
    struct script_peers peers;
    bool in_c; /* nothing that its events run is the user's own, and nothing asks for Lua: mix.h */
    /* nshared of them, by worker: --workers=lua-state=worker; 0: each client has its own */
    struct shared_state **shared;
    int nshared;
};

struct script {
    struct script_env env;
    const char *luajit_cmd; /* --luajit-cmd, for every Lua state; "": none */
    enum script_source source;
    char *text; /* of a file or of stdin, read once */
    size_t text_len;
    char *chunk_name; /* how its errors name it: "@path" */
    struct chunks chunks;
    struct vm *main;
    struct opts *own;           /* the script's options alone, for its help; NULL: it has none */
    struct test_args *args;     /* what sb_lua_set_test_args() was given; NULL: it was not called */
    bool options_known;         /* sysbench.opt exists from now on */
    bool options_fixed;         /* init() has returned: other threads read the table */
    bool hook[2];               /* by enum script_hook */
    _Atomic bool report_failed; /* a report was lost: the run's exit status says so */
    struct script_listener listener;
    struct progress progress;
    struct loading *loading;
    struct script_run run;
};

/* What is left when the Lua state, or the place in it, is gone. */
void vm_free(struct vm *vm);

/* Around every use of the state that may run Lua code, the collector included: the vm's context
 * is current, and in a shared state the client keeps its worker (sched_pin) but where
 * shared/deferred.h says. */
struct vm_entry {
    struct script_context *old;
    bool unpin;
};
struct vm_entry vm_enter(struct vm *vm);
void vm_leave(struct vm_entry entry);

/*
 * Calls what is on the stack (function, nargs arguments) in the vm's context and leaves nresults.
 * -1: Lua raised an error; "FATAL: `name' function failed: message" has been printed (nothing for
 * error({reported = true}), by which a script says that it has printed why), the stack is clean.
 */
int vm_call(struct vm *vm, const char *name, int nargs, int nresults, struct err *e);

/* Calls a global function if there is one; -1 as vm_call.  With `arg`: the tid is passed. */
int vm_call_global(struct vm *vm, const char *name, bool arg, struct err *e);
bool vm_has_global(struct vm *vm, const char *name);

/* Pushes sysbench.cmdline.<name>, or sysbench.<table>.<name> (nil where something is missing). */
void vm_push_api(struct vm *vm, const char *table, const char *name);

/* The error on top of the stack as text; never NULL. */
/* Reads what the function of that name has left unread of the results of its statements, which may
 * hide an error: as if the function had failed. */
int vm_read_rest(struct vm *vm, const char *name, struct err *e);

const char *vm_error_text(lua_State *L); /* may replace it by that text */

/* Whose Lua code is running; outside of any, whose state it is (vm_own). */
struct vm *vm_of(lua_State *L);
void vm_own(lua_State *L, struct vm *vm);

#endif
