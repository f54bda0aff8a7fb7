-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Waits wherever Lua can call a function: in callbacks of C, in metamethods, in coroutines within coroutines, in compiled
-- loops; with a compiler that compiles everything at once and a collector that is always at work.  What a
-- client computes depends on nobody else, so its sum is the same however it is carried.

jit.opt.start("hotloop=2", "hotexit=2", "minstitch=0")
ffi.cdef[[int usleep(unsigned us); int poll(void *fds, unsigned long n, int ms); void qsort(void *b, size_t n, size_t s, int (*c)(const void *, const void *)); struct pt { int x, y; };]]
local m = require("mod")
local C = ffi.C
local sum = 0
local function add(x) sum = (sum * 31 + x) % 2147483647 end
local naps = 0 local function nap() naps = naps + 1 C.usleep(naps % 3) end
local function deep(n) if n == 0 then nap() return 1 end return 1 + deep(n - 1) end
local obj = setmetatable({}, {__index = function(t, k) nap() return #k end, __add = function(a, b) nap() return 7 end,
   __lt = function() nap() return true end, __concat = function() nap() return "cc" end, __len = function() nap() return 3 end,
   __call = function(_, x) nap() return x + 1 end, __eq = function() nap() return true end, __newindex = function(t,k,v) nap() rawset(t,k,v) rawset(t,k,nil) end,
   __tostring = function() nap() return "obj" end})
local obj2 = setmetatable({}, getmetatable(obj))
local parts = {
   function(i) for k = 1, 20 do nap() add(k) end end,
   function(i) add(#(string.gsub("hello", ".", function(c) nap() return c .. c end))) end,
   function(i) local t = {5, 3, 9, 1, 7, i % 11} table.sort(t, function(a, b) nap() return a < b end) add(t[1] + t[6]) end,
   function(i) local ok, e = pcall(function() nap() error({v = i}) end) add(ok and 1 or e.v) end,
   function(i) local ok, e = xpcall(function() nap() local x = nil; return x.y end, function(e) nap() return #e end) add(e) end,
   function(i) add(obj.abc + #(obj .. "x") + obj(i)) add((obj + 1)) add(obj < obj2 and 1 or 0) add(obj == obj2 and 1 or 0) obj.q = i end,
   function(i) local co = coroutine.wrap(function(a) nap() local b = coroutine.yield(a + 1) nap() for k = 1, 3 do nap() b = coroutine.yield(b * 2) end return 0 end)
      add(co(i)) add(co(2)) add(co(3)) end,
   function(i) local a = coroutine.create(function() local b = coroutine.wrap(function() nap() coroutine.yield(5) nap() error("inner") end) add(b()) b() end)
      local ok, e = coroutine.resume(a) add(#e) add(coroutine.status(a) == "dead" and 1 or 0) end,
   function(i) for w in string.gmatch("a bb ccc", "%a+") do nap() add(#w) end end,
   function(i) add(deep(10)) end,
   function(i) local s = 0 for k = 1, 100 do s = s + k * i if k % 30 == 0 then nap() end end add(s) end,
   function(i) local f = loadstring("return function(x) return x * " .. (i % 3) .. " end")() nap() add(f(4)) end,
   function(i) local t = {} for k = 1, 50 do t[k] = {k, tostring(k)} end nap() for k = 1, 50 do add(#t[k][2]) end end,
   function(i) local p = ffi.new("struct pt", i % 5, 3) nap() add(p.x + p.y) end,
   function(i) local a = ffi.new("int[6]", 6, 2, 5, 1, 4, 3) local cb = ffi.cast("int(*)(const void *, const void *)", function(x, y) nap() return ffi.cast("const int *", x)[0] - ffi.cast("const int *", y)[0] end) C.qsort(a, 6, 4, cb) cb:free() add(a[0] * 10 + a[5]) end,
   function(i) local p = newproxy(true) getmetatable(p).__gc = function() C.usleep(1) sum = sum + 0 end p = nil nap() end,
   function(i) local c = ffi.gc(ffi.new("int[1]"), function() C.usleep(0) end) c = nil nap() end,
   function(i) collectgarbage("step", 10) nap() end,
   function(i) add(m.up()) add(sysbench.rand.uniform(1, 1000)) add(math.random(1000)) end,
   function(i) add(#tostring(obj)) add(("x"):rep(3):len()) add(select("#", unpack({1, 2, 3}))) end,
   function(i) local t = setmetatable({}, {__mode = "k"}) for k = 1, 10 do t[{}] = k end nap() local n = 0 for _ in pairs(t) do n = n + 1 end end,
   function(i) C.poll(nil, 0, 0) local v = load(function() nap() return nil end) add(v and 1 or 2) end,
   function(i) local x = string.format("%s %d %5.2f", "q", i, i / 3) nap() add(#x) end,
   function(i) local function va(...) nap() return select("#", ...), ... end add((va(1, 2, 3))) end,
   function(i) for a, b in (function() local n = 0 return function() n = n + 1 nap() if n < 4 then return n, n * n end end end)() do add(b) end end,
}
local n = 0
function event(tid)
   n = n + 1
   for k = 1, 6 do parts[(n * 7 + k * 5 + tid * 3) % #parts + 1](n) end
   if n >= 200 then return true end
end
function thread_done(tid) print(string.format("tid %d: %d loads %d n %d fin", tid, sum, loads, m.n)) end
