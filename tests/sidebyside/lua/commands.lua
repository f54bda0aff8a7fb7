-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Commands of the script's own: plain, parallel, failing.

sysbench.cmdline.options = {
   number = {"a number", 2},
}

sysbench.cmdline.commands = {
   good = {function(...) print("good", select("#", ...), sysbench.opt.number, sysbench.tid) return "anything" end},
   silent = {function() print("says why itself") return false end},
   broken = {function() error("out of luck") end},
   each = {function() print("each", sysbench.tid, sysbench.opt.threads) end, sysbench.cmdline.PARALLEL_COMMAND},
   all_fail = {function() error("none can") end, sysbench.cmdline.PARALLEL_COMMAND},
   empty = {},
   word = "no table",
   prepare = {function() print("my own prepare") end},
}

function event()
end

function prepare()
   print("the classic prepare is not called")
end

function cleanup()
   print("classic cleanup", sysbench.cmdline.command)
end
