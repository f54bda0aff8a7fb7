/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: Lua files that are built in.  The parts of the bundled scripts that no
 * generation of sysbench has (src/lua/sysbench-tx) are modules "sysbench-tx.NAME", which no file of
 * a user replaces.  The scripts of 0.5 (src/lua/legacy) are found where command lines and scripts
 * of that time look for them.  They are files of an installed program, but those command lines name
 * directories of other packages (/usr/share/doc/sysbench/tests/db/oltp.lua), so they are also built
 * in:
 *
 *     --test=/any/directory/oltp.lua         there is no such file: the built-in one
 *     dofile(pathtest .. "common.lua")    the same, for a script whose directory has no common.lua
 *     require("common")                   looked for after all Lua files
 *
 * Of those, a file that exists comes first, always.
 */
#ifndef SB_SCRIPT_LEGACY_H
#define SB_SCRIPT_LEGACY_H

#include <lua.h>

#include "script/chunks.h"
#include "script/internal_lua.h"

/* The script that a test name means by its last part: "oltp.lua" in any directory, and "oltp" if a
 * directory is given.  NULL: none of 0.5.  Whether a file of that name exists is not asked. */
const struct internal_lua *legacy_script(const char *testname);

/* A file that dofile() would not find, a module that nobody has; NULL: not of 0.5. */
const struct internal_lua *legacy_file(const char *path);
const struct internal_lua *legacy_module(const char *name);

/* The part of that name, "sysbench-tx.oltp_mix"; NULL: none. */
const struct internal_lua *own_module(const char *name);

/* The name of its chunk, "@oltp_legacy/common.lua", in messages; `size` suffices with 64. */
void legacy_chunk_name(const struct internal_lua *text, char *name, size_t size);

/* dofile() and require() of a state that one client has.  May raise Lua errors; `c` must outlive
 * the state. */
void legacy_serve(struct chunks *c, lua_State *L);

#endif
