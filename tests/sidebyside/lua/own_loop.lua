-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A loop of the script's own, through the C functions of the program.

ffi.cdef [[
bool sb_more_events(int);
void sb_event_start(int);
void sb_event_stop(int);
]]

local rounds = 0

function thread_run(thread_id)
   while ffi.C.sb_more_events(thread_id) do
      ffi.C.sb_event_start(thread_id)
      event(thread_id)
      ffi.C.sb_event_stop(thread_id)
   end
   print("my own loop", thread_id, rounds)
end

function event(thread_id)
   rounds = rounds + 1
end
