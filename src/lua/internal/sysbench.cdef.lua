-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- ffi.cdef() of every Lua state: a script may repeat declarations of the program, structs and enums
-- included, which FFI does not allow.  Gets the function that removes such declarations from a text
-- (script/redeclared.c).

local without_ours = ...
local ffi = require("ffi")
local cdef = ffi.cdef

-- A tail call, so that an error names the script's line.
function ffi.cdef(text, ...)
   return cdef(without_ours(text), ...)
end
