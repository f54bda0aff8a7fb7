-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- --luajit-cmd: gets its value, "NAME" or "NAME=ARGUMENT[,ARGUMENT...]", and LuaJIT's own
-- package.path.  Calls jit.NAME, or the function start() of the module jit.NAME, with the arguments
-- as strings.  The modules (jit.v, jit.dump, jit.p) come with LuaJIT; the path where they are is
-- added to the script's and stays there, because modules load others when they are used.

local command, path = ...
local name, list = command:match("^([^=]*)=?(.*)$")
local call = jit[name]
local arguments = {}

-- dots and slashes would lead require() somewhere else
if type(call) ~= "function" and not name:find("[^%w_]") then
   package.path = package.path .. ";" .. path
   local found, module = pcall(require, "jit." .. name)
   call = found and type(module) == "table" and module.start
end
if type(call) ~= "function" then
   error("unknown luaJIT command or jit.* modules not installed", 0)
end
for argument in (list:gsub("([^,])$", "%1,")):gmatch("([^,]*),") do
   arguments[#arguments + 1] = argument
end
return call(unpack(arguments))
