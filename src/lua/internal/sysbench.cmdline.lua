-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- sysbench.cmdline: what the user typed (argv, command, script_path: set by the host), what the script offers
-- (options, commands: set by the script), and the functions through which the program reads the latter.
--  Scripts may replace those functions; script/lua_options.c and lua_commands.c call them
-- by name.

local sysbench, _, host = ...
local ffi = require("ffi")
local cmdline = sysbench.cmdline
-- the calling client's, where several share a state (sysbench.shared.lua)
local mine = host.client and function() return host.client().cmdline end or function() return cmdline end

cmdline.ARG_NULL = 0
cmdline.ARG_BOOL = 1
cmdline.ARG_INT = 2
cmdline.ARG_SIZE = 3
cmdline.ARG_DOUBLE = 4
cmdline.ARG_STRING = 5
cmdline.ARG_LIST = 6
cmdline.ARG_FILE = 7
cmdline.ARG_MAX = 8

-- Second element of an entry of sysbench.cmdline.commands: run it in every thread.
cmdline.PARALLEL_COMMAND = true

local type_of_default = {
   ["nil"] = cmdline.ARG_STRING,
   boolean = cmdline.ARG_BOOL,
   number = cmdline.ARG_DOUBLE,
   string = cmdline.ARG_STRING,
   table = cmdline.ARG_LIST,
}

local function default_text(name, default)
   local kind = type(default)

   if kind == "nil" or kind == "string" then
      return default
   elseif kind == "boolean" then
      return default and "on" or "off"
   elseif kind == "number" then
      return tostring(default)
   elseif kind == "table" then
      return table.concat(default, ",")
   end
   error("wrong type of the default value of option " .. name .. ": " .. kind)
end

-- A validator gets C strings, (name, value), because it may be a C callback.
local function acceptor(name, validator)
   if validator == nil then
      return nil
   end
   return function(value)
      return validator(ffi.cast("const char *", name), ffi.cast("const char *", value))
   end
end

local function declared(name, option)
   if type(name) ~= "string" or type(option) ~= "table" then
      error("wrong table structure in sysbench.cmdline.options")
   end

   local description, default, kind, validator = option[1], option[2], option[3], option[4]

   if description == nil then
      error("nil description for option " .. name)
   end
   kind = kind or type_of_default[type(default)]
   if type(kind) ~= "number" or kind <= cmdline.ARG_NULL or kind >= cmdline.ARG_MAX then
      error("wrong type for option " .. name)
   end
   return {
      name = name,
      description = tostring(description),
      default = default_text(name, default),
      type = kind,
      accepts = acceptor(name, validator),
   }
end

-- sysbench.cmdline.options as an array of rows, sorted by name, for the host; nil when the script has none.
function cmdline.read_cmdline_options()
   local options = mine().options

   if options == nil then
      return nil
   elseif type(options) ~= "table" then
      error("wrong type for sysbench.cmdline.options: " .. type(options))
   end

   local rows = {}

   for name, option in pairs(options) do
      rows[#rows + 1] = declared(name, option)
   end
   table.sort(rows, function(a, b) return a.name < b.name end)
   return rows
end

local function entry(name)
   local commands = mine().commands

   if type(commands) ~= "table" then
      return nil
   end
   local command = commands[name]
   return type(command) == "table" and command[1] ~= nil and command or nil
end

function cmdline.command_defined(name)
   return entry(name) ~= nil
end

function cmdline.command_parallel(name)
   local command = entry(name)

   return command ~= nil and command[2] == cmdline.PARALLEL_COMMAND
end

-- False: the command failed and has printed why.
function cmdline.call_command(name)
   local command = entry(name)

   return command ~= nil and command[1]() ~= false
end
