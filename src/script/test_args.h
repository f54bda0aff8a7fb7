/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options that a script declares through C, sb_lua_set_test_args() (exports.h), instead of through
 * sysbench.cmdline.options.  Whichever of its states calls, they are the script's; the last call
 * counts.  Until the command line is read (lua_options.c takes them then) they are what it is read
 * with, from then on only what the help shows.
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
