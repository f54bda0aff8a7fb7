/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: the texts that embed.sh builds into the program: the modules of the script
 * API (src/lua/internal), the C declarations that ffi.cdef gets (sql/sql_types.h,
 * script/exports.h), the bundled scripts (src/lua), to recognize their copies (script/bundled.c),
 * and those of 0.5 (src/lua/legacy), which run from here where no file is (script/legacy.c).
 * Constant.
 */
#ifndef SB_SCRIPT_INTERNAL_LUA_H
#define SB_SCRIPT_INTERNAL_LUA_H

#include <stddef.h>

struct internal_lua {
    const char *name; /* of the file: "sysbench.sql.lua", "exports.h", "legacy/oltp.lua" */
    const char *text; /* NUL-terminated */
    size_t len;       /* without the NUL */
};

extern const struct internal_lua internal_lua[];
extern const size_t internal_lua_count;

#endif
