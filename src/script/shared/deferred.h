/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: calls that may wait, for clients that share a Lua state (shared.h).
 *
 * defer_note: a client gives its worker to others only inside a plain C function of Lua, never in a
 * call through FFI, which compiled Lua may make with half of the state in registers.  So a call
 * that may wait is made in two steps.  sb_defer(), called through FFI, records the call of x();
 * functions.wait() (functions.c), a plain C function, makes it.  The Lua function that does both
 * takes the place of ffi.C.x (src/lua/internal/sysbench.deferred.lua).  To FFI, sb_defer() has a
 * name and a prototype for each x, so that arguments are checked and converted as those of x.  All
 * of them are integers or pointers, which calling conventions pass alike.
 *
 * Lua may run between the two steps, in a finalizer or a hook, and defer a call of its own; so the
 * recorded calls are a stack.  An error between them leaves a call behind.  The stack is therefore
 * a ring: calls are taken from the top, and the oldest is overwritten.
 *
 * What pointers point to must stay alive until the call has returned: wait() gets all arguments.
 */
#ifndef SB_SCRIPT_SHARED_DEFERRED_H
#define SB_SCRIPT_SHARED_DEFERRED_H

#include <stddef.h>
#include <stdint.h>

#include "sql/sql_types.h"

/* In the order of the list in sysbench.deferred.lua.  To defer one more call, add it to both, and a
 * case in deferred.c. */
enum deferred_function {
    DB_CONNECTION_CREATE,
    DB_CONNECTION_CLOSE,
    DB_CONNECTION_RECONNECT,
    DB_UNDO,
    DB_QUERY,
    DB_PEEK,
    DB_MORE_RESULTS,
    DB_NEXT_RESULT,
    DB_DISCARD_RESULTS,
    DB_PREPARE,
    DB_BIND_PARAM,
    DB_EXECUTE,
    DB_CLOSE,
    DB_FETCH_ROW,
    DB_FREE_RESULTS,
    DB_BULK_INSERT_INIT,
    DB_BULK_INSERT_NEXT,
    DB_BULK_INSERT_DONE,
    SB_MORE_EVENTS,
    SB_EVENT_RETRY,
    USLEEP, /* from here on: what scripts declare themselves */
    SLEEP,
    NANOSLEEP,
    POLL,
    DEFERRED_FUNCTIONS
};

/* Records a call with up to three arguments.  Exported: Lua calls it through FFI. */
__attribute__((visibility("default"))) void sb_defer(uintptr_t a, uintptr_t b, uintptr_t c,
                                                     int function);

/* What a client has recorded and not made yet. */
#define DEFERRED_DEPTH 4u
struct deferred_stack {
    sql_connection *in_use; /* of the client's, in the middle of a call */
    unsigned depth;
    struct deferred_call {
        int function;
        uintptr_t a, b, c;
    } call[DEFERRED_DEPTH];
};

/* Makes the call that was recorded last.  Its answer; a pointer as a number. */
double deferred_make(struct deferred_stack *s);

#endif
