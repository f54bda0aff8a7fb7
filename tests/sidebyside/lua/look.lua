-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What a script finds around it: globals, tables of the API, where modules are looked for.

local function keys(t, added)
   local names = {}
   for k, v in pairs(t) do
      if not (added and added[k]) then
         names[#names + 1] = tostring(k) .. ":" .. type(v)
      end
   end
   table.sort(names)
   return table.concat(names, " ")
end

print("version", (sysbench.version:gsub("%d+", "N")), (sysbench.version_string:gsub("%d+", "N")))
print("tid", sysbench.tid, "opt at top level", sysbench.opt)
print("sysbench", keys(sysbench, {db = true, histogram = true, report_default = true, report_csv = true, report_json = true, tx_version = true}))
print("sysbench, perhaps on demand", type(sysbench.db), type(sysbench.histogram), type(sysbench.report_default),
      type(sysbench.report_csv), type(sysbench.report_json))
print("error", keys(sysbench.error), sysbench.error.NONE, sysbench.error.RESTART_EVENT)
print("hooks", keys(sysbench.hooks))
print("rand", keys(sysbench.rand, {zipfian = true, varstring = true}))
print("sql.type", keys(sysbench.sql.type))
print("sql.error", sysbench.sql.error.NONE, sysbench.sql.error.IGNORABLE, sysbench.sql.error.FATAL)
for _, k in ipairs{"NONE", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "TIME", "DATE",
                   "DATETIME", "TIMESTAMP", "CHAR", "VARCHAR"} do
   io.write(k, "=", tostring(sysbench.sql.type[k]), " ")
end
print()
print("cmdline", keys(sysbench.cmdline))
for _, k in ipairs{"NULL", "BOOL", "INT", "SIZE", "DOUBLE", "STRING", "LIST", "FILE", "MAX"} do
   io.write("ARG_", k, "=", tostring(sysbench.cmdline["ARG_" .. k]), " ")
end
print()
print("argv", sysbench.cmdline.argv[0], #sysbench.cmdline.argv, table.concat(sysbench.cmdline.argv, "|"))
print("command", sysbench.cmdline.command, "path", sysbench.cmdline.script_path,
      "parallel", sysbench.cmdline.PARALLEL_COMMAND)
print("chunk arguments", select("#", ...), ...)
print("ffi", type(ffi), "jit", type(jit), "bit", type(bit), "thread_run", type(thread_run), "arg", arg)
print("require again", require("ffi") == ffi)

local home = os.getenv("HOME")
local function places(path)
   return (path:gsub(home:gsub("%p", "%%%0"), "HOME"))
end
print("path", (places(package.path):gsub("[^;]*;?$", "SHARE")))
print("cpath", (places(package.cpath):gsub("[^;]*/lib[^;]*/sysbench;", "LIB/sysbench;")))

sysbench.cmdline.commands = {
   look = {function()
      local names = {}
      for k, v in pairs(sysbench.opt) do
         names[#names + 1] = k
      end
      print("some options", sysbench.opt.threads, sysbench.opt.time, sysbench.opt.percentile,
            sysbench.opt.rand_type, sysbench.opt.mysql_user, sysbench.opt.histogram,
            sysbench.opt.thread_stack_size, #sysbench.opt.mysql_host, sysbench.opt.mysql_host[1],
            sysbench.opt.mysql_port[1], #sysbench.opt.report_checkpoints, sysbench.opt.config_file,
            sysbench.opt.rand_pareto_h, sysbench.opt.db_ps_mode, sysbench.opt.pgsql_port,
            sysbench.opt.mysql_password == "", #names > 40)
   end}
}

function event()
end
