-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event inserts one row.  With --oltp-auto-inc=off its id is the next one of a sequence that visits
-- 1 ... --oltp-table-size in scattered order, so the table must be empty or smaller.

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
   local k = sb_rand(1, oltp_table_size)
   local c = sb_rand_str("###########-###########-###########-###########-###########-" ..
                         "###########-###########-###########-###########-###########")
   local pad = sb_rand_str("###########-###########-###########-###########-###########")
   local values = k .. ", '" .. c .. "', '" .. pad .. "')"

   if not oltp_auto_inc then
      values = "(id, k, c, pad) VALUES (" .. sb_rand_uniq(1, oltp_table_size) .. ", " .. values
   elseif db_driver == "pgsql" then
      values = "(k, c, pad) VALUES (" .. values
   else
      values = "(id, k, c, pad) VALUES (0, " .. values
   end
   db_query("INSERT INTO " .. table_name .. " " .. values)
end
