-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Results that are freed twice: the error names this script and line.  Words that repeat are folded.

local function try(f, ...)
   print(select(2, pcall(f, ...)))
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   local rs = con:query("SELECT 1")
   rs:free()
   try(function() rs:free() end)
   try(rs.free, rs)
   local statement = con:prepare("SELECT 2")
   rs = statement:execute()
   try(function()
      return (rs:free())
   end)
   try(function() rs:free() end)
   pcall(con.query, con, "SELECT nosuch")
   rs = con:query("SELECT 3")
   rs:free()
   rs:free()
end
