-- SPDX-License-Identifier: GPL-2.0-or-later
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("SELECT 1 + ?")
  n = stmt:bind_create(sysbench.sql.type.INT)
  stmt:bind_param(n)
  named = con:prepare("SELECT 2")
  sysbench.sql.name(named, "two")
end
function event(id)
  for i = 1, 3 do
    con:query("SELECT " .. i .. ", 'it''s', k FROM sbtest1 WHERE id IN (1,2," .. i .. ") -- " .. i)
  end
  n:set(3); stmt:execute()
  named:execute()
  sysbench.sql.name(con, "named query")
  con:query("SELECT SLEEP(0.02)")
  con:query_row("SELECT COUNT(*) FROM sbtest1")
  sysbench.sql.name(con, nil)
  con:query("begin"); con:query("DO 0"); con:query("ROLLBACK")
  con:bulk_insert_init("INSERT INTO sbtest2 (k) VALUES")
  for i = 1, 4 do con:bulk_insert_next("(" .. i .. ")") end
  con:bulk_insert_done()
  con:reconnect()
end
