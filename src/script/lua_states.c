/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See lua_states.h.
 */
#include "script/lua_states.h"

#include <string.h>

/* From so many clients of a worker on, --workers=lua-state=auto lets them share one.  Measured: at
 * 16 it makes no difference but for memory; at 64 none for a point select and a fifth of the CPU
 * time for 14 selects; at 512 half of it and a quarter (docs/workers.md). */
#define CLIENTS_TO_SHARE 64

enum lua_state_choice lua_states_read(const struct opts *o)
{
    const char *v = opt_str(o, "lua-state");

    return strcmp(v, "worker") == 0   ? LUA_STATE_WORKER
           : strcmp(v, "client") == 0 ? LUA_STATE_CLIENT
                                      : LUA_STATE_AUTO;
}

int lua_states(enum lua_state_choice choice, const struct plan *p)
{
    bool many = p->workers && p->clients >= p->workers * CLIENTS_TO_SHARE;
    bool share = choice == LUA_STATE_WORKER || (choice == LUA_STATE_AUTO && many);

    return share ? p->workers : 0;
}

int lua_states_check(enum lua_state_choice choice, const struct plan *p, const char *why,
                     struct err *e)
{
    if (p->workers || choice != LUA_STATE_WORKER)
        return 0;
    if (*why)
        return err_set(e, ERR_USAGE,
                       "--workers=lua-state=worker needs workers, which cannot be used here: %s",
                       why);
    if (p->workers_left)
        return err_set(e, ERR_USAGE,
                       "--workers=lua-state=worker needs --workers=N: without it, only the bundled "
                       "scripts use workers, with %d threads or more",
                       CARRY_FROM);
    return err_set(e, ERR_USAGE,
                   "--workers=lua-state=worker and --workers=0 cannot be combined: each thread "
                   "has its own Lua state");
}

/* What a client takes of a shared state: OLTP scripts and some garbage (docs/workers.md). */
#define CLIENT_BYTES ((size_t)40 * 1024)

int memory_check(bool gc64, size_t state, int clients, int shared, struct err *e)
{
    size_t each = shared ? CLIENT_BYTES : state;
    size_t left =
        LUA_MEMORY_BYTES > (size_t)shared * state ? LUA_MEMORY_BYTES - (size_t)shared * state : 0;

    if (gc64 || (size_t)clients <= left / each)
        return 0;
    if (shared)
        return err_set(
            e, ERR_FAILED,
            "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and "
            "about %zu clients fit",
            clients, LUA_MEMORY_BYTES >> 20, left / each);
    return err_set(
        e, ERR_FAILED,
        "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and about %zu "
        "Lua states of %zu KiB fit: with --workers=1 --workers=lua-state=worker, about %zu clients",
        clients, LUA_MEMORY_BYTES >> 20, left / each, state >> 10,
        (LUA_MEMORY_BYTES - state) / CLIENT_BYTES);
}
