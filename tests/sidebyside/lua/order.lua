-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Which function is called when, with what, in which Lua state.

local calls = 0
local function say(name, ...)
   calls = calls + 1
   print(name, "tid " .. tostring(sysbench.tid), "call " .. calls, "arguments " .. select("#", ...), ...)
end

say("top level", ...)

function init(...) say("init", ...) end
function thread_init(...) say("thread_init", ...) end
function event(...) say("event", ...) end
function thread_done(...) say("thread_done", ...) end
function done(...) say("done", ...) end
function prepare(...) say("prepare", ...) return false end
function cleanup(...) say("cleanup", ...) end
