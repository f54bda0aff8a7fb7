/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The halves of calls that may wait, for clients that share a Lua state (shared.h).  C includes
 * this file, and such states get it as text for ffi.cdef, as exports.h: plain declarations only.
 *
 * ask_note: a client gives its worker to others only inside of a plain C function of Lua, never in
 * a call through FFI, which compiled Lua may make with half of the state in registers.  So a call
 * that may wait is two: sb_ask_x() checks and converts the arguments, as FFI does, and notes the
 * call in the client's context; natives.wait() (natives.c) makes it.  Whatever Lua does between the
 * two, in a finalizer or a hook, asks and waits by itself, so the notes are a stack.  An error
 * between them leaves a note behind, which is why the stack is a ring: notes are taken from the
 * top, and the oldest is written over.
 *
 * What strings point to must stay alive until the wait is over: wait() gets them as arguments.
 */
#ifndef SB_SCRIPT_ASKS_H
#define SB_SCRIPT_ASKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sql/sql_types.h"
#pragma GCC visibility push(default)

void sb_ask_connection_create(sql_driver *driver);
void sb_ask_connection_close(sql_connection *con);
void sb_ask_connection_reconnect(sql_connection *con);
void sb_ask_undo(sql_connection *con);
void sb_ask_query(sql_connection *con, const char *query, size_t len);
void sb_ask_more_results(sql_connection *con);
void sb_ask_next_result(sql_connection *con);
void sb_ask_prepare(sql_connection *con, const char *query, size_t len);
void sb_ask_bind_param(sql_statement *stmt, const sql_bind *params, size_t n);
void sb_ask_execute(sql_statement *stmt);
void sb_ask_close(sql_statement *stmt);
void sb_ask_fetch_row(sql_result *rs);
void sb_ask_free_results(sql_result *rs);
void sb_ask_bulk_insert_init(sql_connection *con, const char *query, size_t len);
void sb_ask_bulk_insert_next(sql_connection *con, const char *row, size_t len);
void sb_ask_bulk_insert_done(sql_connection *con);
void sb_ask_more_events(int thread_id);

/* What scripts declare themselves and call through ffi.C. */
void sb_ask_usleep(uint32_t microseconds);
void sb_ask_sleep(uint32_t seconds);
void sb_ask_nanosleep(const void *want, void *left);
void sb_ask_poll(void *fds, unsigned long n, int timeout_ms);

#pragma GCC visibility pop
#endif
