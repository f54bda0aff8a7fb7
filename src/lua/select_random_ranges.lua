#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT count(k) over --number-of-ranges ranges of k, each --delta wide, from sbtest1.
-- Each thread has a part of 1 ... table_size for itself.

require("oltp_common")

sysbench.cmdline.options.number_of_ranges = {"Number of BETWEEN ranges of each SELECT", 10}
sysbench.cmdline.options.delta = {"Width of a range", 5}

local function one_table_only()
   assert(sysbench.opt.tables == 1, "this benchmark does not support --tables > 1")
end

sysbench.cmdline.commands.prepare = {
   function()
      one_table_only()
      cmd_prepare()
   end,
   sysbench.cmdline.PARALLEL_COMMAND,
}

local drop_tables = cleanup

function cleanup()
   one_table_only()
   drop_tables()
end

local bounds, low, high

function prepare_statements()
   local n = sysbench.opt.number_of_ranges
   local share = sysbench.opt.table_size / sysbench.opt.threads

   one_table_only()
   low = share * sysbench.tid
   high = low + share
   stmt = con:prepare("        SELECT count(k)\n" ..
                      "          FROM sbtest1\n" ..
                      "          WHERE " .. string.rep("k BETWEEN ? AND ? OR ", n - 1) ..
                      "k BETWEEN ? AND ?")
   bounds = {}
   for i = 1, 2 * n do
      bounds[i] = stmt:bind_create(sysbench.sql.type.INT)
   end
   stmt:bind_param(unpack(bounds))
end

function event()
   for i = 1, #bounds, 2 do
      local from = sysbench.rand.default(low, high)

      bounds[i]:set(from)
      bounds[i + 1]:set(from + sysbench.opt.delta)
   end
   stmt:execute()
   check_reconnect()
end
