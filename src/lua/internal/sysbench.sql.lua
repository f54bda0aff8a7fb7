-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- sysbench.sql: drivers, connections, statements, parameters and results.  The objects are the C structs
-- of sql/sql_types.h with methods; the db_* functions (script/ffi_calls.c) do the work.
--
-- Lifetimes: a connection the script loses is closed by the collector, so is a statement.  A statement
-- keeps its connection and the parameters bound to it (`bound` below).  A result belongs to its connection and
-- lives until the next statement on it.  The last few objects that gave a result are kept alive (`kept`), so that
-- drv:connect():query(q):fetch_row() works without a variable for the connection.
--
-- In a state that clients share (script/shared/shared.c) this chunk is run once for all, so what is a client's own is
-- looked up at the call: mine() is its table `sysbench`, and the C side keeps its objects alive.

local sysbench, _, host = ...
local ffi = require("ffi")
local C = ffi.C

local sql = {}
sysbench.sql = sql

sql.type = {
   NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6,
   TIME = 7, DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
}
sql.error = {NONE = 0, IGNORABLE = 1, FATAL = 2}

local TYPE = sql.type
local NONE, IGNORABLE = sql.error.NONE, sql.error.IGNORABLE
local RESTART_EVENT = sysbench.error.RESTART_EVENT

local mine = host.client or function() return sysbench end

local kept, kept_at = {}, 0

local keep_alive = host.client and function() end or function(source)
   kept_at = kept_at % 8 + 1
   kept[kept_at] = source
end

local function named(name)
   return function() return name end
end

-- Drivers -------------------------------------------------------------------------------------

local driver = {}

-- nil: the one that --db-driver names.
function sql.driver(name)
   local drv = C.db_create(name)

   if drv == nil then
      error("failed to initialize the DB driver", 2)
   end
   return drv
end

function driver:name()
   return ffi.string(self.sname)
end

function driver:connect()
   local con = C.db_connection_create(self)

   if con == nil then
      error("connection creation failed", 2)
   end
   return ffi.gc(con, C.db_connection_free)
end

ffi.metatype("sql_driver", {__index = driver, __tostring = named("<sql_driver>")})

-- Connections ---------------------------------------------------------------------------------

local connection = {}

-- The end of every call that may fail: returns the result, or raises an error.  `level` is where in the
-- call stack the script's line is: 2 when checked() is a tail call of the method that the script called.
local function checked(con, rs, query, level)
   if con.error == NONE then
      return rs ~= nil and rs or nil -- a NULL pointer is true
   end
   if con.sql_state == nil or con.sql_errmsg == nil then
      error("SQL API error", level)
   end

   local err = {
      connection = con,
      query = query,
      sql_errno = con.sql_errno,
      sql_state = ffi.string(con.sql_state),
      sql_errmsg = ffi.string(con.sql_errmsg),
   }

   local hooks = mine().hooks
   local again = con.error == IGNORABLE

   if not again and hooks.sql_error_ignorable and hooks.sql_error_ignorable(err) then
      again = true
      C.db_undo(con) -- as after an error of the list
   end
   if again then
      err.errcode = RESTART_EVENT
      error(err, 0)
   end
   error(string.format("SQL error, errno = %d, state = '%s': %s", err.sql_errno, err.sql_state,
                       err.sql_errmsg), level)
end

function connection:check_error(rs, query)
   return checked(self, rs, query, 2)
end

-- In what nobody has read of the last answer there may be an error; the connection goes all the same.
local function leave(con, how)
   local ok, err = true, nil

   if not C.db_discard_results(con) then
      ok, err = pcall(checked, con, nil, "<unread results>", 4)
   end
   local done = how(con) == 0
   if not ok then
      error(err, 0)
   end
   return done
end

function connection:disconnect()
   return leave(self, C.db_connection_close)
end

function connection:reconnect()
   return leave(self, C.db_connection_reconnect)
end

function connection:query(query)
   keep_alive(self)
   return checked(self, C.db_query(self, query, #query), query, 2)
end

-- The columns of the first row as return values; nil when there is none.
function connection:query_row(query)
   local rs = checked(self, C.db_query(self, query, #query), query, 3)

   if rs == nil then
      return nil
   end
   local n = rs.nfields
   local row = rs.nrows > 0 and rs:fetch_row() or nil
   C.db_free_results(rs)
   if row == nil then
      return nil
   end
   return unpack(row, 1, n)
end

function connection:more_results()
   return C.db_more_results(self)
end

function connection:next_result()
   return checked(self, C.db_next_result(self), "<next result>", 2)
end

local function bulk(what, failed)
   if failed ~= 0 then
      error(what .. " failed", 2)
   end
   return true
end

function connection:bulk_insert_init(prefix)
   local failed = C.db_bulk_insert_init(self, prefix, #prefix)

   return bulk("db_bulk_insert_init()", failed)
end

function connection:bulk_insert_next(row)
   local failed = C.db_bulk_insert_next(self, row, #row)

   return bulk("db_bulk_insert_next()", failed)
end

function connection:bulk_insert_done()
   local failed = C.db_bulk_insert_done(self)

   return bulk("db_bulk_insert_done()", failed)
end

-- Statements ----------------------------------------------------------------------------------

local statement = {}

-- What a statement must keep alive, by its address.  The entry goes when the statement's memory goes.
local bound = {}

local function address(ptr)
   return tonumber(ffi.cast("uintptr_t", ffi.cast("void *", ptr)))
end

local function statement_lost(stmt)
   bound[address(stmt)] = nil
   C.db_statement_free(stmt)
end

function connection:prepare(query)
   local stmt = C.db_prepare(self, query, #query)

   if stmt == nil then
      if self.error == IGNORABLE then
         checked(self, nil, query, 3)
      end
      error("SQL API error", 2)
   end
   bound[address(stmt)] = {connection = self}
   return ffi.gc(stmt, statement_lost)
end

ffi.metatype("sql_connection", {__index = connection, __tostring = named("<sql_connection>")})

-- A parameter is one C object that points into itself: the fields of sql_bind, then the value.  Unset it
-- is 0 or the empty string.  No typedef: each state would load sysbench.redeclared.lua.
ffi.cdef[[
struct sql_param_int {
   int type;
   int64_t *buffer;
   unsigned long *data_len;
   int max_len;
   char *is_null;
   int64_t value;
   unsigned long length;
   char null;
};
struct sql_param_double {
   int type;
   double *buffer;
   unsigned long *data_len;
   int max_len;
   char *is_null;
   double value;
   unsigned long length;
   char null;
};
struct sql_param_string {
   int type;
   char *buffer;
   unsigned long *data_len;
   int max_len;
   char *is_null;
   unsigned long length;
   char null;
   char value[?];
};
]]

local function field(param, kind, name)
   return ffi.cast("char *", param) + ffi.offsetof(kind, name)
end

local function new_param(kind, type, size, ...)
   local param = ffi.new(kind, ...)

   param.type = type
   param.buffer = ffi.cast(ffi.typeof(param.buffer), field(param, kind, "value"))
   param.data_len = ffi.cast("unsigned long *", field(param, kind, "length"))
   param.max_len = size
   param.is_null = field(param, kind, "null")
   return param
end

local function param_methods(methods)
   function methods:set_rand_str()
      error("Unsupported argument type: " .. self.type, 2)
   end
   return methods
end

local function set_number(self, value)
   if value == nil then
      self.null = 1
      return
   end
   self.value = value
   self.null = 0
end

local string_methods = {}

function string_methods:set(value)
   if value == nil then
      self.null = 1
      return
   end
   local n = #value

   if n > self.max_len then
      n = self.max_len
   end
   ffi.copy(self.buffer, value, n)
   self.length = n
   self.null = 0
end

-- As set(sysbench.rand.string(fmt)), without making a Lua string.
function string_methods:set_rand_str(fmt)
   local n = #fmt

   if n > self.max_len then
      return self:set(mine().rand.string(fmt))
   end
   C.sb_rand_fill(fmt, n, self.buffer)
   self.length = n
   self.null = 0
end

ffi.metatype("struct sql_param_int", {__index = param_methods({set = set_number}),
                               __tostring = named("<sql_param>")})
ffi.metatype("struct sql_param_double", {__index = param_methods({set = set_number}),
                                  __tostring = named("<sql_param>")})
ffi.metatype("struct sql_param_string", {__index = string_methods, __tostring = named("<sql_param>")})

local param_kind = {
   [TYPE.TINYINT] = {"struct sql_param_int", TYPE.BIGINT},
   [TYPE.SMALLINT] = {"struct sql_param_int", TYPE.BIGINT},
   [TYPE.INT] = {"struct sql_param_int", TYPE.BIGINT},
   [TYPE.BIGINT] = {"struct sql_param_int", TYPE.BIGINT},
   [TYPE.FLOAT] = {"struct sql_param_double", TYPE.DOUBLE},
   [TYPE.DOUBLE] = {"struct sql_param_double", TYPE.DOUBLE},
   [TYPE.CHAR] = {"struct sql_param_string", TYPE.VARCHAR},
   [TYPE.VARCHAR] = {"struct sql_param_string", TYPE.VARCHAR},
}

-- max_len: for CHAR and VARCHAR, the longest value in bytes.
function statement:bind_create(type, max_len)
   local kind = param_kind[type]

   if not kind then
      error("Unsupported argument type: " .. tostring(type), 2)
   end
   if kind[2] ~= TYPE.VARCHAR then
      return new_param(kind[1], kind[2], 8)
   end
   if tonumber(max_len) == nil or max_len < 0 then
      error("a CHAR or VARCHAR parameter needs its maximum length", 2)
   end
   return new_param(kind[1], kind[2], max_len, max_len + 1)
end

local bind_array = ffi.typeof("sql_bind[?]") -- of ours, whatever a script declares later

-- The parameters in the order of the placeholders; 0, or not 0 when their number is wrong.
function statement:bind_param(...)
   local n = select("#", ...)

   if n == 0 then
      return nil
   end

   local list = {...}
   local binds = bind_array(n)

   for i = 1, n do
      local p = list[i]
      binds[i - 1].type = p.type
      binds[i - 1].buffer = p.buffer
      binds[i - 1].data_len = p.data_len
      binds[i - 1].max_len = p.max_len
      binds[i - 1].is_null = p.is_null
   end

   local rc = C.db_bind_param(self, binds, n)

   if rc == 0 then
      local keep = bound[address(self)]
      if keep then
         keep.params = list
      end
   end
   return rc
end

function statement:execute()
   keep_alive(self)

   local rs = C.db_execute(self)

   return checked(self.connection, rs, "<prepared statement>", 2)
end

function statement:next_result()
   return self.connection:next_result()
end

function statement:close()
   local rc = C.db_close(self)

   return rc < 0 and checked(self.connection, nil, "<unread results>", 2) or rc
end

ffi.metatype("sql_statement", {__index = statement, __tostring = named("<sql_statement>")})

-- Names a statement, or from now on the texts that are queried on a connection, for --report-statements; nil removes
-- the name.  pairs(sysbench.sql) does not list it: it lists what stock has.
local function set_name(handle, name)
   name = name or ""
   if ffi.istype("sql_statement *", handle) then
      C.db_name_statement(handle, name, #name)
   elseif ffi.istype("sql_connection *", handle) then
      C.db_name_queries(handle, name, #name)
   else
      error("sysbench.sql.name: a statement or a connection is needed", 2)
   end
end

setmetatable(sql, {__index = {name = set_name}})

-- Results -------------------------------------------------------------------------------------

local result = {}

-- The next row as an array of strings, nil for NULL; nil after the last row.
function result:fetch_row()
   local row = C.db_fetch_row(self)

   if row == nil then
      return checked(C.db_result_connection(self), nil, "<next row>", 2)
   end

   local values, columns = row.values, {}

   for i = 1, self.nfields do
      local value = values[i - 1]
      if value.ptr ~= nil then
         columns[i] = ffi.string(value.ptr, value.len)
      end
   end
   return columns
end

function result:free()
   if C.db_free_results(self) ~= 0 then
      error("db_free_results() failed", 2)
   end
   return true
end

ffi.metatype("sql_result", {__index = result, __tostring = named("<sql_result>")})
