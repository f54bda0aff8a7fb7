-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Small things that stock does wrong, one by one; WHAT chooses.

local what = os.getenv("WHAT")
local tests = {}

function tests.histogram()
   print(pcall(tostring, sysbench.histogram.new(10, 1, 2)))
end

function tests.random()
   print(sysbench.rand.uniform(1, 8589934592) > 1, sysbench.rand.uniform(0, 4294967295) > 0)
end

function tests.returns(con)
   con:query("CREATE TABLE r(a INTEGER)")
   print("init", con:bulk_insert_init("INSERT INTO r VALUES"))
   print("next", con:bulk_insert_next("(1)"))
   print("done", con:bulk_insert_done())
   print("free", con:query("SELECT 1"):free())
end

function tests.reconnect(con)
   print("reconnect", con:reconnect())
   print("works", con:query_row("SELECT 7"))
end

function tests.lost(con)
   local mysql = sysbench.opt.db_driver == "mysql"
   if not killed then
      killed = true
      con:query(mysql and "KILL CONNECTION_ID()" or "SELECT pg_terminate_backend(pg_backend_pid())")
   end
   print("works", con:query_row("SELECT 7"))
end

function tests.empty_statement(con)
   print(pcall(con.query, con, ""))
   print("works", con:query_row("SELECT 7"))
end

function tests.placeholders(con)
   local stmt = con:prepare("SELECT '?', COUNT(*) FROM pg_tables WHERE tablename <> ? -- really?")
   local name = stmt:bind_create(sysbench.sql.type.VARCHAR, 20)
   print("bind", stmt:bind_param(name))
   name:set("nosuch")
   print("rows", tonumber(stmt:execute().nrows))
end

function tests.null(con)
   con:query("CREATE TABLE n(a INTEGER, b VARCHAR(20))")
   local stmt = con:prepare("INSERT INTO n VALUES (?, ?)")
   local a, b = stmt:bind_create(sysbench.sql.type.INT), stmt:bind_create(sysbench.sql.type.VARCHAR, 20)
   stmt:bind_param(a, b)
   a:set(1)
   b:set("x")
   stmt:execute()
   a:set(nil)
   b:set(nil)
   stmt:execute()
   print("nulls", con:query_row("SELECT COUNT(*) - COUNT(a), COUNT(*) - COUNT(b) FROM n"))
end

function tests.deallocate(con)
   local stmt = con:prepare("SELECT 1")
   stmt:execute()
   stmt:close()
   con:prepare("SELECT 2"):execute()
   print("left", con:query_row("SELECT COUNT(*) FROM pg_prepared_statements WHERE NOT from_sql"))
end

function tests.long_message()
   error(("long "):rep(1200))
end

function tests.stop_without_start()
   ffi.cdef("void sb_event_stop(int);")
   ffi.C.sb_event_stop(sysbench.tid)
end

local con

function thread_init()
   if what ~= "histogram" and what ~= "random" and what ~= "long_message" and what ~= "stop_without_start" then
      con = sysbench.sql.driver():connect()
   end
end

function event()
   tests[what](con)
   return true
end
