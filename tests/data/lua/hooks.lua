-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Report hooks: --format=default|csv|json, or names of the fields.

sysbench.cmdline.options = {format = {"default, csv, json, fields or error", "fields"}}

local function fields(stat)
   local names = {}

   for name in pairs(stat) do
      names[#names + 1] = name
   end
   table.sort(names)
   print(table.concat(names, " "))
end

local function report(stat)
   if sysbench.opt.format == "error" then
      error("no report today")
   end
   (sysbench["report_" .. sysbench.opt.format] or fields)(stat)
end

sysbench.hooks.report_intermediate = report
sysbench.hooks.report_cumulative = report

function event()
end
