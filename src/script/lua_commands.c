/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Commands other than `run`: the script's own (sysbench.cmdline.commands), the classic functions
 * prepare(), cleanup() and help(), and a help for scripts that declare options but have none.  A
 * parallel command runs in --threads threads, each with a Lua state of its own; it fails when one
 * of them fails.  Ranks divide these threads: a thread has the number, the random stream and the
 * tables that it has on one host, and those of the other ranks count as threads that never came.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/client_errors.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/overflow.h"
#include "base/near.h"
#include "base/str.h"
#include "script/host.h"
#include "script/loading.h"

/* Calls sysbench.cmdline.<function>(command); the boolean it returned, `otherwise` when it returned
 * none or raised an error. */
static bool call_predicate(struct vm *vm, const char *function, const char *command, bool otherwise)
{
    char name[64] = "sysbench.cmdline.";
    bool answer = otherwise;

    strncat(name, function, sizeof name - strlen(name) - 1);
    vm_push_api(vm, "cmdline", function);
    lua_pushstring(vm->L, command);
    if (vm_call(vm, name, 1, 1, NULL))
        return otherwise;
    if (lua_isboolean(vm->L, -1))
        answer = lua_toboolean(vm->L, -1);
    lua_pop(vm->L, 1);
    return answer;
}

const char *script_base_name(const struct script *s)
{
    const char *slash = strrchr(s->env.testname, '/');

    return slash ? slash + 1 : s->env.testname;
}

static const char no_function[] =
    " (its entry in sysbench.cmdline.commands has no function; define that above the entry)";

/* The script names the command, but nothing to call: `{f}` above `function f()` is an empty table.
 */
static bool has_empty_entry(struct script *s, const char *command)
{
    lua_State *L = s->main->L;

    vm_push_api(s->main, "cmdline", "commands");
    lua_pushstring(L, command);
    if (lua_istable(L, -2))
        lua_rawget(L, -2);
    bool is = lua_istable(L, -2) && !lua_isnil(L, -1);
    lua_settop(L, 0);
    return is;
}

enum script_command_kind script_command_kind(struct script *s, const char *command, struct err *e)
{
    if (call_predicate(s->main, "command_defined", command, false))
        return SCRIPT_COMMAND_CALL;
    if (!strcmp(command, "run"))
        return SCRIPT_COMMAND_RUN;
    if (strcmp(command, "prepare") && strcmp(command, "cleanup") && strcmp(command, "help")) {
        err_set(e, ERR_SYNTAX, "Unknown command: %s", command);
        if (!has_empty_entry(s, command))
            return SCRIPT_COMMAND_UNKNOWN;
        err_append(e, "%s", no_function);
        return SCRIPT_COMMAND_MISSING;
    }
    if (vm_has_global(s->main, command) || (!strcmp(command, "help") && s->own))
        return SCRIPT_COMMAND_CALL;
    err_set(e, ERR_SYNTAX, "'%s' test does not %s the '%s' command.", script_base_name(s),
            s->env.generation->command_is, command);
    if (has_empty_entry(s, command))
        err_append(e, "%s", no_function);
    return SCRIPT_COMMAND_MISSING;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void offer(struct script *s, const char *command, struct near *n)
{
    struct err e = {0};
    enum script_command_kind kind = script_command_kind(s, command, &e);

    if (kind == SCRIPT_COMMAND_CALL || kind == SCRIPT_COMMAND_RUN)
        near_offer(n, command);
}

/* Those that can be called.  A Lua table has no order; sorted, so that the same names are suggested
 * each time when many are equally near. */
void script_near_commands(struct script *s, struct near *n)
{
    lua_State *L = s->main->L;
    char **name = NULL;
    static const char *const usual[] = {"prepare", "run", "cleanup", "help"};
    size_t names = 0;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        offer(s, usual[i], n);
    vm_push_api(s->main, "cmdline", "commands");
    lua_pushnil(L);
    while (lua_istable(L, -2) && lua_next(L, -2)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            continue;
        name = mem_grow(name, names + 1, sizeof *name);
        name[names++] = mem_strdup(lua_tostring(L, -1));
    }
    lua_settop(L, 0);
    if (names)
        qsort(name, names, sizeof *name, by_name);
    for (size_t i = 0; i < names; i++) {
        offer(s, name[i], n);
        free(name[i]);
    }
    free(name);
}

/* sysbench.cmdline.call_command(command) in this state; false: it failed and has printed why. */
static int call_custom(struct vm *vm, const char *command, struct err *e)
{
    vm_push_api(vm, "cmdline", "call_command");
    lua_pushstring(vm->L, command);
    if (vm_call(vm, "sysbench.cmdline.call_command", 1, 1, e))
        return -1;
    int rc = lua_isboolean(vm->L, -1) && !lua_toboolean(vm->L, -1) ? -1 : 0;
    lua_pop(vm->L, 1);
    return rc ? err_set(e, ERR_REPORTED, "command '%s' failed", command)
              : vm_read_rest(vm, command, e);
}

struct command_thread {
    struct script *script;
    const char *command;
    int tid;
    struct rng rng;
    pthread_t thread;
    bool started;
    struct err err;
    int rc;
};

static void *command_thread(void *arg)
{
    struct command_thread *t = arg;
    struct overflow_stack alternate;
    struct vm *vm = NULL;

    overflow_begin(&alternate);
    t->rc = vm_open(&vm, t->script, t->tid, &t->rng, NULL, &t->err);
    if (!t->rc)
        t->rc = vm_load(vm, &t->err);
    if (!t->rc) {
        struct vm_entry entry = vm_enter(vm);
        t->rc = call_custom(vm, t->command, &t->err);
        vm_leave(entry);
    }
    if (t->rc && t->err.kind != ERR_REPORTED)
        log_fatal("%s", t->err.msg);
    if (t->rc)
        loading_stop(t->script->loading);
    loading_leave(t->script->loading, (unsigned)t->tid);
    vm_close(vm);
    overflow_end();
    return NULL;
}

static int thread_here(void)
{
    const struct script_context *cx = context_get();

    return cx ? cx->tid : -1;
}

static int call_parallel(struct script *s, const char *command, struct err *e)
{
    struct command_thread *t = mem_array((size_t)s->env.threads, sizeof *t);
    struct share share = share_checked(s->env.share);
    int failed = 0, n = 0;

    /* The threads of this rank, out of all.  The streams are drawn before the first thread runs:
     * same seed, same data, whoever is first. */
    loading_begin(s->loading, (unsigned)s->env.threads);
    for (int tid = 0; tid < s->env.threads; tid++) {
        t[n] = (struct command_thread){.script = s, .command = command, .tid = tid};
        rng_seed(&t[n].rng, s->env.seeder);
        if (share_has(share, (uint64_t)tid))
            n++;
        else
            loading_leave(s->loading, (unsigned)tid);
    }
    log_notice("Initializing worker threads...\n");
    client_errors_begin(thread_here);
    for (int i = 0; i < n; i++) {
        int rc = pthread_create(&t[i].thread, NULL, command_thread, &t[i]);
        t[i].started = rc == 0;
        if (rc) {
            failed++;
            log_fatal("cannot start thread %d of '%s': %s", t[i].tid, command, strerror(rc));
            loading_stop(s->loading);
        }
    }
    for (int i = 0; i < n; i++) {
        if (t[i].started)
            pthread_join(t[i].thread, NULL);
        failed += t[i].started && t[i].rc;
    }
    client_errors_end();
    free(t);
    return failed ? err_set(e, ERR_REPORTED, "command '%s' failed in %d of %d threads", command,
                            failed, n)
                  : 0;
}

int script_call_command(struct script *s, const char *command, struct err *e)
{
    bool defined = call_predicate(s->main, "command_defined", command, false);
    struct str text = STR_INIT;
    int rc = 0;

    if (defined && s->env.threads > 1 &&
        call_predicate(s->main, "command_parallel", command, false)) {
        rc = call_parallel(s, command, e);
    } else if (s->env.share.rank > 0) {
        ; /* it is the leader's */
    } else if (defined) {
        rc = call_custom(s->main, command, e);
    } else if (vm_has_global(s->main, command)) {
        rc = vm_call_global(s->main, command, false, e);
    } else { /* help */
        str_printf(&text, "%s options:\n", script_base_name(s));
        script_options_help(s, &text);
        log_print("%s\n", str_cstr(&text));
        str_free(&text);
    }
    progress_hide(&s->progress);
    if (rc)
        loading_stop(s->loading);
    loading_end(s->loading);
    return rc;
}
