-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A connection that is killed under its script: every fifth event begins with the death of the connection.  With
-- --mysql-ignore-errors=2006,2013 the event is restarted on a new one, statements included.

local n = 0

function sysbench.hooks.before_restart_event(err)
   assert(err.connection == con and (err.sql_errno == 2006 or err.sql_errno == 2013))
   id = con:query_row("SELECT CONNECTION_ID()")
end

function thread_init()
   drv = sysbench.sql.driver()
   con, killer = drv:connect(), drv:connect()
   id = con:query_row("SELECT CONNECTION_ID()")
   stmt = con:prepare("SELECT ? + 1")
   param = stmt:bind_create(sysbench.sql.type.INT)
   stmt:bind_param(param)
end

function event()
   n = n + 1
   if n % 5 == 0 then
      killer:query("KILL " .. id)
      -- the server closes the socket a moment later
      while killer:query_row("SELECT 1 FROM information_schema.processlist WHERE id = " .. id) do end
   end
   param:set(n)
   assert(tonumber(stmt:execute():fetch_row()[1]) == n + 1)
end

function thread_done()
   con:disconnect()
   killer:disconnect()
end
