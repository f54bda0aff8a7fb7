-- SPDX-License-Identifier: GPL-2.0-or-later
function thread_init() con = sysbench.sql.driver():connect() n = 0 end
function event()
  n = n + 1
  con:query("SELECT \"k\" FROM sbtest1 WHERE id = " .. n .. " AND c <> $a$ it's $a$ AND pad <> E'\\'x'")
  con:query("SELECT '" .. n .. "'::text, " .. n .. "::int")
  if n == 2 then con:query("INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, 2, 'c', 'pad')") end
  if n == 4 then con:query("SELECT pg_terminate_backend(pg_backend_pid())") end
end
