-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One option of each type; the command `show` prints what the script sees.

local A = sysbench.cmdline

A.options = {
   rows = {"a number", 100},
   ["with-dash"] = {"a flag", false},
   name = {"a text", "x"},
   empty = {"a text without default"},
   list = {"a list", {"a", "b"}},
   count = {"an integer", 5, A.ARG_INT},
   size = {"a size", "16K", A.ARG_SIZE},
   odd = {"an odd integer", 3, A.ARG_INT, function(_, value)
      return tonumber(ffi.string(value)) % 2 == 1
   end},
   threads = {"a general name", 8},
   words = {"a list of that type", {"x", "y"}, A.ARG_LIST},
}

local function shown(value)
   return type(value) == "table" and table.concat(value, "|") or tostring(value)
end

A.commands = {
   show = {function()
      for _, name in ipairs{"rows", "with_dash", "name", "empty", "list", "count", "size", "odd", "threads", "words", "debug", "thread_stack_size"} do
         print(name, type(sysbench.opt[name]), shown(sysbench.opt[name]))
      end
   end},
}

function event()
end
