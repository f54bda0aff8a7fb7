-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Kinds of transactions by weight, for scripts of users (docs/scripts.md):
--
--    local one = require("sysbench-tx.weighted"){{70, look}, {20, ship}, {10, place}}
--
-- A call draws one of the functions and calls it.  An event that runs again after an error stays of its kind: a new draw
-- would favour the kinds that meet no conflict.

local again = require("ffi").C.sb_event_again

return function(list)
   local functions, limits, total, last = {}, {}, 0, nil

   for i = 1, table.maxn(list) do -- one that is nil is a mistake, and no end
      local entry = type(list[i]) == "table" and list[i] or {list[i]}
      local weight = tonumber(entry[1])

      if not (weight and weight >= 0 and total + weight < math.huge) then
         error(("weight %d is '%s': a number from 0 on is needed"):format(i, tostring(entry[1])), 2)
      elseif type(entry[2]) ~= "function" then
         error(("weight %d has no function"):format(i), 2)
      end
      total = total + weight
      functions[i], limits[i] = entry[2], total
   end
   if total == 0 then
      error("all weights are 0", 2)
   end

   return function(...)
      if not last or not again(sysbench.tid) then
         local drawn, i = sysbench.rand.uniform_double() * total, 1

         while drawn >= limits[i] do
            i = i + 1
         end
         last = functions[i]
      end
      return last(...)
   end
end
