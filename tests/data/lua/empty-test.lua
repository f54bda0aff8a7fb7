-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An event that does nothing: what remains is the program's own overhead.  The final report is one JSON
-- object.  The names of the last three options are general ones: the script sees its own default until the
-- user gives a value.

sysbench.cmdline.options = {
   ["cpu-max-prime"] = {"Where prime-test ends", 10000},
   ["threads"] = {"Number of threads", 1},
   ["histogram"] = {"Print the histogram", "off"},
   ["report-interval"] = {"Seconds between reports", 1},
}

function event()
end

local fields = {
   {"errors", "%4.0f"}, {"events", "%4.0f"},
   {"latency_avg", "%4.10f"}, {"latency_max", "%4.10f"}, {"latency_min", "%4.10f"},
   {"latency_pct", "%4.10f"}, {"latency_sum", "%4.10f"},
   {"other", "%4.0f"}, {"reads", "%4.0f"}, {"reconnects", "%4.0f"}, {"threads_running", "%4.0f"},
   {"time_interval", "%4.10f"}, {"time_total", "%4.10f"}, {"writes", "%4.0f"},
}

function sysbench.hooks.report_cumulative(stat)
   local lines = {}

   for i, f in ipairs(fields) do
      lines[i] = string.format('    "%s": ' .. f[2], f[1], stat[f[1]])
   end
   print("{\n" .. table.concat(lines, ",\n") .. "\n}\n")
end
