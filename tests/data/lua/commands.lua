-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Commands of all kinds and ends.

sysbench.cmdline.commands = {
   good = {function() return "anything true" end},
   silent = {function() print("says why") return false end},
   broken = {function() error("out of luck") end},
   each = {function() sum = (sum or 0) + sysbench.tid end, sysbench.cmdline.PARALLEL_COMMAND},
   some = {function() if sysbench.tid == 1 then error("thread 1 cannot") end end,
           sysbench.cmdline.PARALLEL_COMMAND},
   run = {function() print("my own run") end},
}

function prepare()
   print("classic prepare", select("#", sysbench.cmdline.command))
end

function cleanup()
   error({})
end
