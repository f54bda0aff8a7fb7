-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Rows of a prepared SELECT.

function event()
   local con = sysbench.sql.driver():connect()
   local stmt = con:prepare("SELECT 7, 'seven'")
   local rs = stmt:execute()
   print("rows", tonumber(rs.nrows), "fields", tonumber(rs.nfields))
   local row = rs:fetch_row()
   print("first", row and row[1], row and row[2])
   return true
end
