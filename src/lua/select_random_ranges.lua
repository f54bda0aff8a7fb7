#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT count(k) over --number-of-ranges ranges of k, each --delta wide, from sbtest1.

local common = require("sysbench-tx.select_random")

sysbench.cmdline.options.number_of_ranges = {"Number of BETWEEN ranges of each SELECT", 10}
sysbench.cmdline.options.delta = {"Width of a range", 5}

local bounds

function prepare_statements()
   local n = sysbench.opt.number_of_ranges

   bounds = common.prepare("        SELECT count(k)\n" ..
                           "          FROM sbtest1\n" ..
                           "          WHERE " .. string.rep("k BETWEEN ? AND ? OR ", n - 1) ..
                           "k BETWEEN ? AND ?", 2 * n)
end

function event()
   for i = 1, #bounds, 2 do
      local from = common.draw()

      bounds[i]:set(from)
      bounds[i + 1]:set(from + sysbench.opt.delta)
   end
   stmt:execute()
   check_reconnect()
end
