-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- sysbench.rand: random numbers from the stream of the calling client (script/ffi_calls.c).  Limits are
-- included, and exact up to 14 digits, as many as Lua writes.

local sysbench, _, host = ...
local ffi = require("ffi")
local C = host.real or ffi.C -- nothing here waits

local rand = {}
sysbench.rand = rand

function rand.default(a, b)
   return C.sb_rand_wide_default(a, b)
end

function rand.uniform(a, b)
   return C.sb_rand_wide_uniform(a, b)
end

function rand.gaussian(a, b)
   return C.sb_rand_wide_gaussian(a, b)
end

function rand.special(a, b)
   return C.sb_rand_wide_special(a, b)
end

function rand.pareto(a, b)
   return C.sb_rand_wide_pareto(a, b)
end

function rand.zipfian(a, b)
   return C.sb_rand_wide_zipfian(a, b)
end

-- The next number of one permutation of 0 ... 2^32-1 that all clients share.
function rand.unique()
   return C.sb_rand_unique()
end

function rand.uniform_uint64()
   return C.sb_rand_uniform_uint64()
end

function rand.uniform_double()
   return C.sb_rand_uniform_double()
end

local char_array = ffi.typeof("char[?]")
local buffer, room = char_array(256), 256

local function buffer_for(n)
   if n > room then
      buffer, room = char_array(n), n
   end
   return buffer
end

-- fmt with every # replaced by a random digit and every @ by a random letter.
function rand.string(fmt)
   local n = #fmt
   local buf = buffer_for(n)

   C.sb_rand_fill(fmt, n, buf)
   return ffi.string(buf, n)
end

-- Between min and max random characters from 0 to z.
function rand.varstring(min, max)
   assert(max > 0 and min <= max, "rand.varstring: min must not exceed max, and max must be positive")
   local buf = buffer_for(max)

   return ffi.string(buf, C.sb_rand_varstr(buf, min, max))
end
