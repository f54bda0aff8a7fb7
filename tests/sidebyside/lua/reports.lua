-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Reports through hooks: the figures as Lua sees them, without those that depend on the clock.

sysbench.cmdline.options = {
   style = {"default, csv, json, fields, broken, late", "fields"},
}

local function names(stat)
   local list = {}
   for k, v in pairs(stat) do
      list[#list + 1] = k .. ":" .. type(v)
   end
   table.sort(list)
   return table.concat(list, " ")
end

local styles = {
   default = sysbench.report_default,
   csv = sysbench.report_csv,
   json = sysbench.report_json,
   fields = function(stat)
      print(string.format("threads %d, after %.0f s, queries %d/%d/%d, errors %d, reconnects %d",
                          stat.threads_running, stat.time_total, stat.reads, stat.writes, stat.other,
                          stat.errors, stat.reconnects))
      for _, k in ipairs{"threads_running", "time_interval", "time_total", "latency_pct", "events", "reads",
                         "writes", "other", "errors", "reconnects", "queue_length", "concurrency",
                         "latency_min", "latency_max", "latency_avg", "latency_sum"} do
         io.write(k, " ", type(stat[k]), "; ")
      end
      print()
   end,
   broken = function(stat)
      error("no report")
   end,
}

-- hooks count only when the top level sets them; options are not known there yet
local style
for _, a in ipairs(sysbench.cmdline.argv) do
   style = a:match("^%-%-style=(.*)") or style
end
sysbench.hooks.report_intermediate = styles[style]
sysbench.hooks.report_cumulative = styles[style]
if style == "late" then
   function init()
      sysbench.hooks.report_cumulative = styles.fields
   end
end

ffi.cdef [[ int usleep(unsigned int); ]]

function event()
   ffi.C.usleep(10000)
end
