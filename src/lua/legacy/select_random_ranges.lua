-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event counts the rows in --number-of-ranges=10 ranges of k, each --random-ranges-delta=5 wide, with a prepared
-- statement.

local pathtest = string.match(test, "(.*/)")
local random = require("sysbench-tx.legacy_random")

if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end
random.own_table()

local stmt, params, first, last, delta

function thread_init(thread_id)
   local ranges = {}

   set_vars()
   for i = 1, random.number("number_of_ranges", 10, 1) do
      ranges[i] = "k BETWEEN ? AND ?"
   end
   delta = random.number("random_ranges_delta", 5, 1)
   first, last = random.slice(thread_id)
   params = {}
   for i = 1, 2 * #ranges do
      params[i] = 0
   end
   stmt = db_prepare("SELECT count(k) FROM " .. random.table_name .. " WHERE " .. table.concat(ranges, " OR "))
   db_bind_param(stmt, params)
end

function event(thread_id)
   for i = 1, #params, 2 do
      params[i] = sb_rand(first, last)
      params[i + 1] = params[i] + delta
   end
   db_free_results(db_execute(stmt))
end

function thread_done(thread_id)
   db_close(stmt)
end
