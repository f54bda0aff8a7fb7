-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Events that are restarted: --fails=N attempts fail before one succeeds, --fails=-1 none ever does.

sysbench.cmdline.options = {fails = {"Attempts that fail before one succeeds, -1 = all", 2}}

local failed, restarts = 0, 0

function sysbench.hooks.before_restart_event(err)
   assert(err.errcode == sysbench.error.RESTART_EVENT and err.why == "because")
   restarts = restarts + 1
end

function event()
   if failed ~= sysbench.opt.fails then
      failed = failed + 1
      error({errcode = sysbench.error.RESTART_EVENT, why = "because"})
   end
   failed = 0
end

function thread_done()
   if sysbench.opt.fails >= 0 then
      print("restarts: " .. restarts)
   end
end
