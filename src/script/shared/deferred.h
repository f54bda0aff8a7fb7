/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: calls that may wait, for clients that share a Lua state (shared.h).
 *
 * defer_note: a client gives its worker to others only inside a plain C function of Lua, never in a
 * call through FFI, which compiled Lua may make with half of the state in registers.  So a call
 * that may wait is made in two steps.  sb_defer_x(), called through FFI, checks and converts the
 * arguments as FFI does, and records the call of x().  functions.wait() (functions.c), a plain C
 * function, makes the call.  The Lua function that does both takes the place of ffi.C.x.
 *
 * Lua may run between the two steps, in a finalizer or a hook, and defer a call of its own; so the
 * recorded calls are a stack.  An error between them leaves a call behind.  The stack is therefore
 * a ring: calls are taken from the top, and the oldest is overwritten.
 *
 * What pointers point to must stay alive until the call has returned: wait() gets all arguments.
 *
 * Which calls are deferred is in deferred_calls.h.
 */
#ifndef SB_SCRIPT_SHARED_DEFERRED_H
#define SB_SCRIPT_SHARED_DEFERRED_H

#include <stddef.h>
#include <stdint.h>

#include "script/shared/deferred_calls.h"
#include "sql/sql_types.h"

/* f of each (type, name), with `between` in between. */
#define DEFERRED_EACH1(f, between, a)       f a
#define DEFERRED_EACH2(f, between, a, b)    f a between() f b
#define DEFERRED_EACH3(f, between, a, b, c) f a between() f b between() f c
#define DEFERRED_PICK(a, b, c, each, ...)   each
#define DEFERRED_EACH(f, between, ...)                                                             \
    DEFERRED_PICK(__VA_ARGS__, DEFERRED_EACH3, DEFERRED_EACH2, DEFERRED_EACH1, )                   \
    (f, between, __VA_ARGS__)
#define DEFERRED_SEMICOLON()       ;
#define DEFERRED_COMMA()           ,
#define DEFERRED_FIELD(type, name) type name

/* struct deferred_db_query {sql_connection *con; ...}: the arguments of each call. */
#define DEFERRED_STRUCT(function, answer, uses, refused, wait, ...)                                \
    struct deferred_##function {                                                                   \
        DEFERRED_EACH(DEFERRED_FIELD, DEFERRED_SEMICOLON, __VA_ARGS__);                            \
    };
DEFERRED_CALLS(DEFERRED_STRUCT)

#define DEFERRED_MEMBER(function, ...) struct deferred_##function function;
struct deferred_call {
    int function; /* its row */
    union {
        DEFERRED_CALLS(DEFERRED_MEMBER)
    } args;
};

/* sb_defer_x(): records a call of x().  Exported: Lua calls it through FFI. */
#pragma GCC visibility push(default)
#define DEFERRED_PROTOTYPE(function, answer, uses, refused, wait, ...)                             \
    void sb_defer_##function(DEFERRED_EACH(DEFERRED_FIELD, DEFERRED_COMMA, __VA_ARGS__));
DEFERRED_CALLS(DEFERRED_PROTOTYPE)
#pragma GCC visibility pop

/* What a client has recorded and not made yet. */
#define DEFERRED_DEPTH 4u
struct deferred_stack {
    sql_connection *in_use; /* of the client's, in the middle of a call */
    unsigned depth;
    struct deferred_call call[DEFERRED_DEPTH];
};

/* Makes the call that was recorded last.  Its answer; a pointer as a number. */
double deferred_make(struct deferred_stack *s);

/* For a shared state: the declarations of sb_defer_*, and the module that puts the Lua functions
 * into ffi.C.  The module gets the table of shared C functions. */
extern const char deferred_declarations[];
extern const char deferred_module[];
#define DEFERRED_MODULE_NAME "sysbench.deferred.lua"

#endif
