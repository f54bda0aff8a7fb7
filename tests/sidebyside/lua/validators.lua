-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options with validators; a list as default together with a type.

ffi.cdef("typedef bool (*my_validator)(const char *, const char *);")

local function only(text)
   return ffi.cast("my_validator", function(name, value)
      return ffi.string(value) == text
   end)
end

sysbench.cmdline.options = {
   first = {"a", "x", sysbench.cmdline.ARG_STRING, only("x")},
   second = {"b", "y", sysbench.cmdline.ARG_STRING, only("z")},
}
if os.getenv("LIST") then
   sysbench.cmdline.options = {list = {"text", {"a", "b"}, sysbench.cmdline.ARG_LIST}}
end

function prepare()
   print(sysbench.opt.first, sysbench.opt.second, sysbench.opt.list and #sysbench.opt.list)
end
