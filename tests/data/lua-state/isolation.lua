-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Changes all that a script may change, pauses so that the other clients do the same, and says what it then finds.
-- The lines of a client are the same whether it has a Lua state of its own or shares one.

sysbench.cmdline.options = {size = {"Just an option", 3}} -- without any, options are globals

package.path = "./lib/?.lua;" .. package.path
ffi.cdef("int usleep(unsigned us); struct pair { int a, b; };")
ffi.cdef("typedef struct pair pair_t;")

local tid = sysbench.tid
local lines = {}
local function say(...)
   local t = {...}
   for i = 1, select("#", ...) do
      t[i] = tostring(t[i])
   end
   lines[#lines + 1] = tid .. ": " .. table.concat(t, " ")
end
local function pause()
   ffi.C.usleep(100 + tid * 10)
end

me = "client " .. tid
assert(_G.me == me and _G._G == _G and package.loaded._G == _G and getfenv(0) == _G and getfenv(1) == _G)
assert(package.loaded.string == string and require("ffi") == ffi and require("math") == math)
local thread, main = coroutine.running()
assert(thread == nil or main == true) -- the second is Lua 5.2's, and some builds of LuaJIT are like it

function string.mine(s) return s .. tid end
function string.upper(s) return "upper" .. tid end
math.mine = tid
function math.floor() return tid end
table.mine, os.mine, io.mine, debug.mine, bit.mine, jit.mine, coroutine.mine = tid, tid, tid, tid, tid, tid, tid
function table.concat2(t) return tid end
local real_tostring = tostring
function tostring(x) return type(x) == "table" and "table of " .. tid or real_tostring(x) end
package.loaded.given = {tid}
package.preload.made = function(name) return {name, tid} end
sysbench.opt_mine = tid
sysbench.rand.mine = tid
sysbench.sql.mine = tid
sysbench.sql.type.MINE = tid
sysbench.cmdline.mine = tid
sysbench.hooks.sql_error_ignorable = function() return tid end
ffi.mine = tid

local mod = require("mod")
local again = require("mod")

function thread_init(id)
   sysbench.opt.threads = 100 + id
   sysbench.opt.mine = id
   pause()
end

local function count(t)
   local n = 0
   for _ in pairs(t) do
      n = n + 1
   end
   return n
end

local function libraries()
   say(("x"):mine(), string.upper("x"), math.mine, math.floor(3.5), table.mine, os.mine, io.mine, debug.mine, bit.mine,
       jit.mine, coroutine.mine, table.concat2({}), tostring({}), ffi.mine, type(os.time), type(jit.opt.start))
   for _, name in ipairs({"string", "table", "os", "io", "debug", "bit", "coroutine", "ffi", "package"}) do
      say(name, type(_G[name]), package.loaded[name] == _G[name])
   end
   say(count(os), count(io), count(bit), count(sysbench.opt) > 50, next({}), type(next(os)))
   for i = 1, 3 do
      say("random", math.random(1000000))
   end
   math.randomseed(tid)
   pause()
   say("seeded", math.random(1000000), math.random(), sysbench.rand.uniform(1, 1000000))
end

local function modules()
   say(mod == again, mod.name, loads, mod.whose())
   say(package.loaded.given[1], require("given")[1], require("made")[1], require("made")[2], package.preload.made ~= nil)
   require("old")
   say(old.f(), package.loaded.old == old)
   say(pcall(require, "broken"))
   local ok, why = pcall(require, "no.such")
   say(ok, why:match("^[^\n]*"))
   say(dofile("part.lua"), dofile("part.lua"), dofile_ran, loadfile("part.lua")(), loadfile("nowhere.lua"))
   say(pcall(dofile, "nowhere.lua"))
end

local function environments()
   say(loadstring("return me")(), load(function() return nil end) ~= nil, getfenv(loadstring("")) == _G)
   local co = coroutine.create(function()
      local inner, is_main = coroutine.running()
      say(me, getfenv(0) == _G, inner ~= nil, is_main or false, loadstring("return me")()) pause()
      coroutine.yield(me) say(me) end)
   say(coroutine.resume(co))
   pause()
   coroutine.resume(co)
   local f = setfenv(function() pause() return me end, {pause = pause, me = "other " .. tid})
   say(f(), me)
   local old = getfenv(0)
   setfenv(0, {me = "thread " .. tid})
   say(loadstring("return me")())
   pause()
   say(loadstring("return me")())
   setfenv(0, old)
end

local function api()
   say(sysbench.tid, sysbench.opt_mine, sysbench.rand.mine, sysbench.sql.mine, sysbench.sql.type.MINE, sysbench.cmdline.mine,
       sysbench.hooks.sql_error_ignorable(), sysbench.opt.threads, sysbench.opt.mine, sysbench.sql.type.INT, thread_id, test)
   local pair = ffi.new("pair_t", tid, 2)
   pause()
   say(pair.a, ffi.sizeof("struct pair"), pcall(ffi.cdef, "struct pair { int a; };"))
   local h = sysbench.histogram.new(10, 1, 10)
   h:update(3)
   say(type(sysbench.db), type(sysbench.report_csv), getmetatable(h) ~= nil, sb_rand(1, 1000000), DB_ERROR_FAILED)
end

local function errors()
   say(pcall(error, "plain"))
   say(pcall(function() local x = nil; return x.field end))
   say(select(2, xpcall(function() error("traced") end, function(e) pause() return e .. "!" end)))
   say(debug.traceback("here"):match("^[^\n]*"), debug.getinfo(1, "S").short_src, debug.getinfo(1, "l").currentline)
end

local n = 0
function event(id)
   n = n + 1
   libraries()
   modules()
   environments()
   api()
   errors()
   pause()
   return n == 2
end

function thread_done(id)
   say("done", id, n, me)
   pause()
   print(table.concat(lines, "\n"))
end
