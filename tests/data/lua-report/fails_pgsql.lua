-- SPDX-License-Identifier: GPL-2.0-or-later
function thread_init() con = sysbench.sql.driver():connect() n = 0 end
function event()
  n = n + 1
  con:query("BEGIN")
  con:query("INSERT INTO sbtest1 (id, k, c, pad) VALUES (" .. (n % 2 == 0 and 1 or 1000 + n) .. ", 2, 'c', 'pad')")
  con:query("COMMIT")
end
