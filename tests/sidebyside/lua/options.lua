-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options of every type, and what the script reads.

sysbench.cmdline.options = {
   flag = {"a flag", false},
   flag_on = {"a flag that is on", true},
   number = {"a number", 7},
   text = {"a text", "default"},
   ["dash-ed"] = {"a name with a dash", 5},
   none = {"no default"},
   list = {"a list", {"a", "b"}},
   int = {"an integer", 3, sysbench.cmdline.ARG_INT},
   size = {"a size", "4K", sysbench.cmdline.ARG_SIZE},
   double = {"a double", "2.5", sysbench.cmdline.ARG_DOUBLE},
   bool = {"a flag by type", "on", sysbench.cmdline.ARG_BOOL},
   string = {"a string by type", "s", sysbench.cmdline.ARG_STRING},
   list_of_text = {"a list by type", "x,y", sysbench.cmdline.ARG_LIST},
}

local function show(where)
   local o = sysbench.opt
   local function list(t)
      return type(t) == "table" and #t .. "{" .. table.concat(t, ";") .. "}" or tostring(t)
   end
   print(where, o.flag, o.flag_on, o.number, type(o.number), o.text, o.dash_ed, o.none, type(o.none), list(o.list))
   print(where, o.int, o.size, o.double, o.bool, o.string, list(o.list_of_text))
end

function init()
   show("init")
   sysbench.opt.number = 1000
end

function thread_init()
   show("thread_init")
end

function event()
end

function prepare()
   show("prepare")
end
