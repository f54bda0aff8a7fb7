-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- require(), module(), dofile() and loadfile() of a Lua state that several clients share (sysbench.shared.lua): each
-- chunk is compiled once (script/shared/chunk_factory.c); each client runs it with its own globals and table of modules.
-- What is loaded for no client (jit.dump, for --luajit-cmd) uses the require() of the state.

local functions = ...
local client = functions.client
local load_file, load_legacy = functions.load_file, functions.load_legacy

function loadfile(path)
   return load_file(path)
end

function dofile(path)
   local f, why = load_legacy(path), nil
   if not f then
      f, why = load_file(path)
   end
   if not f then
      error(why, 0)
   end
   return f()
end

local search_path, registry = package.searchpath, debug.getregistry()
local base_package = package

-- C modules register themselves in the table of modules that the registry names.
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

-- Each client gets a table of these.
functions.loaders = {
   function(name)
      local preload = client().package.preload
      if type(preload) ~= "table" then
         error("'package.preload' must be a table", 0)
      end
      return preload[name] or "\n\tno field package.preload['" .. name .. "']"
   end,
   function(name)
      local own = load_legacy(nil, nil, name)
      if own then
         return own
      end
      local path = client().package.path
      if type(path) ~= "string" then
         error("'package.path' must be a string", 0)
      end
      local file, tried = search_path(name, path)
      if not file then
         return load_legacy(nil, name) or tried
      end
      local f, why = load_file(file)
      if not f then
         error(string.format("error loading module '%s' from file '%s':\n\t%s", name, file, why), 0)
      end
      return f
   end,
   c_searcher(package.loaders[3]),
   c_searcher(package.loaders[4]),
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

function functions.require(name)
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

-- The table that a dotted name leads to; missing ones are made.
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

function functions.module(name, ...)
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
