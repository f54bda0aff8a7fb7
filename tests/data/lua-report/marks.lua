-- SPDX-License-Identifier: GPL-2.0-or-later
local n = 0
function event() n = n + 1; if n == 5 then sysbench.mark("five") end end
function sysbench.hooks.report_cumulative(stat)
  for _, m in ipairs(stat.marks) do print("hook", m.source, m.text, m.time >= 0) end
  sysbench.mark("in the hook")
end
