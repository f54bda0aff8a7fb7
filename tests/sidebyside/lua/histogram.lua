-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Histograms of a script's own.

local h = sysbench.histogram.new(1000, 1, 10)
for _, v in ipairs{1, 2, 0, 10, 100, 5.001} do
   h:update(v)
end
h:print()
print("--")
local one = sysbench.histogram.new(100, 0.1, 1000)
for i = 1, 500 do
   one:update(i % 7 * i / 10)
end
one:print()
print("-- empty")
sysbench.histogram.new(10, 1, 2):print()
