#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one SELECT of --random-points values of k with IN (), from sbtest1.  Each thread has a
-- part of 1 ... table_size for itself.

require("oltp_common")

sysbench.cmdline.options.random_points = {"Number of values in the IN () of each SELECT", 10}

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

local values, low, high

function prepare_statements()
   local n = sysbench.opt.random_points
   local share = sysbench.opt.table_size / sysbench.opt.threads

   one_table_only()
   low = share * sysbench.tid
   high = low + share
   stmt = con:prepare("        SELECT id, k, c, pad\n" ..
                      "          FROM sbtest1\n" ..
                      "          WHERE k IN (" .. string.rep("?, ", n - 1) .. "?)\n" ..
                      "        ")
   values = {}
   for i = 1, n do
      values[i] = stmt:bind_create(sysbench.sql.type.INT)
   end
   stmt:bind_param(unpack(values))
end

function event()
   for i = 1, #values do
      values[i]:set(sysbench.rand.default(low, high))
   end
   stmt:execute()
   check_reconnect()
end
