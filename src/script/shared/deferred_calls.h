/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: the calls that may wait, one a row: the only list of them.  From it
 * deferred.h and deferred.c make the C side, the declarations for ffi.cdef and the Lua functions
 * that replace those of ffi.C in a shared state.  To defer one more call, add a row:
 *
 *     CALL(function, answer, uses, refused, wait, (type, parameter), ...)    1 to 3 parameters
 *
 *     answer    what Lua gets: NUMBER, FLAG (not 0: true), NOTHING, or a pointer to what is named
 *     uses      what the first parameter says about the connection that the call uses:
 *               CONNECTION, STATEMENT, RESULT; NO_CONNECTION: it uses none
 *     refused   the answer when another client is in the middle of a call on that connection
 *     wait      wait; wait_keeping: the first parameter stays alive as long as a result may be read
 */
#ifndef SB_SCRIPT_SHARED_DEFERRED_CALLS_H
#define SB_SCRIPT_SHARED_DEFERRED_CALLS_H

#define DEFERRED_CALLS(CALL)                                                                       \
    CALL(db_connection_create, CONNECTION, NO_CONNECTION, 0, wait, (sql_driver *, driver))         \
    CALL(db_connection_close, NUMBER, CONNECTION, -1, wait, (sql_connection *, con))               \
    CALL(db_connection_reconnect, NUMBER, CONNECTION, -1, wait, (sql_connection *, con))           \
    CALL(db_undo, NOTHING, CONNECTION, 0, wait, (sql_connection *, con))                           \
    CALL(db_query, RESULT, CONNECTION, 0, wait_keeping, (sql_connection *, con),                   \
         (const char *, query), (size_t, len))                                                     \
    CALL(db_peek, RESULT, CONNECTION, 0, wait_keeping, (sql_connection *, con),                    \
         (const char *, query), (size_t, len))                                                     \
    CALL(db_more_results, FLAG, CONNECTION, 0, wait, (sql_connection *, con))                      \
    CALL(db_next_result, RESULT, CONNECTION, 0, wait, (sql_connection *, con))                     \
    CALL(db_discard_results, FLAG, CONNECTION, 1, wait, (sql_connection *, con))                   \
    CALL(db_prepare, STATEMENT, CONNECTION, 0, wait, (sql_connection *, con),                      \
         (const char *, query), (size_t, len))                                                     \
    CALL(db_bind_param, NUMBER, STATEMENT, 1, wait, (sql_statement *, stmt),                       \
         (const sql_bind *, params), (size_t, n))                                                  \
    CALL(db_execute, RESULT, STATEMENT, 0, wait_keeping, (sql_statement *, stmt))                  \
    CALL(db_close, NUMBER, STATEMENT, 0, wait, (sql_statement *, stmt))                            \
    CALL(db_fetch_row, ROW, RESULT, 0, wait, (sql_result *, rs))                                   \
    CALL(db_free_results, NUMBER, RESULT, 1, wait, (sql_result *, rs))                             \
    CALL(db_bulk_insert_init, NUMBER, CONNECTION, 1, wait, (sql_connection *, con),                \
         (const char *, query), (size_t, len))                                                     \
    CALL(db_bulk_insert_next, NUMBER, CONNECTION, 1, wait, (sql_connection *, con),                \
         (const char *, row), (size_t, len))                                                       \
    CALL(db_bulk_insert_done, NUMBER, CONNECTION, 1, wait, (sql_connection *, con))                \
    CALL(sb_more_events, FLAG, NO_CONNECTION, 0, wait, (int, thread_id))                           \
    CALL(sb_event_retry, FLAG, NO_CONNECTION, 0, wait, (int, thread_id))                           \
    /* what scripts declare themselves */                                                          \
    CALL(usleep, NUMBER, NO_CONNECTION, 0, wait, (uint32_t, microseconds))                         \
    CALL(sleep, NUMBER, NO_CONNECTION, 0, wait, (uint32_t, seconds))                               \
    CALL(nanosleep, NUMBER, NO_CONNECTION, 0, wait, (const void *, want), (void *, left))          \
    CALL(poll, NUMBER, NO_CONNECTION, 0, wait, (void *, fds), (unsigned long, n), (int, timeout))

#endif
