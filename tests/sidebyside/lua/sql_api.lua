-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The SQL objects as a script sees them, on either driver: what works in stock.

local mysql
local drv, con

local function show(what, ...)
   local out = {what}
   for i = 1, select("#", ...) do
      out[#out + 1] = tostring((select(i, ...)))
   end
   print(table.concat(out, " | "))
end

local function try(what, f, ...)
   local ok, why = pcall(f, ...)
   show(what, ok, type(why) == "table" and "table " .. tostring(why.errcode) or why)
end

local function rows(rs)
   show("rows", rs.nrows, rs.nfields, type(rs.nrows))
   for i = 1, tonumber(rs.nrows) do
      local row = rs:fetch_row()
      show("row", row[1], row[2], row[3], type(row[1]))
   end
   show("after the last", rs:fetch_row())
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   mysql = drv:name() == "mysql"
   show("names", drv, drv:name(), ffi.string(drv.sname), ffi.string(drv.lname), con)
end

local function queries()
   show("create", con:query("CREATE TABLE t1(id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR(100))") == nil)
   local rs = con:query("INSERT INTO t1 VALUES (1, 10, 'one'), (2, NULL, ''), (3, 30, NULL)")
   show("no result set", rs == nil, rs and true or false, tostring(rs))
   rs = con:query("SELECT id, n, s FROM t1 ORDER BY id")
   show("result", tostring(rs))
   rows(rs)
   show("free", (rs:free()))
   rows(con:query("SELECT id FROM t1 WHERE id > 100"))
   show("query_row", con:query_row("SELECT id, n, s FROM t1 WHERE id = 3"))
   show("query_row, no row", con:query_row("SELECT id FROM t1 WHERE id = 100"))
   show("query_row, no result", con:query_row("UPDATE t1 SET n = 11 WHERE id = 1"))
   con:query("BEGIN")
   con:query("UPDATE t1 SET n = 12 WHERE id = 1")
   con:query("ROLLBACK")
   show("rolled back", con:query_row("SELECT n FROM t1 WHERE id = 1"))
   con:query("DELETE FROM t1 WHERE id = 100")
   con:query("UPDATE t1 SET n = n WHERE id = 1")
end

local function errors()
   try("bad column", con.query, con, "SELECT nosuch FROM t1")
   show("fields", con.error == sysbench.sql.error.FATAL, con.sql_errno, ffi.string(con.sql_state))
   try("bad table", con.query, con, "INSERT INTO nosuch VALUES (1)")
   try("bad syntax", con.query, con, "SELEC 1")
   try("duplicate", function() con:query("INSERT INTO t1 VALUES (1, 1, '1')") end)
   con:query(mysql and "DO 0" or "ROLLBACK")
   show("works again", con:query_row("SELECT 1"))
end

local function statements()
   local stmt = con:prepare("SELECT n FROM t1 WHERE id = ?")
   local id = stmt:bind_create(sysbench.sql.type.INT)
   show("objects", stmt, id, id.type == sysbench.sql.type.BIGINT)
   show("bind", stmt:bind_param(id))
   id:set(1)
   local rs = stmt:execute()
   show("rows of a statement", tonumber(rs.nrows))
   rs:free()
   local ins = con:prepare("INSERT INTO t1 VALUES (?, ?, ?)")
   local p = {ins:bind_create(sysbench.sql.type.BIGINT), ins:bind_create(sysbench.sql.type.INT),
              ins:bind_create(sysbench.sql.type.VARCHAR, 10)}
   show("bind", ins:bind_param(unpack(p)))
   for i = 10, 13 do
      p[1]:set(i)
      p[2]:set(-i)
      p[3]:set(("x"):rep(i))
      show("insert", ins:execute() == nil)
   end
   p[1]:set(20)
   p[3]:set_rand_str("##@@##@@##")
   ins:execute()
   show("set_rand_str of a number", pcall(p[1].set_rand_str, p[1], "##"))
   show("unknown type", pcall(ins.bind_create, ins, sysbench.sql.type.DATE))
   rows(con:query("SELECT id, n, s FROM t1 WHERE id BETWEEN 10 AND 20 ORDER BY id"))
   kept = {stmt, ins}         -- closing them has a test of its own
   local plain = con:prepare("UPDATE t1 SET n = 5 WHERE id = 1")
   show("without parameters", plain:execute() == nil)
   kept[3] = plain
end

local function bulk()
   con:query("CREATE TABLE t2(a INTEGER, b VARCHAR(2000))")
   show("init", (con:bulk_insert_init("INSERT INTO t2 VALUES")))
   for i = 1, 700 do
      con:bulk_insert_next(("(%d, '%s')"):format(i, ("b"):rep(1500)))
   end
   show("done", (con:bulk_insert_done()))
   show("done again", (con:bulk_insert_done()))
   show("sum", con:query_row("SELECT COUNT(*), SUM(a) FROM t2"))
   try("next without init", con.bulk_insert_next, con, "(1, '1')")
   con:bulk_insert_init("INSERT INTO t2 VALUES")
   try("too long", con.bulk_insert_next, con, ("x"):rep(600000))
   con:bulk_insert_done()
   con:bulk_insert_init("INSERT INTO nosuch VALUES")
   con:bulk_insert_next("(1)")
   try("no such table", con.bulk_insert_done, con)
   if not mysql then
      con:query("ROLLBACK")
   end
end

function event()
   queries()
   errors()
   statements()
   bulk()
   return true
end

function thread_done()
   show("disconnect", con:disconnect())
   show("disconnect again", con:disconnect())
   try("use after disconnect", con.query, con, "SELECT 1")
   try("no such driver", sysbench.sql.driver, "nosuch")
end
