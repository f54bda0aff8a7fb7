-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Every callback says that it was called, and fails when --fail names it.

sysbench.cmdline.options = {fail = {"Which callback raises an error", ""}}

local function phase(name)
   if name ~= "event" then
      print(name, sysbench.tid)
   end
   if sysbench.opt.fail == name then
      error(name .. " fails")
   end
end

print("top level", sysbench.tid)

function init() phase("init") end
function thread_init(tid) assert(tid == sysbench.tid) phase("thread_init") end
function event(tid) assert(tid == sysbench.tid) phase("event") return sysbench.opt.fail == "stop" end
function thread_done(tid) assert(tid == sysbench.tid) phase("thread_done") end
function done() phase("done") end
