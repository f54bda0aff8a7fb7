-- SPDX-License-Identifier: GPL-2.0-or-later
function thread_init()
  con = sysbench.sql.driver():connect()
  stmt = con:prepare("INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, ?, 'c', 'pad')")
  k = stmt:bind_create(sysbench.sql.type.INT)
  stmt:bind_param(k)
  n = 0
end
function event()
  con:query("SELECT 1")
  n = n + 1
  if n == 2 then
    k:set(5)
    stmt:execute()
  end
end
