-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The table `sysbench`: what every script finds.  The host (script/host.c) runs this chunk first in
-- each new Lua state and hands it the table with tid, version, version_string, tx_version and cmdline in it; the other
-- internal modules add to the same table.  Here: the default loop of a client, the error codes and the
-- hooks.

local sysbench, _, host = ...
local ffi = require("ffi")
local C = ffi.C

sysbench.error = {NONE = 0, RESTART_EVENT = 1}
sysbench.hooks = {}

local traceback = debug.traceback -- a script without options of its own has --debug as a global
local RESTART_EVENT = sysbench.error.RESTART_EVENT
local old = sysbench.version:sub(1, 2) == "0." -- there the number alone is such an error

local function restartable(err)
   return type(err) == "table" and err.errcode == RESTART_EVENT or old and err == RESTART_EVENT
end

-- The results that an event has left unread are part of it, and so is an error among them.
local function read_rest(thread_id)
   local con = C.sb_event_unread(thread_id)

   while con ~= nil do
      if not C.db_discard_results(con) then
         local _, err = pcall(con.check_error, con, nil, "<unread results>") -- not of a line of ours
         error(err, 0)
      end
      con = C.sb_event_unread(thread_id)
   end
end

local function attempt_event(attempt, thread_id)
   local ok, ret = attempt(event, thread_id)

   if ok and not ret and C.sb_event_unread(thread_id) ~= nil then
      return attempt(read_rest, thread_id)
   end
   return ok, ret
end

-- What becomes of an event whose first attempt ended in an error.  A table with errcode RESTART_EVENT (of the
-- event or of the hook) asks for another attempt at the same event, as long as the run may go
-- on; anything else ends the client and the run.  Returns whether an attempt succeeded, and what it returned.
local function attempt_again(attempt, thread_id, err)
   while true do
      if not restartable(err) then
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
         ok, ret = attempt_event(attempt, thread_id)
         if ok then
            return true, ret
         end
      end
      err = ret
   end
end

local function show_traceback(err)
   if type(err) == "string" then
      print("DEBUG: " .. traceback(err, 2))
   end
   return err
end

local function traced(f, arg)
   return xpcall(f, show_traceback, arg)
end

-- The loop of one client; a script may define its own.  An event that returns a true value ends the
-- loop of its client and is not counted.
--
-- In C (script/loop.c) where clients share the state, because each wait ends a trace of compiled Lua, or where the event
-- is C's own.  Else in Lua: loop and event are then one trace, of 310 instructions with an empty event; each entry from
-- C would add 600.  Both make the same calls in the same order.
function thread_run(thread_id)
   local attempt = sysbench.opt.debug and traced or pcall

   if host.loop(thread_id, function(err) return attempt_again(attempt, thread_id, err) end, read_rest,
                attempt == traced and show_traceback or nil) then
      return
   end
   while C.sb_more_events(thread_id) do
      C.sb_event_start(thread_id)
      local ok, ret = attempt_event(attempt, thread_id)
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
