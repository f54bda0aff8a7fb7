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
    if (p->workers_left && !p->carry_from)
        return err_set(
            e, ERR_USAGE,
            "--workers=lua-state=worker needs --workers=N: without it, each client has its own thread with this database driver");
    if (p->workers_left)
        return err_set(
            e, ERR_USAGE,
            "--workers=lua-state=worker needs --workers=N: without it, only the bundled scripts use workers, with %d threads or more",
            p->carry_from);
    return err_set(
        e, ERR_USAGE,
        "--workers=lua-state=worker and --workers=0 cannot be combined: each thread has its own Lua state");
}
