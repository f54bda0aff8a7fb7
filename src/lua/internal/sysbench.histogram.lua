-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- sysbench.histogram: a log-scale histogram of a script's own figures, printed as the program prints
-- its latency histogram.
--
--    local h = sysbench.histogram.new(1024, 0.001, 100000)
--    h:update(0.25)
--    h:print()

local sysbench = ...

local histogram = {}
sysbench.histogram = histogram

local methods = {}
local metatable = {__index = methods}

function metatable.__tostring()
   return "<sysbench.histogram>"
end

-- `size` buckets whose values grow by one factor from min to max.
function histogram.new(size, min, max)
   assert(size > 1 and min > 0 and max > min, "histogram.new: size must exceed 1 and 0 < min < max")
   return setmetatable({
      size = size,
      log_min = math.log(min),
      per_log = (size - 1) / (math.log(max) - math.log(min)),
      counts = {},
   }, metatable)
end

-- Counts a value; what is out of range belongs to the first or the last bucket.
function methods:update(value)
   local i = 0

   if value > 0 then
      i = math.floor((math.log(value) - self.log_min) * self.per_log + 0.5)
      i = math.min(math.max(i, 0), self.size - 1)
   end
   self.counts[i] = (self.counts[i] or 0) + 1
end

-- Prints nothing when nothing was counted.
function methods:print()
   local most = 0

   for _, n in pairs(self.counts) do
      most = math.max(most, n)
   end
   if most == 0 then
      return
   end
   print("       value  ------------- distribution ------------- count")
   for i = 0, self.size - 1 do
      local n = self.counts[i]

      if n then
         print(string.format("%12.3f |%-40s %u", math.exp(i / self.per_log + self.log_min),
                             string.rep("*", math.floor(40 * n / most + 0.5)), n))
      end
   end
end
