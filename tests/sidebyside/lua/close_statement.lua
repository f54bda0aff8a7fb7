-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Statements are closed while their connection lives on, and are collected later.

function event()
   local con = sysbench.sql.driver():connect()
   for _ = 1, 3 do
      local stmt = con:prepare("SELECT 1")
      stmt:execute():free()
      print("close", stmt:close())
   end
   collectgarbage()
   collectgarbage()
   print("still there", con:query_row("SELECT 2"))
   con:disconnect()
   return true
end
