-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A lock that is waited for in vain: what the event did before must not stay.

local one, two
local attempts = 0

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE l(id INTEGER PRIMARY KEY, n INTEGER) ENGINE = InnoDB")
   con:query("INSERT INTO l VALUES (1, 0), (2, 0)")
end

function thread_init()
   local drv = sysbench.sql.driver()
   one, two = drv:connect(), drv:connect()
   one:query("SET innodb_lock_wait_timeout = 1")
end

function event()
   attempts = attempts + 1
   if attempts == 1 then
      two:query("BEGIN")
      two:query("UPDATE l SET n = 100 WHERE id = 2")
   else
      two:query("ROLLBACK")
   end
   one:query("BEGIN")
   one:query("UPDATE l SET n = n + 1 WHERE id = 1")
   one:query("UPDATE l SET n = n + 1 WHERE id = 2")
   one:query("COMMIT")
end

function thread_done()
   print("attempts", attempts, "rows", one:query_row("SELECT GROUP_CONCAT(n ORDER BY id) FROM l"))
end
