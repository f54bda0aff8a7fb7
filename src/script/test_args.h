/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that a script declares through C, sb_lua_set_test_args() (exports.h), instead of through
 * sysbench.cmdline.options.  Any of its states may call; the last call counts.  The
 * command line is parsed with what was declared until then (lua_options.c).  Later calls change
 * only the help.
 */
#ifndef SB_SCRIPT_TEST_ARGS_H
#define SB_SCRIPT_TEST_ARGS_H

#include "script/host.h"

/* Leaves the options on the stack as sysbench.cmdline.read_cmdline_options() returns its own: rows
 * in the order of declaration.  false: there are none, and nothing is left.  May raise Lua errors.
 */
bool test_args_push(lua_State *L, struct script *s);

/* Appends their help; false: there are none. */
bool test_args_help(struct script *s, struct str *out);

#endif
