/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See memory_check.h.
 */
#include "script/memory_check.h"

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
            "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and about %zu clients fit",
            clients, LUA_MEMORY_BYTES >> 20, left / each);
    return err_set(
        e, ERR_FAILED,
        "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and about %zu "
        "Lua states of %zu KiB fit: with --workers=1 --workers=lua-state=worker, about %zu clients",
        clients, LUA_MEMORY_BYTES >> 20, left / each, state >> 10,
        (LUA_MEMORY_BYTES - state) / CLIENT_BYTES);
}
