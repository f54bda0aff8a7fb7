-- SPDX-License-Identifier: GPL-2.0-or-later
-- The run ends when three files could not be written, and one report later.
ffi.cdef("int usleep(unsigned)")
local n, till = 0
function event()
  ffi.C.usleep(1000)
  n = n + 1
  if n % 50 == 0 and not till and select(2, io.open("out"):read("*a"):gsub("ALERT", "")) == 3 then till = n + 200 end
  return n == till
end
