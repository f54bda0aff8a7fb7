-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A hook that raises an error which asks for a restart.

local failures, hooks = 0, 0

sysbench.hooks.before_restart_event = function()
   hooks = hooks + 1
   if hooks == 1 then
      error({errcode = sysbench.error.RESTART_EVENT})
   end
end

function event()
   if failures == 0 then
      failures = 1
      error({errcode = sysbench.error.RESTART_EVENT})
   end
end

function thread_done()
   print("hooks", hooks)
end
