-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The SQL objects against a real server: prints what a script sees of results, parameters and errors, and
-- leaves nothing behind.  Statements fail on purpose.

local T = sysbench.sql.type

local function show(...)
   local values = {}

   for i = 1, select("#", ...) do
      local value = select(i, ...)
      values[i] = value == nil and "nil" or tostring(value)
   end
   print(table.concat(values, " | "))
end

local function refused(what, f, ...)
   local ok, err = pcall(f, ...)

   assert(not ok, what .. " was not refused")
   show(what, type(err) == "table" and "restart " .. err.sql_errno or (err:gsub("^.-:%d+: ", "")))
end

local function results(con)
   local rs = con:query("SELECT 1 AS a, NULL AS b, 'x' AS c UNION ALL SELECT 2, 'y', ''")

   show(rs, rs.nrows, rs.nfields, type(rs.nrows))
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      show(row[1], row[2], row[3], type(row[1]))
   end
   show("after the last", rs:fetch_row())
   show("free", rs:free())
   refused("free again", rs.free, rs)
   show("no result set", con:query("SET @x = 1") == nil)
   show("query_row", con:query_row("SELECT 1, NULL, 'three', NULL"))
   show("query_row, none", con:query_row("SELECT 1 FROM DUAL WHERE 1 = 0"))
end

local function statements(con)
   con:query("CREATE TABLE sql_api (i BIGINT, d DOUBLE, v VARCHAR(20))")

   local insert = con:prepare("INSERT INTO sql_api VALUES (?, ?, ?)")
   local i, d, v = insert:bind_create(T.INT), insert:bind_create(T.DOUBLE), insert:bind_create(T.VARCHAR, 8)

   show("bind", insert:bind_param(i, d, v), i, i.type, d.type, v.type, v.max_len)
   i:set(9007199254740991) d:set(0.1) v:set("it's cut off") insert:execute()
   i:set(-1) d:set(-1.5e300) v:set("short") insert:execute()
   i:set(nil) d:set(nil) v:set(nil) insert:execute()
   v:set_rand_str("##-@@") i:set(2) d:set(2) insert:execute()

   local select = con:prepare("SELECT i, d, v FROM sql_api WHERE i < ? OR i IS NULL ORDER BY i")
   local limit = select:bind_create(T.BIGINT)

   select:bind_param(limit)
   limit:set(2)
   local rs = select:execute()
   for _ = 1, rs.nrows do
      local row = rs:fetch_row()
      show(row[1], row[2], row[3])
   end
   show(con:query_row("SELECT i, d, v FROM sql_api WHERE i > 2"))
   show(con:query_row("SELECT v REGEXP '^[0-9]{2}-[a-z]{2}$' FROM sql_api WHERE i = 2"))
   show("bind too few", insert:bind_param(i))
   refused("unknown type", insert.bind_create, insert, T.DATE)
   refused("no length", insert.bind_create, insert, T.CHAR)
   refused("a word for a number", i.set, i, "x")
   refused("digits for a number", i.set_rand_str, i, "#")
   show("close", insert:close() <= 1)
   refused("closed statement", insert.execute, insert)
end

local function several_results(con)
   local rs = con:query("SELECT 'first'; SELECT 'second'")

   show(rs:fetch_row()[1], con:more_results())
   rs = con:next_result()
   show(rs:fetch_row()[1], con:more_results())
   show("nothing more", con:next_result() == nil)
end

local function bulk(con)
   refused("next before init", con.bulk_insert_next, con, "(1)")
   show(con:bulk_insert_init("INSERT INTO sql_api (v) VALUES"))
   for n = 1, 3 do
      show(con:bulk_insert_next("('bulk" .. n .. "')"))
   end
   show(con:bulk_insert_done(), con:bulk_insert_done())
   show(con:query_row("SELECT COUNT(*) FROM sql_api WHERE v LIKE 'bulk%'"))
   con:bulk_insert_init("INSERT INTO nosuch VALUES")
   con:bulk_insert_next("(1)")
   refused("bulk into nowhere", con.bulk_insert_done, con)
end

local function errors(con)
   refused("bad column", con.query, con, "SELECT nosuch")
   show(tonumber(con.error), con.sql_errno, ffi.string(con.sql_state), ffi.string(con.sql_errmsg))
   if sysbench.opt.db_ps_mode ~= "disable" then
      refused("bad statement", con.prepare, con, "SELECT nosuch")
   end
   show("works again", con:query_row("SELECT 'yes'"), tonumber(con.error), con.sql_errno)
   sysbench.hooks.sql_error_ignorable = function(err)
      assert(err.errcode == nil and err.connection == con and err.query == "SELECT nosuch")
      return err.sql_errno == 1054
   end
   refused("hook", con.query, con, "SELECT nosuch")
   sysbench.hooks.sql_error_ignorable = nil
   refused("query is no string", con.query, con, nil)
end

local function connections(drv)
   -- connections and statements that nobody holds any more
   for _ = 1, 100 do
      local con = drv:connect()
      con:prepare("SELECT 1"):execute()
   end
   collectgarbage()
   -- a result without a variable for its connection
   local rs = drv:connect():query("SELECT 'alive'")
   collectgarbage()
   collectgarbage()
   show(rs:fetch_row()[1])
   local con = drv:connect()
   show("disconnect", con:disconnect(), con:disconnect())
   refused("closed connection", con.query, con, "SELECT 1")
   refused("no such driver", sysbench.sql.driver, "nosuch")
end

function event()
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   show(drv, drv:name(), ffi.string(drv.lname), con)
   con:query("DROP TABLE IF EXISTS sql_api")
   for _, part in ipairs{results, statements, several_results, bulk, errors} do
      part(con)
   end
   connections(drv)
   con:query("DROP TABLE sql_api")
   con:disconnect()
   return true
end
