/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks of Lua compiled once.  Every client has a Lua state of its own and runs the same text in
 * it: the script, the modules that it requires, the script API.  The first state that meets a text
 * compiles it; the others get its bytecode, which is quicker and leaves no garbage of the compiler
 * behind: memory that a state with little to do would never give back.
 *
 * Scripts cannot tell: bytecode keeps lines and names, a file is compiled anew when it changed.
 */
#ifndef SB_SCRIPT_CHUNKS_H
#define SB_SCRIPT_CHUNKS_H

#include <lua.h>
#include <pthread.h>
#include <stddef.h>

struct chunk;

/* Any thread may load; one thread inits and, after the last load, frees. */
struct chunks {
    pthread_mutex_t lock;
    struct chunk *first;
};

void chunks_init(struct chunks *c);
void chunks_fini(struct chunks *c);

/* Like luaL_loadbuffer() and luaL_loadfile(): the function or the error on the stack, 0 or Lua's
 * error number. `name` is the chunk's name and the key; the text that belongs to it must not
 * change.  `strip`: without lines and names, for texts of ours that nobody debugs in a run. */
int chunks_load_text(struct chunks *c, lua_State *L, const char *text, size_t len, const char *name,
                     int strip);
int chunks_load_file(struct chunks *c, lua_State *L, const char *path);

/* Puts a searcher of Lua modules with this cache in the place of require()'s own.  May raise Lua
 * errors; `c` must outlive the state. */
void chunks_serve_require(struct chunks *c, lua_State *L);

#endif
