-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The ready-made report functions.  Run when a script first asks for one (sysbench.lazy.lua).

local sysbench = ...

-- Report functions, for hooks: sysbench.hooks.report_intermediate = sysbench.report_csv
-- A script may call them with a table of its own, of stock's fields only.  With one percentile they print stock's
-- lines; further ones are added without moving stock's columns.

local function ms(latency)
   return string.format("%4.2f", latency * 1000)
end

local function label(percentile)
   return string.format("%.12g", percentile)
end

-- Seconds since the start; with as many digits as the interval needs (--report-interval=0.25).
local function time(stat, width)
   return string.format("%" .. (width or "") .. "." .. (stat.time_decimals or 0) .. "f", stat.time_total)
end

-- All percentiles as arrays of two texts, {"95", "2.48"}; the first is sysbench.opt.percentile and stat.latency_pct.
local function percentiles(stat)
   local list = {{label(sysbench.opt.percentile), ms(stat.latency_pct)}}

   for i = 2, #(stat.percentiles or {}) do
      local p = stat.percentiles[i]

      list[i] = {label(p.percentile), ms(p.latency)}
   end
   return list
end

-- "95%" and "2.48"; of several "50%,95%" and "1.20/2.48".
local function percentile_texts(stat)
   local labels, values = {}, {}

   for i, p in ipairs(percentiles(stat)) do
      labels[i] = p[1] .. "%"
      values[i] = p[2]
   end
   return table.concat(labels, ","), table.concat(values, "/")
end

function sysbench.report_default(stat)
   local seconds = stat.time_interval
   local labels, latencies = percentile_texts(stat)

   print(string.format(
      "[ %ss ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) " ..
      "lat (ms,%s): %s err/s %4.2f reconn/s: %4.2f",
      time(stat),
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      labels,
      latencies,
      stat.errors / seconds,
      stat.reconnects / seconds))
end

-- The latency column is the first percentile; the others follow the last column.
function sysbench.report_csv(stat)
   local seconds = stat.time_interval
   local more = ""

   for i, p in ipairs(percentiles(stat)) do
      more = i > 1 and more .. "," .. p[2] or more
   end
   print(string.format(
      "%s,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f",
      time(stat),
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      stat.latency_pct * 1000,
      stat.errors / seconds,
      stat.reconnects / seconds) .. more)
end

-- With several percentiles: one more member after "latency", which is the first of them.
local function json_percentiles(stat)
   local members = {}

   for i, p in ipairs(percentiles(stat)) do
      members[i] = string.format('      "%s": %s', p[1], p[2])
   end
   return #members == 1 and "" or
      ',\n    "percentiles": {\n' .. table.concat(members, ",\n") .. "\n    }"
end

-- One array of objects per Lua state; the finalizer of this object closes it with the state.
local json_array

local function json_end()
   io.write("\n]\n")
   io.flush()
end

function sysbench.report_json(stat)
   local seconds = stat.time_interval

   if json_array then
      io.write(",\n")
   else
      json_array = newproxy(true)
      getmetatable(json_array).__gc = json_end
      io.write("[\n")
   end
   io.write(string.format([[
  {
    "time": %s,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f%s,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]],
      time(stat, 4),
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      stat.latency_pct * 1000,
      json_percentiles(stat),
      stat.errors / seconds,
      stat.reconnects / seconds))
   io.flush()
end
