-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- In a Lua state that several clients share: replaces the functions of ffi.C that may wait (script/shared/deferred.h).
-- Gets the table of shared C functions.

local functions = ...
local ffi = require("ffi")
local real = ffi.C
local C = setmetatable({}, {__index = real})

-- In the order of enum deferred_function.
local prototypes = {
   "sql_connection *db_connection_create(sql_driver *driver)",
   "int db_connection_close(sql_connection *con)",
   "int db_connection_reconnect(sql_connection *con)",
   "void db_undo(sql_connection *con)",
   "sql_result *db_query(sql_connection *con, const char *text, size_t len)",
   "sql_result *db_peek(sql_connection *con, const char *text, size_t len)",
   "bool db_more_results(sql_connection *con)",
   "sql_result *db_next_result(sql_connection *con)",
   "bool db_discard_results(sql_connection *con)",
   "sql_statement *db_prepare(sql_connection *con, const char *text, size_t len)",
   "int db_bind_param(sql_statement *stmt, const sql_bind *params, size_t n)",
   "sql_result *db_execute(sql_statement *stmt)",
   "int db_close(sql_statement *stmt)",
   "sql_row *db_fetch_row(sql_result *rs)",
   "int db_free_results(sql_result *rs)",
   "int db_bulk_insert_init(sql_connection *con, const char *text, size_t len)",
   "int db_bulk_insert_next(sql_connection *con, const char *text, size_t len)",
   "int db_bulk_insert_done(sql_connection *con)",
   "bool sb_more_events(int thread_id)",
   "bool sb_event_retry(int thread_id)",
   -- what scripts declare themselves
   "int usleep(uint32_t microseconds)",
   "int sleep(uint32_t seconds)",
   "int nanosleep(const void *want, void *left)",
   "int poll(void *fds, unsigned long n, int timeout)",
}

-- Their first argument stays alive as long as the result may be read.
local keeping = {db_query = true, db_peek = true, db_execute = true}

-- A pointer is a number on its way.  `at` on a line of its own: a compiled trace cannot go on after a call whose
-- results are passed as they come.
local function answer_of(answer, call)
   if answer:find("*", 1, true) then
      return "local at = " .. call .. "\n return cast(answer, at)"
   end
   return answer == "void " and call or "return " .. call .. (answer == "bool " and " ~= 0" or "")
end

for number, prototype in ipairs(prototypes) do
   local answer, name, parameters = prototype:match("^(.-)([%w_]+)%((.*)%)$")
   local names = {}

   for word in (parameters .. ","):gmatch("([%w_]+),") do
      names[#names + 1] = word
   end
   local missing = 3 - #names

   -- the number of the function is behind the arguments, which messages of FFI count
   ffi.cdef(("void sb_defer_%s(%s%s, int function) __asm__(\"sb_defer\");"):format(
      name, parameters, (", uintptr_t"):rep(missing)))
   names = table.concat(names, ", ")

   local record = ("real.sb_defer_%s(%s%s, %d)"):format(name, names, (", 0"):rep(missing), number - 1)
   local text = ("local real, wait, cast, answer = ...\nreturn function(%s)\n %s\n %s\nend"):format(
      names, record, answer_of(answer, "wait(" .. names .. ")"))
   C[name] = loadstring(text, "sysbench.deferred.lua")(
      real, keeping[name] and functions.wait_keeping or functions.wait, ffi.cast,
      answer:find("*", 1, true) and ffi.typeof(answer))
end

ffi.C, functions.real = C, real
