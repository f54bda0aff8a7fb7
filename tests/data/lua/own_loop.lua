-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A loop of the script's own, with counters of its own: every second event is withdrawn.

ffi.cdef[[
void sb_counter_inc(int thread_id, int type);
bool sb_more_events(int);
]]

function event()
end

function thread_run(thread_id)
   local n = 0

   while ffi.C.sb_more_events(thread_id) do
      ffi.C.sb_event_start(thread_id)
      n = n + 1
      if n % 2 == 0 then
         ffi.C.sb_event_stop(thread_id)
      end
   end
end
