-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Events that ask to be begun again, and the hook that hears of it.

local failures, restarts = 0, 0

sysbench.hooks.before_restart_event = function(e)
   restarts = restarts + 1
   print("before_restart_event", e.errcode, e.reason)
end

function event()
   if failures < 3 then
      failures = failures + 1
      error({errcode = sysbench.error.RESTART_EVENT, reason = "attempt " .. failures})
   end
end

function thread_done()
   print("restarts", restarts)
end
