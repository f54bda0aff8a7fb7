/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Inside of the script floor: Lua states and how a script gets into them.  A state (struct vm)
 * belongs to one context (context.h): the main thread, a client, a reporter, a thread of a command.
 * Each runs the script's top level once; nothing is shared between states but what struct script
 * holds, which is constant while several threads run.  With --lua-state=worker the clients of a
 * worker share one lua_State, in which each has globals of its own (shared.h); a struct vm is then
 * such a place.
 */
#ifndef SB_SCRIPT_HOST_H
#define SB_SCRIPT_HOST_H

#include <lua.h>

#include "base/str.h"
#include "script/chunks.h"
#include "script/context.h"
#include "script/progress.h"
#include "script/script.h"

enum script_source { SCRIPT_STDIN, SCRIPT_FILE, SCRIPT_MODULE };

struct vm {
    lua_State *L;
    struct script *script;
    struct script_context cx;
    struct rng rng;              /* unless the client has one */
    struct counters *counters;   /* likewise */
    struct shared_client *place; /* in a state that it shares: shared.c's */
};

static inline struct vm *vm_of_context(struct script_context *cx)
{
    return (struct vm *)((char *)cx - offsetof(struct vm, cx));
}

struct script_run {
    struct workload workload; /* first: what the engine holds */
    struct script *script;
    struct script_peers peers;
    struct shared_state *
        *shared; /* nshared of them, by worker: --lua-state=worker; 0: each client has its own */
    int nshared;
};

struct script {
    struct script_env env;
    enum script_source source;
    char *text; /* of a file or of stdin, read once */
    size_t text_len;
    char *chunk_name; /* how its errors name it: "@path" */
    struct chunks chunks;
    struct vm *main;
    struct opts *own;           /* the script's options alone, for its help; NULL: it has none */
    struct test_args *args;     /* what sb_lua_set_test_args() was given; NULL: it was not called */
    bool options_known;         /* sysbench.opt exists from now on */
    bool hook[2];               /* by enum script_hook */
    _Atomic bool report_failed; /* a report was lost: the run's exit status says so */
    struct script_listener listener;
    struct progress progress;
    struct script_run run;
};

/*
 * Opens a state with the script API in it; the script is not loaded yet.  `client` NULL: outside a
 * run, then `rng` is copied.  The caller's thread is the only one that may use it.
 */
int vm_open(struct vm **out, struct script *s, int tid, const struct rng *rng,
            struct client *client, struct err *e);
void vm_close(struct vm *vm);
/* What is left when the Lua state, or the place in it, is gone. */
void vm_free(struct vm *vm);

/* Around every use of the state that may run Lua code, the collector included: the vm's context is
 * current, and in a shared state the client keeps its worker (carry_pin) but where asks.h says. */
struct vm_entry {
    struct script_context *old;
    bool unpin;
};
struct vm_entry vm_enter(struct vm *vm);
void vm_leave(struct vm_entry entry);

/* Runs the script's top level, then sets sysbench.opt when the options are known. */
int vm_load(struct vm *vm, struct err *e);

/*
 * Calls what is on the stack (function, nargs arguments) in the vm's context and leaves nresults.
 * -1: Lua raised an error; "FATAL: `name' function failed: message" has been printed, the stack is
 * clean.
 */
int vm_call(struct vm *vm, const char *name, int nargs, int nresults, struct err *e);

/* Calls a global function if there is one; -1 as vm_call.  With `arg`: the tid is passed. */
int vm_call_global(struct vm *vm, const char *name, bool arg, struct err *e);
bool vm_has_global(struct vm *vm, const char *name);

/* Pushes sysbench.cmdline.<name>, or sysbench.<table>.<name> (nil where something is missing). */
void vm_push_api(struct vm *vm, const char *table, const char *name);

/* The error on top of the stack as text; never NULL. */
const char *vm_error_text(lua_State *L);

/* lua_options.c: sysbench.opt, and the globals of option-less scripts. */
void lua_options_export(struct vm *vm);
/* lua_options.c: appends the help of the script's options; prints it, as sb_print_test_options()
 * and sysbench.cmdline.print_test_options do. */
void script_options_help(struct script *s, struct str *out);
void script_print_options(struct script *s);
int lua_options_print(lua_State *L);

/* test_args.c */
void test_args_free(struct test_args *a);

/* lua_commands.c: the last part of the script's path or name, as messages show it; the script owns
 * it. */
const char *script_base_name(const struct script *s);
/* held.c: the client that runs here has kept its worker for long; in a signal handler */
void script_client_held(void);

/* Whose Lua code is running; outside of any, whose state it is. */
struct vm *vm_of(lua_State *L);

#endif
