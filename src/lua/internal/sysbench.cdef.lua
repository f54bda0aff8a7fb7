-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- ffi.cdef() of every Lua state: a script may repeat declarations of the program, structs and enums
-- included, which FFI does not allow.  Gets the function that loads sysbench.redeclared.lua: few
-- scripts need it.

local load_redeclared = ...
local ffi = require("ffi")
local cdef = ffi.cdef
local without_ours

-- A tail call, so that an error names the script's line.
function ffi.cdef(text, ...)
   if type(text) == "string" and text:find("typedef", 1, true) then
      without_ours = without_ours or load_redeclared()
      text = without_ours(text)
   end
   return cdef(text, ...)
end
