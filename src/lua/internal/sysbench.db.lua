-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The API of the 0.5 generation on top of today's: sysbench.db.* and the global names that scripts of that
-- time use.  One connection per Lua state, opened at the first use; statements and results are
-- handles.  New scripts have no reason to use it.  Run when a script first uses it (sysbench.lazy.lua).

local sysbench = ...
local C = require("ffi").C

local db = {
   DB_ERROR_NONE = DB_ERROR_NONE,
   DB_ERROR_RESTART_TRANSACTION = DB_ERROR_RESTART_TRANSACTION,
   DB_ERROR_FAILED = DB_ERROR_FAILED,
}
sysbench.db = db

-- With --compat=0.5 the error that restarts a transaction is a number, and thread_init() finds itself connected.
local old = sysbench.version:sub(1, 2) == "0."
local FAILED = DB_ERROR_FAILED
local con

-- The driver has printed why it failed; the script's line is `level` calls away.
local function connect(level)
   local drv = sysbench.sql.driver()
   local ok, new

   db_driver = drv:name()
   ok, new = pcall(drv.connect, drv)
   if not ok then
      error("Failed to connect to the database", level + 1)
   end
   con = new
end

-- For the functions that scripts call, and only directly from them.
local function connected()
   if not con then
      connect(3)
   end
   return con
end

-- Restartable errors pass as a RESTART_EVENT table, or number; the rest under the name of the call, or as the
-- number with which a statement that failed ended a script of 0.5.
local function guarded(what, f, ...)
   local ok, ret = pcall(f, ...)

   if ok then
      return ret
   end
   if type(ret) == "table" and ret.errcode == sysbench.error.RESTART_EVENT then
      error(old and sysbench.error.RESTART_EVENT or ret, 0)
   end
   if old and (what == "db_query" or what == "db_execute") then
      error(FAILED, 0)
   end
   error(what .. "() failed", 3)
end

function db.connect()
   if not (old and con) then
      connect(2)
   end
end

function db.disconnect()
   if con then
      con:disconnect()
      con = nil
   end
end

function db.query(query)
   local c = connected()

   guarded("db_query", c.query, c, query)
end

function db.bulk_insert_init(query)
   local c = connected()

   guarded("db_bulk_insert_init", c.bulk_insert_init, c, query)
end

function db.bulk_insert_next(row)
   local c = connected()

   guarded("db_bulk_insert_next", c.bulk_insert_next, c, row)
end

function db.bulk_insert_done()
   local c = connected()

   guarded("db_bulk_insert_done", c.bulk_insert_done, c)
end

-- A statement here is a table: the statement, the script's table of values, the parameters made for them.
function db.prepare(query)
   local c = connected()

   return {stmt = guarded("db_prepare", c.prepare, c, query)}
end

local longest_string = 256

-- A parameter keeps the type of the value with which it was bound, or of the first that it gets.
local function kind_of(value)
   local kind = type(value)

   if kind ~= "number" and kind ~= "string" then
      error("Unsupported variable type: " .. kind, 0)
   end
   return kind
end

-- The values are read from the table at every execute.
function db.bind_param(handle, values)
   local n, kinds = 0, {}

   for i, value in pairs(values) do
      n = math.max(n, i)
      kinds[i] = kind_of(value)
   end
   handle.values, handle.kinds, handle.n, handle.params = values, kinds, n, {}
end

function db.bind_result()
   -- results of statements were never readable in this API
end

-- The value of parameter i, which is not nil, in its type.  #4 in the message is the first one, as in stock.
local function converted(handle, i, value)
   local kinds, kind = handle.kinds, type(value)

   kinds[i] = kinds[i] or kind_of(value)
   if kind == kinds[i] then
      return value
   end
   local other = kinds[i] == "number" and tonumber(value) or kind == "number" and tostring(value)
   if not other then
      error(("bad argument #%d to 'db_execute' (%s expected, got %s)"):format(i + 3, kinds[i], kind), 4)
   end
   return other
end

local function new_param(stmt, kind, value)
   local TYPE = sysbench.sql.type

   if kind == "number" then
      return stmt:bind_create(TYPE.BIGINT)
   end
   return stmt:bind_create(TYPE.CHAR, math.max(longest_string, value and #value or 0))
end

local function holds(param, kind, value)
   local is_number = param.type == sysbench.sql.type.BIGINT

   return is_number == (kind == "number") and (is_number or not value or #value <= param.max_len)
end

local function pass_values(handle)
   local params, changed = handle.params, false

   for i = 1, handle.n do
      local value = handle.values[i]
      if value ~= nil then
         value = converted(handle, i, value)
      end
      local kind = handle.kinds[i] or "string"
      if not params[i] or not holds(params[i], kind, value) then
         params[i] = new_param(handle.stmt, kind, value)
         changed = true
      end
      params[i]:set(value)
   end
   if changed and handle.stmt:bind_param(unpack(params, 1, handle.n)) ~= 0 then
      error("db_execute() failed", 3)
   end
end

local to_be_freed = false -- the result of the last execute

function db.execute(handle)
   if handle.params then
      pass_values(handle)
   end
   local rs = guarded("db_execute", handle.stmt.execute, handle.stmt)
   to_be_freed = rs ~= nil
   return rs
end

function db.store_results()
   -- results are stored as they arrive
end

-- Freeing a result twice is no error in this API.
function db.free_results(rs)
   if rs ~= nil and to_be_freed then
      to_be_freed = false
      C.db_free_results(rs)
   end
end

function db.close(handle)
   handle.stmt:close()
end
