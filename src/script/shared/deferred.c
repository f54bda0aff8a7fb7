/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See deferred.h: recording a call, making the one that was recorded last, and the Lua side of
 * both. All of it is generated from the rows of deferred_calls.h.
 */
#include "script/shared/deferred.h"

#include <poll.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "script/context.h"
#include "script/exports.h"

#define ROW(function, ...) ROW_##function,
enum { DEFERRED_CALLS(ROW) ROWS };

/* --- sb_defer_x --- */

/* NULL: a script declared sb_defer_x() itself and called it in a state that is not shared. */
static struct deferred_call *record(int function)
{
    struct script_context *cx = context_get();

    if (!cx || !cx->deferred)
        return NULL;
    struct deferred_stack *s = cx->deferred;
    struct deferred_call *call = &s->call[s->depth++ % DEFERRED_DEPTH];
    call->function = function;
    return call;
}

#define NAME(type, name) name
#define RECORD(function, answer, uses, refused, wait, ...)                                         \
    void sb_defer_##function(DEFERRED_EACH(DEFERRED_FIELD, DEFERRED_COMMA, __VA_ARGS__))           \
    {                                                                                              \
        struct deferred_call *call = record(ROW_##function);                                       \
                                                                                                   \
        if (call)                                                                                  \
            call->args.function =                                                                  \
                (struct deferred_##function){DEFERRED_EACH(NAME, DEFERRED_COMMA, __VA_ARGS__)};    \
    }
DEFERRED_CALLS(RECORD)

/* --- making the call --- */

/* Lua numbers hold any address: they are exact up to 2^53. */
static double address(const void *p)
{
    return (double)(uintptr_t)p;
}

#define MAKE_NUMBER(call) return call
#define MAKE_FLAG(call)   return call
#define MAKE_NOTHING(call)                                                                         \
    call;                                                                                          \
    return 0
#define MAKE_CONNECTION(call) return address(call)
#define MAKE_STATEMENT(call)  return address(call)
#define MAKE_RESULT(call)     return address(call)
#define MAKE_ROW(call)        return address(call)
#define ARGUMENT(type, name)  a->name
#define MAKE(function, answer, uses, refused, wait, ...)                                           \
    static double make_##function(const struct deferred_call *call)                                \
    {                                                                                              \
        const struct deferred_##function *a = &call->args.function;                                \
                                                                                                   \
        MAKE_##answer(function(DEFERRED_EACH(ARGUMENT, DEFERRED_COMMA, __VA_ARGS__)));             \
    }
DEFERRED_CALLS(MAKE)

static double (*const make[])(const struct deferred_call *call) = {
#define MAKER(function, ...) [ROW_##function] = make_##function,
    DEFERRED_CALLS(MAKER)};

/* --- whose connection --- */

#define FIRST(type, name)         (a->name)
#define FIRST_OF(pair, ...)       FIRST pair
#define USES_NO_CONNECTION(first) ((void)first, NULL)
#define USES_CONNECTION(first)    first
#define USES_STATEMENT(first)     first->connection
#define USES_RESULT(first)        (first ? sql_result_connection(first) : NULL)
#define USES(function, answer, uses, refused, wait, ...)                                           \
    case ROW_##function: {                                                                         \
        const struct deferred_##function *a = &call->args.function;                                \
        return USES_##uses(FIRST_OF(__VA_ARGS__, ));                                               \
    }

/* The connection that the call uses; NULL: none. */
static sql_connection *connection_of(const struct deferred_call *call)
{
    switch (call->function) {
        DEFERRED_CALLS(USES)
    default: return NULL;
    }
}

static const signed char refused_answer[] = {
#define REFUSED(function, answer, uses, refused, ...) [ROW_##function] = (refused),
    DEFERRED_CALLS(REFUSED)};

double deferred_make(struct deferred_stack *s)
{
    if (s->depth == 0)
        return 0; /* a script that calls wait() itself */
    struct deferred_call call = s->call[--s->depth % DEFERRED_DEPTH];
    sql_connection *con = connection_of(&call);
    if (!con)
        return make[call.function](&call);
    struct script_context *owner = sql_connection_owner(con);
    if (owner->closing)
        return 0; /* a finalizer of a client that has left */
    struct deferred_stack *of = owner->deferred;
    if (of->in_use == con) {
        /* a finalizer or a hook of one client, run by another while the first one waits */
        log_alert("attempt to use a connection that is waiting for an answer");
        return refused_answer[call.function];
    }
    sql_connection *old = of->in_use;
    of->in_use = con;
    double answer = make[call.function](&call);
    of->in_use = old;
    return answer;
}

/* --- the Lua side --- */

#define TEXT_COMMA()               ", "
#define TEXT_PARAMETER(type, name) #type " " #name
#define DECLARATION(function, answer, uses, refused, wait, ...)                                    \
    "void sb_defer_" #function "(" DEFERRED_EACH(TEXT_PARAMETER, TEXT_COMMA, __VA_ARGS__) ");\n"

const char deferred_declarations[] = DEFERRED_CALLS(DECLARATION);

/* `at` on a line of its own: a compiled trace cannot go on after a call whose results are passed as
 * they come. */
#define TEXT_POINTER(type, call) "local at = " call "\n return cast(" type ", at)"
#define TEXT_NUMBER(call)        "return " call
#define TEXT_FLAG(call)          "return " call " ~= 0"
#define TEXT_NOTHING(call)       call
#define TEXT_CONNECTION(call)    TEXT_POINTER("connection_ptr", call)
#define TEXT_STATEMENT(call)     TEXT_POINTER("statement_ptr", call)
#define TEXT_RESULT(call)        TEXT_POINTER("result_ptr", call)
#define TEXT_ROW(call)           TEXT_POINTER("row_ptr", call)
#define TEXT_NAME(type, name)    #name
#define TEXT_NAMES(...)          DEFERRED_EACH(TEXT_NAME, TEXT_COMMA, __VA_ARGS__)
#define LUA_FUNCTION(function, answer, uses, refused, wait, ...)                                   \
    FUNCTION_TEXT(#function, TEXT_NAMES(__VA_ARGS__), answer, #wait)
#define FUNCTION_TEXT(name, names, answer, wait)                                                   \
    "function C." name "(" names ")\n"                                                             \
    " real.sb_defer_" name "(" names ")\n"                                                         \
    " " TEXT_##answer(wait "(" names ")") "\nend\n"

const char deferred_module[] =
    "local functions = ...\n"
    "local ffi = require('ffi')\n"
    "local real, cast = ffi.C, ffi.cast\n"
    "local wait, wait_keeping = functions.wait, functions.wait_keeping\n"
    "local connection_ptr = ffi.typeof('sql_connection *')\n"
    "local statement_ptr = ffi.typeof('sql_statement *')\n"
    "local result_ptr, row_ptr = ffi.typeof('sql_result *'), ffi.typeof('sql_row *')\n"
    "local C = setmetatable({}, {__index = real})\n"
    "ffi.C, functions.real = C, real\n" DEFERRED_CALLS(LUA_FUNCTION);
