-- SPDX-License-Identifier: GPL-2.0-or-later
ffi.cdef("int usleep(unsigned)")
local n = 0
function event() n = n + 1; if n == 2 or n == sysbench.opt.last then sysbench.mark("transaction " .. n) end; ffi.C.usleep(20000) end
sysbench.cmdline.options = {last = {"the second mark", 0}}
