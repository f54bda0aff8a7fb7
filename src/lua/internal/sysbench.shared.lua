-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A Lua state that several clients share (script/shared/shared.c).  Run once in each such state.  Returns the function
-- that makes the environment of one more client, and opt_image(), see below.  An environment is globals, libraries, modules
-- and the API; a client may change all of it unseen by the others.  What takes memory and does not change is common to all:
-- functions of the libraries, the methods of connections and statements, compiled chunks.
--
-- functions: C functions of script/shared/functions.c.  client() among them returns the table of the calling client:
-- {globals, loaded, package, string, sysbench, thread, run}.

local functions, run = ...
local ffi = require("ffi")
local client = functions.client
local new = require("table.new")

-- The parts of the API without state of a client. ------------------------------------------------

local common = {error = {NONE = 0, RESTART_EVENT = 1}, cmdline = {}}
local host = {client = function() return client().sysbench end, loop = functions.loop, mix = functions.mix,
              real = functions.real, run = function(name) client().run(name) end}

run("sysbench.cmdline.lua", common, nil, host)
run("sysbench.rand.lua", common, nil, host)
run("sysbench.sql.lua", common, nil, host)
run("sysbench.lazy.lua", common, nil, host)

-- Libraries: each client has its own tables with the same functions, except those below. ---------

local function copy(from, more)
   local n = 0
   for _ in pairs(from) do
      n = n + 1
   end
   local to = new(0, n + (more or 0))
   for k, v in pairs(from) do
      to[k] = v
   end
   return to
end

-- A table that begins as a copy of another one and takes no memory until it is changed, for what scripts read and
-- hardly ever change.  pairs() and next() make the copy.
local like = setmetatable({}, {__mode = "k"}) -- by the metatable: the original

local function image(original)
   local mt = {__index = original}

   like[mt] = original
   return mt
end

local base_pairs, base_next = pairs, next

local function fill(t)
   local mt = type(t) == "table" and getmetatable(t)
   local original = mt and like[mt]

   if original then
      setmetatable(t, nil)
      for k, v in base_pairs(original) do
         if t[k] == nil then
            t[k] = v
         end
      end
      for k, list in base_pairs(mt.lists or {}) do
         if t[k] == nil then
            t[k] = {unpack(list)}
         end
      end
      setmetatable(t, mt.unlisted)
   end
   return t
end

function pairs(t)
   return base_pairs(fill(t))
end

function next(t, k)
   return base_next(k == nil and fill(t) or t, k)
end

-- Methods that a client gave to its table `string`, as ("x"):method().
setmetatable(string, {__index = function(_, key)
   local me = client()
   return me and me.string[key]
end})

-- A client's main program is a coroutine here, but must not look like one.
local running = coroutine.running
function coroutine.running()
   local co, main = running()
   local mine = co == client().thread
   if main ~= nil then -- a LuaJIT with the ways of Lua 5.2, where a main program is a coroutine, too
      return co, mine
   end
   return not mine and co or nil
end

-- Each client has its own random numbers, as in a state of its own.
local function own_random(me)
   me.random, me.randomseed = functions.fresh_random()
end

function math.random(...)
   local me = client()
   if not me.random then
      own_random(me)
   end
   return me.random(...)
end

function math.randomseed(...)
   local me = client()
   if not me.random then
      own_random(me)
   end
   return me.randomseed(...)
end

-- The collector works for all clients: none may stop it.
local collect = collectgarbage
function collectgarbage(what, ...)
   if what == "stop" or what == "restart" then
      return 0
   end
   return collect(what, ...)
end

-- A declaration that another client has made exists already.
local cdef, declared = ffi.cdef, {}
function ffi.cdef(text, ...)
   if select("#", ...) > 0 or type(text) ~= "string" then
      return cdef(text, ...)
   end
   if not declared[text] then
      local ok, why = pcall(cdef, text)
      if not ok then
         error(why, 2)
      end
      declared[text] = true
   end
end

-- So do the methods of a type: all clients use those of the first one.
local metatype, first = ffi.metatype, {}
function ffi.metatype(ctype, methods)
   local type = ffi.typeof(ctype)
   local id, me = tonumber(type), client()

   if first[id] and first[id] ~= me then
      return type
   end
   first[id] = me
   return metatype(ctype, methods)
end

-- A callback of the JIT compiler must not give way.
local attach, attached = jit.attach, {}
function jit.attach(f, event)
   local pinned = attached[f] or function(...)
      functions.in_compiler(1)
      pcall(f, ...)
      functions.in_compiler(-1)
   end
   attached[f] = pinned
   attach(pinned, event)
end

run("sysbench.modules.lua", functions)

-- One more client. -------------------------------------------------------------------------------

local base, base_loaded, base_preload = _G, package.loaded, package.preload
local nglobals = 44 -- room for a script's

-- Scripts give functions to these, or replace some; of the others a client gets an image.
local changed = {string = true, table = true, package = true}
local images = {}

for name, library in pairs(base_loaded) do
   if type(library) == "table" and library ~= base and not changed[name] then
      images[name] = image(library)
   end
end

local function client_library(name, library)
   if images[name] then
      return setmetatable({}, images[name])
   end
   return type(library) == "table" and copy(library) or library
end

local sql_type, sql_error, rand = image(common.sql.type), image(common.sql.error), image(common.rand)
local cmdline = image(common.cmdline)
local lazy, preload = getmetatable(common), image(base_preload)

-- The members that are tables, taken out of it.
local function take_lists(from)
   local lists = {}

   for k, v in base_pairs(from) do
      if type(v) == "table" then
         lists[k] = v
      end
   end
   for k in base_pairs(lists) do
      from[k] = nil
   end
   return lists
end

-- Of sysbench.opt; an option that is a list is a table, of which each client gets its own.  Those in the metatable are
-- not met by pairs() (script/lua_options.c).
local function opt_image(original)
   local unlisted = getmetatable(original).__index
   local lists, unlisted_lists = take_lists(original), take_lists(unlisted)

   setmetatable(original, {__index = function(_, key)
      local list = lists[key]
      if list then
         local own = {unpack(list)}
         rawset(client().sysbench.opt, key, own)
         return own
      end
      list = unlisted_lists[key]
      return list and {unpack(list)} or unlisted[key]
   end})
   local mt = image(original)
   mt.lists, mt.unlisted = lists, getmetatable(original)
   return mt
end

return function(me, sysbench)
   local globals = copy(base, nglobals)
   local loaded = {}

   globals._G = globals
   for name, library in base_pairs(base_loaded) do
      if library ~= base then
         loaded[name] = client_library(name, library)
         if base[name] == library then
            globals[name] = loaded[name]
         end
      end
   end
   loaded._G = globals
   globals.ffi = loaded.ffi

   local package = loaded.package
   package.loaded = loaded
   package.preload = setmetatable({}, preload)
   package.loaders = {unpack(functions.loaders)}
   globals.require, globals.module, globals.sysbench = functions.require, functions.module, sysbench
   me.globals, me.loaded, me.package, me.string, me.sysbench = globals, loaded, package, globals.string, sysbench

   sysbench.rand = setmetatable({}, rand)
   sysbench.sql = setmetatable(copy(common.sql), getmetatable(common.sql))
   sysbench.sql.type, sysbench.sql.error = setmetatable({}, sql_type), setmetatable({}, sql_error)
   setmetatable(sysbench.cmdline, cmdline)
   run("sysbench.lua", sysbench, globals, host)
   globals.thread_id, globals.test = sysbench.tid, sysbench.cmdline.script_path
   me.run = function(name)
      run(name, sysbench, globals, host)
   end
   setmetatable(sysbench, lazy)
   return globals
end, opt_image
