-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Stored procedures with several result sets: all are read where the API can, else only the first.

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE p(id INTEGER PRIMARY KEY, n INTEGER)")
   con:query("INSERT INTO p VALUES (1, 10), (2, 20), (3, 30)")
   con:query([[CREATE PROCEDURE several(IN low INT)
      BEGIN
         SELECT id FROM p WHERE id >= low ORDER BY id;
         SELECT SUM(n) FROM p;
         UPDATE p SET n = n + 1 WHERE id = 1;
      END]])
   con:query("CREATE PROCEDURE quiet() BEGIN UPDATE p SET n = n + 1; END")
end

local function all(con, rs)
   local sets = 0
   while rs ~= nil do
      sets = sets + 1
      for _ = 1, tonumber(rs.nrows) do
         print("set", sets, "row", rs:fetch_row()[1])
      end
      local more, following = pcall(function() return con:more_results() and con:next_result() or nil end)
      rs = more and following or nil
   end
   return sets
end

function event()
   local con = sysbench.sql.driver():connect()
   con:query("CALL quiet()")
   print("sets", all(con, con:query("CALL several(2)")))
   print("again", (pcall(function() return all(con, con:query("CALL several(3)")) end)))
   con:disconnect()
   con = sysbench.sql.driver():connect()
   print("several statements", all(con, con:query("SELECT 1; SELECT 2; SELECT 3")))
   con:disconnect()
end
