-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A shop in several files: this one finds its modules beside itself, whatever the current directory is.

local here = sysbench.cmdline.script_path:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. here .. "/?/init.lua;" .. package.path

local schema = require("shop.schema")
local load = require("shop.load")
local transactions = require("shop.transactions")
require("shop.options")

sysbench.cmdline.commands = {
   prepare = {load.prepare, sysbench.cmdline.PARALLEL_COMMAND},
   cleanup = {schema.drop_all},
   check = {load.check},
}

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   transactions.prepare(con)
end

function event()
   local kind = transactions.pick()
   transactions[kind](con)
end

function thread_done()
   transactions.close()
   con:disconnect()
end

sysbench.hooks.report_cumulative = function(stat)
   print(string.format("report: %d events, %d reads, %d writes, %d other", stat.events, stat.reads, stat.writes,
                       stat.other))
end
