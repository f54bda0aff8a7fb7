-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- For tests in which one client fails while others are busy: it waits until they are, however slow the machine is.
--
--     cp "$TESTDIR/../include/began.lua" .; rm -f began.?         # before each run
--     local began = require("began")
--     function event(tid) if tid == 0 then began.all(2) error("enough") end began.one(tid) ... end

ffi.cdef("int usleep(unsigned);")

local M = {}

local function exists(name)
   local f = io.open(name)
   if f then f:close() end
   return f ~= nil
end

-- client tid, from 1 to 9, is about to do what lasts
function M.one(tid)
   io.open("began." .. tid, "w"):close()
end

-- until clients 1 to n have said so, and 50 ms more
function M.all(n)
   for tid = 1, n do
      while not exists("began." .. tid) do ffi.C.usleep(10000) end
   end
   ffi.C.usleep(50000)
end

return M
