-- SPDX-License-Identifier: GPL-2.0-or-later
ffi.cdef("int usleep(unsigned)")
local n = 0
function event()
  n = n + 1
  ffi.C.usleep(n % 10 * 100)
end
