-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- --options-read: which options a command looks at, in sysbench.opt or in the globals of scripts without options
-- of their own.  The host runs this in each new Lua state, before the script, with note(name), and gets
-- watch(table, values) for the two tables.
--
-- A value is held back until it is read.  Then it is noted and stands where it would stand without all this: it is
-- read at full speed, and a script may change it.  Who walks over the table finds all of it, which then counts as
-- read; so it does if somebody deals with its metatable, which is then as it would be.

local note_option = ...
local rawset, next = rawset, next
local getmetatable, setmetatable = getmetatable, setmetatable
local watched = {} -- by table: {held = values by name, own = its metatable, rest = what that leads to}
local noted = {} -- names: those that the top level of a script of 0.5 has read are options only later

local function note(name)
   noted[name] = true
   note_option(name)
end

local function fill(t)
   local w = watched[t]
   local held = w and w.held or {}

   if w then
      w.held = {}
   end
   for name, value in next, held do
      note(name)
      rawset(t, name, value)
   end
end

local function release(t)
   local w = watched[t]

   if w then
      fill(t)
      for name in next, w.rest do
         note(name)
      end
      watched[t] = nil
      setmetatable(t, w.own)
   end
end

local function is_seen(w, t, name)
   local value = w.held[name]

   if value ~= nil then
      w.held[name] = nil
      rawset(t, name, value)
   else
      value = w.rest[name]
   end
   if value ~= nil then
      note(name)
   end
   return value
end

local function hide(t)
   local w = {held = {}, own = getmetatable(t)}

   w.rest = w.own and w.own.__index or {}
   watched[t] = w
   setmetatable(t, {
      __index = function(_, name) return is_seen(w, t, name) end,
      __newindex = function(_, name, value)
         w.held[name] = nil
         rawset(t, name, value)
      end,
   })
   return w
end

-- Serves these values to those who read them in the table; without values, its own.
local function watch(t, values)
   for name in next, noted do
      note_option(name)
   end
   if values and not watched[t] and getmetatable(t) ~= nil then -- a script's own, of its globals
      for name, value in next, values do
         note(name)
         t[name] = value
      end
      return
   end

   local held = (watched[t] or hide(t)).held

   for name, value in next, values or t do
      held[name] = value
   end
   for name in next, held do
      rawset(t, name, nil)
   end
end

local function before(act, f)
   return function(t, ...)
      if watched[t] then
         act(t)
      end
      return f(t, ...)
   end
end

for name in ("next pairs rawget"):gmatch("%a+") do
   _G[name] = before(fill, _G[name])
end
table.foreach = before(fill, table.foreach)
_G.getmetatable = before(release, getmetatable)
_G.setmetatable = before(release, setmetatable)

return watch
