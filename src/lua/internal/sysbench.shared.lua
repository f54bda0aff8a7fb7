-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A Lua state that several clients share (script/shared.c).  Run once in each such state; returns the function
-- that makes the surroundings of one more client (and opt_image(), see below): globals, libraries, modules and the API, all of which it may
-- change without another client noticing.  What costs much and changes nothing is common to all: functions
-- of the libraries, the methods of connections and statements, compiled chunks.
--
-- natives: C functions of script/shared.c.  client() among them gives the table of the client that calls:
-- {globals, loaded, package, string, sysbench, thread, run}.

local natives, run = ...
local ffi = require("ffi")
local real = ffi.C
local client = natives.client
local new = require("table.new")

-- Calls that may wait: ask_note in script/asks.h. ------------------------------------------------

local C = setmetatable({}, {__index = real})
ffi.C = C

local wait, wait_held = natives.wait, natives.wait_held
local connection_ptr, statement_ptr = ffi.typeof("sql_connection *"), ffi.typeof("sql_statement *")
local result_ptr, row_ptr = ffi.typeof("sql_result *"), ffi.typeof("sql_row *")
local cast = ffi.cast

-- `at` on a line of its own: a compiled trace cannot go on after a call whose results are passed as they come.
function C.db_connection_create(drv)
   real.sb_ask_connection_create(drv)
   local at = wait(drv)
   return cast(connection_ptr, at)
end

function C.db_connection_close(con)
   real.sb_ask_connection_close(con)
   return wait(con)
end

function C.db_connection_reconnect(con)
   real.sb_ask_connection_reconnect(con)
   return wait(con)
end

function C.db_query(con, query, len)
   real.sb_ask_query(con, query, len)
   local at = wait_held(con, query)
   return cast(result_ptr, at)
end

function C.db_more_results(con)
   real.sb_ask_more_results(con)
   return wait(con) ~= 0
end

function C.db_next_result(con)
   real.sb_ask_next_result(con)
   local at = wait(con)
   return cast(result_ptr, at)
end

function C.db_prepare(con, query, len)
   real.sb_ask_prepare(con, query, len)
   local at = wait(con, query)
   return cast(statement_ptr, at)
end

function C.db_bind_param(stmt, params, n)
   real.sb_ask_bind_param(stmt, params, n)
   return wait(stmt, params)
end

function C.db_execute(stmt)
   real.sb_ask_execute(stmt)
   local at = wait_held(stmt)
   return cast(result_ptr, at)
end

function C.db_close(stmt)
   real.sb_ask_close(stmt)
   return wait(stmt)
end

function C.db_fetch_row(rs)
   real.sb_ask_fetch_row(rs)
   local at = wait(rs)
   return cast(row_ptr, at)
end

function C.db_free_results(rs)
   real.sb_ask_free_results(rs)
   return wait(rs)
end

function C.db_bulk_insert_init(con, query, len)
   real.sb_ask_bulk_insert_init(con, query, len)
   return wait(con, query)
end

function C.db_bulk_insert_next(con, row, len)
   real.sb_ask_bulk_insert_next(con, row, len)
   return wait(con, row)
end

function C.db_bulk_insert_done(con)
   real.sb_ask_bulk_insert_done(con)
   return wait(con)
end

function C.sb_more_events(thread_id)
   real.sb_ask_more_events(thread_id)
   return wait() ~= 0
end

function C.usleep(microseconds)
   real.sb_ask_usleep(microseconds)
   return wait()
end

function C.sleep(seconds)
   real.sb_ask_sleep(seconds)
   return wait()
end

function C.nanosleep(want, left)
   real.sb_ask_nanosleep(want, left)
   return wait(want, left)
end

function C.poll(fds, n, timeout)
   real.sb_ask_poll(fds, n, timeout)
   return wait(fds)
end

-- The parts of the API that hold nothing of a client. --------------------------------------------

local common = {error = {NONE = 0, RESTART_EVENT = 1}, cmdline = {}}
local shared = {client = function() return client().sysbench end, loop = natives.loop, real = real,
                run = function(name) client().run(name) end}

run("sysbench.cmdline.lua", common, nil, shared)
run("sysbench.rand.lua", common, nil, shared)
run("sysbench.sql.lua", common, nil, shared)
run("sysbench.lazy.lua", common, nil, shared)

-- Libraries: each client has tables of its own with the same functions, but for those below. -----

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

-- A table that begins as a copy of another one and takes no room until it is changed, for what scripts read and
-- hardly ever change.  Whoever goes through all of it gets the copy.
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

-- A client's main program is a coroutine here, and must not seem one.
local running = coroutine.running
function coroutine.running()
   local co = running()
   if co ~= client().thread then
      return co
   end
end

-- Each client draws its own numbers, as from a state of its own.
local function own_random(me)
   me.random, me.randomseed = natives.fresh_random()
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

-- The collector works for all.
local collect = collectgarbage
function collectgarbage(what, ...)
   if what == "stop" or what == "restart" then
      return 0
   end
   return collect(what, ...)
end

-- A declaration that another client has made is there.
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

-- So are the methods of a type: the first client's are everybody's.
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

-- What the compiler calls while it is at work must not give way.
local attach, attached = jit.attach, {}
function jit.attach(f, event)
   local quiet = attached[f] or function(...)
      natives.quiet(1)
      pcall(f, ...)
      natives.quiet(-1)
   end
   attached[f] = quiet
   attach(quiet, event)
end

-- Chunks: compiled once, run by each client with its globals. ------------------------------------

local load_file = natives.load_file

function loadfile(path)
   return load_file(path)
end

function dofile(path)
   local f, why = load_file(path)
   if not f then
      error(why, 0)
   end
   return f()
end

local search_path, registry = package.searchpath, debug.getregistry()
local base_package = package

-- C modules register themselves in what they take for the only table of modules.
local function with_modules(loaded, f, ...)
   local others = registry._LOADED
   registry._LOADED = loaded
   local ok, result = pcall(f, ...)
   registry._LOADED = others
   if not ok then
      error(result, 0)
   end
   return result
end

local function c_searcher(search)
   return function(name)
      local package = client().package
      base_package.cpath = package.cpath
      local loader = search(name)
      if type(loader) ~= "function" then
         return loader
      end
      return function(...)
         return with_modules(package.loaded, loader, ...)
      end
   end
end

local searchers = {
   function(name)
      local preload = client().package.preload
      if type(preload) ~= "table" then
         error("'package.preload' must be a table", 0)
      end
      return preload[name] or "\n\tno field package.preload['" .. name .. "']"
   end,
   function(name)
      local path = client().package.path
      if type(path) ~= "string" then
         error("'package.path' must be a string", 0)
      end
      local file, tried = search_path(name, path)
      if not file then
         return tried
      end
      local f, why = load_file(file)
      if not f then
         error(string.format("error loading module '%s' from file '%s':\n\t%s", name, file, why), 0)
      end
      return f
   end,
   c_searcher(base_package.loaders[3]),
   c_searcher(base_package.loaders[4]),
}

local LOADING = newproxy()

local function find_loader(package, name)
   local tried = {}

   if type(package.loaders) ~= "table" then
      error("'package.loaders' must be a table", 3)
   end
   for i = 1, math.huge do
      local loader = package.loaders[i]
      if loader == nil then
         error("module '" .. name .. "' not found:" .. table.concat(tried), 3)
      end
      local found = loader(name)
      if type(found) == "function" then
         return found
      elseif type(found) == "string" then
         tried[#tried + 1] = found
      end
   end
end

function require(name)
   local me = client()
   local loaded = me.loaded

   if type(name) == "number" then
      name = tostring(name)
   elseif type(name) ~= "string" then
      error("bad argument #1 to 'require' (string expected, got " .. (name == nil and "no value" or type(name)) .. ")", 2)
   end
   local module = loaded[name]
   if module then
      if module == LOADING then
         error("loop or previous error loading module '" .. name .. "'", 2)
      end
      return module
   end
   local loader = find_loader(me.package, name)
   loaded[name] = LOADING
   module = loader(name)
   if module ~= nil then
      loaded[name] = module
   elseif loaded[name] == LOADING then
      loaded[name] = true
   end
   return loaded[name]
end

-- The table that a dotted name leads to, made where there is none.
local function find_table(globals, name)
   local t = globals

   for part in name:gmatch("[^.]+") do
      local inner = rawget(t, part)
      if inner == nil then
         inner = {}
         t[part] = inner
      elseif type(inner) ~= "table" then
         return nil
      end
      t = inner
   end
   return t
end

function module(name, ...)
   local me = client()
   local m = me.loaded[name]

   if type(m) ~= "table" then
      m = find_table(me.globals, name)
      if not m then
         error("name conflict for module '" .. name .. "'", 2)
      end
      me.loaded[name] = m
   end
   if m._NAME == nil then
      m._M, m._NAME, m._PACKAGE = m, name, name:match("^(.*%.)[^.]*$") or ""
   end
   setfenv(2, m)
   for i = 1, select("#", ...) do
      select(i, ...)(m)
   end
end

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

-- Of sysbench.opt; an option that is a list is a table, of which each client gets its own.
local function opt_image(original)
   local lists = {}

   for k, v in base_pairs(original) do
      if type(v) == "table" then
         lists[k] = v
      end
   end
   for k in base_pairs(lists) do
      original[k] = nil
   end
   setmetatable(original, {__index = function(_, key)
      local list = lists[key]
      if list then
         local own = {unpack(list)}
         rawset(client().sysbench.opt, key, own)
         return own
      end
   end})
   local mt = image(original)
   mt.lists = lists
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
   package.loaders = {unpack(searchers)}
   globals.sysbench = sysbench
   me.globals, me.loaded, me.package, me.string, me.sysbench = globals, loaded, package, globals.string, sysbench

   sysbench.rand = setmetatable({}, rand)
   sysbench.sql = copy(common.sql)
   sysbench.sql.type, sysbench.sql.error = setmetatable({}, sql_type), setmetatable({}, sql_error)
   setmetatable(sysbench.cmdline, cmdline)
   run("sysbench.lua", sysbench, globals, shared)
   globals.thread_id, globals.test = sysbench.tid, sysbench.cmdline.script_path
   me.run = function(name)
      run(name, sysbench, globals, shared)
   end
   setmetatable(sysbench, lazy)
   return globals
end, opt_image
