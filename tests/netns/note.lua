-- SPDX-License-Identifier: GPL-2.0-or-later
-- Notes the wall clock in each transaction, into $SB_NOTED.CLIENT (proof/clock.py).
ffi.cdef("int clock_gettime(int, struct sb_noted *)")
ffi.cdef("struct sb_noted { long s, ns; };")
local now, noted
function thread_init() now, noted = ffi.new("struct sb_noted"), {} end
function event()
   ffi.C.clock_gettime(0, now)
   noted[#noted + 1] = string.format("%d%09d", tonumber(now.s), tonumber(now.ns))
end
function thread_done(id)
   local f = assert(io.open(os.getenv("SB_NOTED") .. "." .. sysbench.tid, "w"))
   f:write(table.concat(noted, "\n"), "\n")
   f:close()
end
