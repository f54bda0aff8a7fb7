-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A failing statement that is ignored and begun again: a duplicate key or a lock that is waited for.

local con
local attempts, heard = 0, {}

function prepare()
   con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE e1(id INTEGER PRIMARY KEY, n INTEGER)")
   con:query("INSERT INTO e1 VALUES (1, 0)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

if os.getenv("HOOK") then
   sysbench.hooks.sql_error_ignorable = function(e)
      print("sql_error_ignorable", e.sql_errno, e.sql_state, e.query, e.errcode, e.connection == con)
      if sysbench.opt.db_driver == "pgsql" then
         con:query("ROLLBACK")
      end
      return os.getenv("HOOK") == "yes"
   end
end

sysbench.hooks.before_restart_event = function(e)
   print("before_restart_event", e.errcode, e.sql_errno, e.sql_state, e.query)
end

function event()
   attempts = attempts + 1
   con:query("UPDATE e1 SET n = n + 1 WHERE id = 1")
   if attempts % 3 == 0 then
      con:query("INSERT INTO e1 VALUES (1, 1)")
   end
end

function thread_done()
   print("attempts", attempts, "n", con:query_row("SELECT n FROM e1"))
end
