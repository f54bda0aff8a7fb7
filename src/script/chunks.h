/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: chunks of Lua compiled once.  Every client has a Lua state of its own and
 * runs the same text in it: the script, the modules that it requires, the script API.  The first
 * state that loads a text compiles it; the others get its bytecode.  That is faster and leaves no
 * garbage of the compiler, memory that a mostly idle state would never give back.  A module is
 * searched for once, not by every client in ten directories.
 *
 * Scripts see no difference: bytecode keeps lines and names, and a file that has changed is
 * compiled again.
 */
#ifndef SB_SCRIPT_CHUNKS_H
#define SB_SCRIPT_CHUNKS_H

#include <lua.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* Any thread may load; one thread inits and, after the last load, frees. */
struct chunks {
    pthread_mutex_t lock;
    struct chunk *first;
};

void chunks_init(struct chunks *c);
void chunks_fini(struct chunks *c);

/* Like luaL_loadbuffer() and luaL_loadfile(): the function or the error on the stack, 0 or Lua's
 * error number. `name` is the chunk's name and the key; the text that belongs to it must not
 * change.  `strip`: without lines and names, for internal texts that nobody debugs. */
int chunks_load_text(struct chunks *c, lua_State *L, const char *text, size_t len, const char *name,
                     int strip);
int chunks_load_file(struct chunks *c, lua_State *L, const char *path);

/* Reads the rest of a file; a little more than `most` bytes where it has more.  -1: errno. */
int chunks_read(FILE *f, size_t most, struct str *out);

/* Changes with the text of any file that was loaded; not with their order, paths and times.  Reads
 * the files again. */
uint32_t chunks_sum(struct chunks *c);

/* Replaces package.searchpath() and the searcher of require() for Lua modules by those with this
 * cache.  May raise Lua errors; `c` must outlive the state. */
void chunks_serve_require(struct chunks *c, lua_State *L);

#endif
