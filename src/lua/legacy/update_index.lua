-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event updates k, the indexed column, of one row.

local pathtest = string.match(test, "(.*/)")

if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end

function thread_init(thread_id)
   set_vars()
   db_connect()
end

function event(thread_id)
   local table_name = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)

   db_query("UPDATE " .. table_name .. " SET k=k+1 WHERE id=" .. sb_rand(1, oltp_table_size))
end
