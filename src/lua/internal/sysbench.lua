-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The table `sysbench`: what every script finds.  The host (script/host.c) runs this chunk first in
-- each new Lua state and hands it the table with tid, version, version_string and cmdline in it; the other
-- internal modules add to the same table.  Here: the default loop of a client, the error codes, the
-- hooks and the ready-made report functions.

local sysbench = ...
local ffi = require("ffi")
local C = ffi.C

sysbench.error = {NONE = 0, RESTART_EVENT = 1}
sysbench.hooks = {}

local RESTART_EVENT = sysbench.error.RESTART_EVENT

-- What becomes of an event whose first attempt ended in an error.  A table with errcode RESTART_EVENT (of the
-- event or of the hook) asks for another attempt at the same event, as long as the run may go
-- on; anything else ends the client and the run.  Returns whether an attempt succeeded, and what it returned.
local function attempt_again(attempt, thread_id, err)
   while true do
      if type(err) ~= "table" or err.errcode ~= RESTART_EVENT then
         C.sb_event_fail(thread_id)
         error(err, 0)
      end
      if not C.sb_event_retry(thread_id) then
         return false
      end

      local hook = sysbench.hooks.before_restart_event
      local ok, ret = true, nil

      if hook then
         ok, ret = attempt(hook, err)
      end
      if ok then
         ok, ret = attempt(event, thread_id)
         if ok then
            return true, ret
         end
      end
      err = ret
   end
end

local function show_traceback(err)
   if type(err) == "string" then
      print("DEBUG: " .. debug.traceback(err, 2))
   end
   return err
end

local function traced(f, arg)
   return xpcall(f, show_traceback, arg)
end

-- The loop of one client; a script may define its own.  An event that returns a true value ends the
-- loop of its client and is not counted.
function thread_run(thread_id)
   local attempt = sysbench.opt.debug and traced or pcall

   while C.sb_more_events(thread_id) do
      C.sb_event_start(thread_id)
      local ok, ret = attempt(event, thread_id)
      if not ok then
         ok, ret = attempt_again(attempt, thread_id, ret)
      end
      if ret then
         C.sb_event_cancel(thread_id)
         return
      end
      if ok then
         C.sb_event_stop(thread_id)
      end
   end
end

-- Report functions, for hooks: sysbench.hooks.report_intermediate = sysbench.report_csv

function sysbench.report_default(stat)
   local seconds = stat.time_interval

   print(string.format(
      "[ %.0fs ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) " ..
      "lat (ms,%u%%): %4.2f err/s %4.2f reconn/s: %4.2f",
      stat.time_total,
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      sysbench.opt.percentile,
      stat.latency_pct * 1000,
      stat.errors / seconds,
      stat.reconnects / seconds))
end

function sysbench.report_csv(stat)
   local seconds = stat.time_interval

   print(string.format(
      "%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f",
      stat.time_total,
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      stat.latency_pct * 1000,
      stat.errors / seconds,
      stat.reconnects / seconds))
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
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]],
      stat.time_total,
      stat.threads_running,
      stat.events / seconds,
      (stat.reads + stat.writes + stat.other) / seconds,
      stat.reads / seconds,
      stat.writes / seconds,
      stat.other / seconds,
      stat.latency_pct * 1000,
      stat.errors / seconds,
      stat.reconnects / seconds))
   io.flush()
end
