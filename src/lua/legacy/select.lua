-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Point selects of 0.5: one event reads the column pad of one row by its primary key.

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

   db_query("SELECT pad FROM " .. table_name .. " WHERE id=" .. sb_rand(1, oltp_table_size))
end
