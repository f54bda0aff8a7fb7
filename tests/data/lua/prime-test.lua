-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event counts the primes from 3 to --cpu-max-prime by trial division, in Lua.  Options and report
-- are those of empty-test.lua beside this file.

dofile((sysbench.cmdline.script_path:gsub("prime%-test%.lua$", "empty-test.lua")))

function event()
   local primes = 0

   for c = 3, sysbench.opt.cpu_max_prime do
      local t = math.sqrt(c)
      local is_prime = true

      for l = 2, t do
         if c % l == 0 then
            is_prime = false
            break
         end
      end
      if is_prime then
         primes = primes + 1
      end
   end
   found = primes
end

function thread_done()
   print("primes: " .. found)
end
