-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- SQL that stock counts as reads, writes, other and errors (6.5).

function event()
   local con = sysbench.sql.driver():connect()
   local mysql = sysbench.opt.db_driver == "mysql"
   con:query("CREATE TABLE c1(id INTEGER PRIMARY KEY, n INTEGER)")
   con:query("INSERT INTO c1 VALUES (1, 1), (2, 2)")
   con:query("UPDATE c1 SET n = 9 WHERE id = 1")
   con:query("UPDATE c1 SET n = 9 WHERE id = 1")
   con:query("DELETE FROM c1 WHERE id = 77")
   con:query("SELECT * FROM c1")
   con:query("SELECT * FROM c1 WHERE id = 77")
   con:query("BEGIN")
   con:query("COMMIT")
   con:query(mysql and "SHOW TABLES" or "SHOW work_mem")
   con:query("EXPLAIN SELECT * FROM c1")
   if mysql then
      con:query("REPLACE INTO c1 VALUES (1, 5)")
      con:query("INSERT IGNORE INTO c1 VALUES (1, 5)")
      con:query("SET @a = 1")
      con:query("ANALYZE TABLE c1")
   end
   for _ = 1, 3 do
      pcall(con.query, con, "SELECT nosuch")
   end
   con:disconnect()
   return false
end
