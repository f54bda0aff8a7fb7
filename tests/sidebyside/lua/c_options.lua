-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options declared through C, sb_lua_set_test_args(): in a read_cmdline_options() of the script's
-- own, and later.

local keep = {} -- what C points to

local function set(list)
   local args = ffi.new("sb_arg_t[?]", #list)

   for i, a in ipairs(list) do
      keep[#keep + 1] = a
      args[i - 1].name, args[i - 1].desc, args[i - 1].value, args[i - 1].type = a[1], a[2], a[3], a[4]
   end
   keep[#keep + 1] = args
   return ffi.C.sb_lua_set_test_args(args, #list)
end

function sysbench.cmdline.read_cmdline_options()
   print("set", set{{"zeta", "a number", "5", ffi.C.SB_ARG_TYPE_INT},
                    {"alpha", "a flag", nil, "SB_ARG_TYPE_BOOL"},
                    {"with-dash", "a text", nil, "SB_ARG_TYPE_STRING"},
                    {"list", "a list", "a,b", "SB_ARG_TYPE_LIST"},
                    {"off", "a flag that is off", "off", "SB_ARG_TYPE_BOOL"},
                    {"size", "a size", "2K", "SB_ARG_TYPE_SIZE"}})
   return true
end

function prepare()
   local o = sysbench.opt

   print("values", o.zeta, o.alpha, o.with_dash, table.concat(o.list, "|"), o.off, o.size)
   ffi.C.sb_print_test_options()
end

function cleanup()
   print("set", set{{"late", "for the help alone", "1", ffi.C.SB_ARG_TYPE_INT}})
   sysbench.cmdline.print_test_options()
   print("late", sysbench.opt.late)
end

function event()
   print("values", sysbench.opt.zeta, sysbench.opt.alpha, sysbench.opt.off)
   return true
end
