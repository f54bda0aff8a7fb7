-- SPDX-License-Identifier: GPL-2.0-or-later
-- Events without a database: they sleep, are begun anew, fail or are withdrawn, and some of them
-- set a mark.  AUDIT_* in the environment says which of it.
ffi.cdef "int usleep(unsigned);"

local function setting(name)
   return tonumber(os.getenv("AUDIT_" .. name) or 0)
end

local SLEEP, SPREAD = setting("SLEEP"), setting("SPREAD")
local RESTART, WITHDRAW = setting("RESTART"), setting("WITHDRAW")
local MARK, FAIL = setting("MARK"), setting("FAIL")
local n, again = 0, false

local function every(k)
   return k > 0 and n % k == 0
end

function event(tid)
   if not again then
      n = n + 1
   end
   local us = SLEEP + n * 7919 % (SPREAD + 1)
   if us > 0 then
      ffi.C.usleep(us)
   end
   if every(RESTART) and not again then
      again = true
      error({errcode = sysbench.error.RESTART_EVENT})
   end
   again = false
   if every(MARK) and tid == 0 then
      sysbench.mark("event " .. n)
   end
   if FAIL > 0 and tid == 0 and n == FAIL then
      error("event " .. n .. " fails, as it was told to")
   end
   ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_READ)
end

if WITHDRAW > 0 then
   -- a loop of its own: an event that is never ended is withdrawn when the next one begins
   function thread_run(tid)
      while ffi.C.sb_more_events(tid) do
         ffi.C.sb_event_start(tid)
         event(tid)
         if not every(WITHDRAW) then
            ffi.C.sb_event_stop(tid)
         end
      end
   end
end
