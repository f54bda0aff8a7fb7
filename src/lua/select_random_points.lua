#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT of --random-points values of k with IN (), from sbtest1.

local common = require("sysbench-tx.select_random")

sysbench.cmdline.options.random_points = {"Number of values in the IN () of each SELECT", 10}

local values

function prepare_statements()
   local n = sysbench.opt.random_points

   values = common.prepare("        SELECT id, k, c, pad\n" ..
                           "          FROM sbtest1\n" ..
                           "          WHERE k IN (" .. string.rep("?, ", n - 1) .. "?)\n" ..
                           "        ", n)
end

function event()
   for i = 1, #values do
      values[i]:set(common.draw())
   end
   stmt:execute()
   check_reconnect()
end
