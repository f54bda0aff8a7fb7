/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Inside of shared Lua states (shared.h): what one consists of, and the C functions that its Lua
 * side gets, natives.client() and so on.
 */
#ifndef SB_SCRIPT_NATIVES_H
#define SB_SCRIPT_NATIVES_H

#include "script/shared.h"

/* Sources of results that are kept alive, as `held` in sysbench.sql.lua. */
#define SHARED_HELD 8

struct shared_state {
    lua_State *L;
    struct shared_state **slot; /* where it is found */
    struct script *script;
    struct shared_client *first; /* all that ever joined */
    size_t here;                 /* those that have not left */
    /* references to the registry: the functions that sysbench.shared.lua returned, the metatable of
     * sysbench.opt */
    int new_client, image, opt;
    unsigned quiet; /* in a callback of the compiler */
};

/* See lost_note; one of the two is NULL. */
struct lost {
    sql_connection *con;
    sql_statement *stmt;
};

struct shared_client {
    struct shared_client *next;
    struct vm *vm;
    int thread, me, held; /* references to the registry: the coroutine, the table client() gives,
                             the ring of SHARED_HELD */
    int held_at;
    struct lost *lost;
    size_t nlost;
};

/* Leaves the table of natives, and the function that runs an internal module: the arguments of
 * sysbench.shared.lua. */
void natives_push(lua_State *L);

#endif
