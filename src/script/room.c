/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See room.h.
 */
#include "script/room.h"

/* A client's part of a shared state, with the OLTP scripts and some garbage (docs/workers.md). */
#define CLIENT_BYTES ((size_t)40 * 1024)

int room_check(bool gc64, size_t state, int clients, int shared, struct err *e)
{
    size_t each = shared ? CLIENT_BYTES : state;
    size_t left = ROOM_BYTES > (size_t)shared * state ? ROOM_BYTES - (size_t)shared * state : 0;

    if (gc64 || (size_t)clients <= left / each)
        return 0;
    if (shared)
        return err_set(
            e, ERR_FAILED,
            "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and some "
            "%zu clients fit",
            clients, ROOM_BYTES >> 20, left / each);
    return err_set(
        e, ERR_FAILED,
        "--threads=%d: this LuaJIT is not a GC64 build, its objects have %zu MiB, and some %zu "
        "Lua states of %zu KiB fit: with --workers=1 --lua-state=worker, some %zu clients",
        clients, ROOM_BYTES >> 20, left / each, state >> 10, (ROOM_BYTES - state) / CLIENT_BYTES);
}
