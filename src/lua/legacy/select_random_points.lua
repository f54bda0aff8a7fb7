-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event reads --random-points=10 rows by an IN list, with a prepared statement.

local pathtest = string.match(test, "(.*/)")
local random = require("sysbench-tx.legacy_random")

if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end
random.own_table()

local stmt, params, first, last

function thread_init(thread_id)
   local points = {}

   set_vars()
   for i = 1, random.number("random_points", 10, 1) do
      points[i] = "?"
   end
   first, last = random.slice(thread_id)
   params = {}
   stmt = db_prepare("SELECT id, k, c, pad FROM " .. random.table_name .. " WHERE k IN (" ..
                     table.concat(points, ", ") .. ")")
   for i = 1, #points do
      params[i] = 0
   end
   db_bind_param(stmt, params)
end

function event(thread_id)
   for i = 1, #params do
      params[i] = sb_rand(first, last)
   end
   db_free_results(db_execute(stmt))
end

function thread_done(thread_id)
   db_close(stmt)
end
