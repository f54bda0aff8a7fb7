-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Events that end their thread by what they return.

sysbench.cmdline.options = {
   after = {"events before the last one", 3},
   value = {"what it returns", "true"},
}

local values = {["true"] = true, ["false"] = false, zero = 0, table = {}, text = "", ["nil"] = nil}
local count = 0

function event(thread_id)
   count = count + 1
   if count > sysbench.opt.after then
      return values[sysbench.opt.value]
   end
end

function thread_done(thread_id)
   print("thread", thread_id, "called", count)
end
