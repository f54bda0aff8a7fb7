/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: events of the bundled mixes, run without Lua.  Where nothing of the
 * workload is the user's own (struct script_run: in_c), oltp_mix.lua says what its event
 * consists of, and client_run() runs it here: the same draws from the same stream, the same
 * statements.
 *
 * fail_note: what follows from a failure is Lua's.  The stream is set back to the beginning of the
 * event and thread_run() called, which finds that event begun and runs it once more; the statements
 * that C has executed are not executed again (mix_execute), and the one that has failed fails.  So
 * hooks, retries, messages and their lines are as if Lua had run all of it.  After that event
 * sb_more_events() says no, thread_run() returns, and the next one is C's again.
 */
#ifndef SB_SCRIPT_MIX_H
#define SB_SCRIPT_MIX_H

#include "base/prefetch.h"
#include "script/context.h"

struct mix; /* of one client; NULL: Lua has said nothing */

void mix_free(struct mix *m);

/* Lua has said all, and its statements are there. */
bool mix_ready(const struct mix *m);

/* Runs an event; false: a statement has failed. */
bool mix_event(struct mix *m, struct script_context *cx);

/* See fail_note: before thread_run() is called; then cx->failed ends. */
void mix_fail(struct mix *m, struct script_context *cx);

/* sql_execute(), while cx->failed. */
sql_result *mix_execute(struct script_context *cx, sql_statement *s);

/* What each event touches. */
void mix_note_memory(const struct mix *m, struct prefetch_list *l);

#endif
