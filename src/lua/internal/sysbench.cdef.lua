-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- ffi.cdef() of every Lua state: a script may declare once more what the program has declared, structs
-- and enums included, of which FFI allows no second one.  Gets the function that takes such
-- declarations out of a text (script/redeclared.h).

local without_ours = ...
local ffi = require("ffi")
local cdef = ffi.cdef

-- A tail call, so that an error names the script's line.
function ffi.cdef(text, ...)
   return cdef(without_ours(text), ...)
end
