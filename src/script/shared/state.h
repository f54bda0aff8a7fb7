/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: what a shared Lua state (shared.h) consists of.  Only the files of this
 * directory, and who fetches its memory ahead, look inside.
 */
#ifndef SB_SCRIPT_SHARED_STATE_H
#define SB_SCRIPT_SHARED_STATE_H

#include "script/shared/deferred.h"
#include "script/vm.h"

/* The last few connections and statements that gave a result are kept alive, as `kept` in
 * sysbench.sql.lua does for a state of one client. */
#define SHARED_KEPT 8

struct shared_state {
    lua_State *L;
    struct shared_state **slot; /* where it is found */
    struct script *script;
    struct shared_client *first; /* all that ever joined */
    size_t here;                 /* those that have not left */
    /* references to the registry: the functions that sysbench.shared.lua returned, the metatable
     * of sysbench.opt */
    int new_client, image, opt;
    unsigned in_compiler; /* in a callback of the JIT compiler: nobody gives way */
};

/* See lost_note; one of the two is NULL. */
struct lost {
    sql_connection *con;
    sql_statement *stmt;
};

struct shared_client {
    struct vm *vm;
    size_t nlost;
    /* references to the registry: the coroutine, the table client() gives, the ring of
     * SHARED_KEPT */
    int thread, me, kept;
    int kept_at;
    struct deferred_stack deferred; /* its top is used by each call, so it is near the beginning */
    struct lost *lost;
    struct shared_client *next;
};

#endif
