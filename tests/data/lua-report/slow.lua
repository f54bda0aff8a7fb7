-- SPDX-License-Identifier: GPL-2.0-or-later
ffi.cdef("int usleep(unsigned)")
function event() end
function thread_run(id)
  while ffi.C.sb_more_events(id) do
    ffi.C.usleep(200000)
    ffi.C.sb_event_start(id)
    ffi.C.usleep(1000)
    ffi.C.sb_event_stop(id)
  end
end
