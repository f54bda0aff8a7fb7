-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- ffi.C of a Lua state that several clients share (sysbench.shared.lua): as the real one, but for calls that may wait.
-- Those are two calls each, one through FFI that checks the arguments and notes them, and one of a plain C function, in
-- which the client may give way to others: ask_note in script/asks.h.

local natives = ...
local ffi = require("ffi")
local real = ffi.C

local C = setmetatable({}, {__index = real})
ffi.C = C

local wait, wait_held = natives.wait, natives.wait_held
local connection_ptr, statement_ptr = ffi.typeof("sql_connection *"), ffi.typeof("sql_statement *")
local result_ptr, row_ptr = ffi.typeof("sql_result *"), ffi.typeof("sql_row *")
local cast = ffi.cast

-- `at` on a line of its own: a compiled trace cannot go on after a call whose results are passed as they come.
function C.db_connection_create(drv)
   real.sb_ask_connection_create(drv)
   local at = wait(drv)
   return cast(connection_ptr, at)
end

function C.db_connection_close(con)
   real.sb_ask_connection_close(con)
   return wait(con)
end

function C.db_connection_reconnect(con)
   real.sb_ask_connection_reconnect(con)
   return wait(con)
end

function C.db_undo(con)
   real.sb_ask_undo(con)
   wait(con)
end

function C.db_query(con, query, len)
   real.sb_ask_query(con, query, len)
   local at = wait_held(con, query)
   return cast(result_ptr, at)
end

function C.db_more_results(con)
   real.sb_ask_more_results(con)
   return wait(con) ~= 0
end

function C.db_next_result(con)
   real.sb_ask_next_result(con)
   local at = wait(con)
   return cast(result_ptr, at)
end

function C.db_prepare(con, query, len)
   real.sb_ask_prepare(con, query, len)
   local at = wait(con, query)
   return cast(statement_ptr, at)
end

function C.db_bind_param(stmt, params, n)
   real.sb_ask_bind_param(stmt, params, n)
   return wait(stmt, params)
end

function C.db_execute(stmt)
   real.sb_ask_execute(stmt)
   local at = wait_held(stmt)
   return cast(result_ptr, at)
end

function C.db_close(stmt)
   real.sb_ask_close(stmt)
   return wait(stmt)
end

function C.db_fetch_row(rs)
   real.sb_ask_fetch_row(rs)
   local at = wait(rs)
   return cast(row_ptr, at)
end

function C.db_free_results(rs)
   real.sb_ask_free_results(rs)
   return wait(rs)
end

function C.db_bulk_insert_init(con, query, len)
   real.sb_ask_bulk_insert_init(con, query, len)
   return wait(con, query)
end

function C.db_bulk_insert_next(con, row, len)
   real.sb_ask_bulk_insert_next(con, row, len)
   return wait(con, row)
end

function C.db_bulk_insert_done(con)
   real.sb_ask_bulk_insert_done(con)
   return wait(con)
end

function C.sb_more_events(thread_id)
   real.sb_ask_more_events(thread_id)
   return wait() ~= 0
end

function C.usleep(microseconds)
   real.sb_ask_usleep(microseconds)
   return wait()
end

function C.sleep(seconds)
   real.sb_ask_sleep(seconds)
   return wait()
end

function C.nanosleep(want, left)
   real.sb_ask_nanosleep(want, left)
   return wait(want, left)
end

function C.poll(fds, n, timeout)
   real.sb_ask_poll(fds, n, timeout)
   return wait(fds)
end
