-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- sysbench.histogram: a log-scale histogram of a script's own figures, printed as the program prints
-- its latency histogram (script/ffi_calls.c).
--
--    local h = sysbench.histogram.new(1024, 0.001, 100000)
--    h:update(0.25)
--    h:print()

local sysbench = ...
local ffi = require("ffi")
local C = ffi.C

local histogram = {}
sysbench.histogram = histogram

local methods = {}

-- `size` buckets whose values grow by one factor from min to max.
function histogram.new(size, min, max)
   local h = size > 1 and C.sb_histogram_new(size, min, max) or nil

   if h == nil then
      error("histogram.new: size must exceed 1 and 0 < min < max", 2)
   end
   return ffi.gc(h, C.sb_histogram_delete)
end

-- Counts a value; what is out of range belongs to the first or the last bucket.
function methods:update(value)
   C.sb_histogram_update(self, value)
end

-- Prints nothing when nothing was counted.
function methods:print()
   C.sb_histogram_print(self)
end

ffi.metatype("sb_histogram_t", {
   __index = methods,
   __tostring = function() return "<sysbench.histogram>" end,
})
