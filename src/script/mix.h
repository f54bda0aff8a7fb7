/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: the event of a bundled mix, run without Lua.  Where nothing of the
 * workload is the user's own (struct script_run: in_c), oltp_mix.lua says what its event consists
 * of, and loop.c runs it by mix_attempt() instead of calling event(): the same draws from the same
 * stream, the same statements.
 *
 * A statement that fails ends the attempt with the error that its execute() raises in Lua, and what
 * becomes of the event is decided as for any other.  A further attempt calls event(), and draws
 * anew.
 */
#ifndef SB_SCRIPT_MIX_H
#define SB_SCRIPT_MIX_H

#include "script/vm.h"

/* Runs vm->mix once, in the client's loop; false: the error is on top of the stack. */
bool mix_attempt(lua_State *L, struct vm *vm);

#endif
