-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of the OLTP workloads: creates them, reads them into the caches, drops them.  oltp_common loads this for
-- the commands that need it.  A workload may define its own create_table() or get_c_value().

local M = {}

-- Rows done and planned, for the progress line on a terminal.  sysbench 1.0, which also runs these files when it is
-- started beside them, has none.
local has_progress = pcall(function() return ffi.C.sb_progress end)

local function progress(done, planned)
   if has_progress then
      ffi.C.sb_progress(done, planned)
   end
end

function M.redshift(drv)
   local variant = sysbench.opt.pgsql_variant

   if variant ~= "" and variant ~= "redshift" then
      error("Invalid value for --pgsql-variant: '" .. variant .. "' (the only one is redshift)", 0)
   end
   return variant == "redshift" and drv:name() == "pgsql"
end

local function id_definition(drv)
   if not sysbench.opt.auto_inc then
      return "INTEGER NOT NULL"
   elseif M.redshift(drv) then
      return "INTEGER IDENTITY(1,1)"
   elseif drv:name() == "pgsql" then
      return "SERIAL"
   elseif drv:name() == "mysql" then
      return "INTEGER NOT NULL AUTO_INCREMENT"
   end
   error("Unsupported database driver: " .. drv:name())
end

-- The line of CREATE TABLE about the key on id; PostgreSQL makes ordinary indexes only by CREATE INDEX.
local function key_definition(drv)
   if not sysbench.opt.secondary then
      return ",\n  PRIMARY KEY (id)"
   elseif drv:name() == "mysql" then
      return ",\n  KEY xid (id)"
   end
   return ""
end

local function engine_definition(drv)
   if drv:name() ~= "mysql" then
      return ""
   end
   return "/*! ENGINE = " .. sysbench.opt.mysql_storage_engine .. " */"
end

local function table_options(drv)
   local global = drv:name() == "mysql" and mysql_table_options or nil

   return sysbench.opt.create_table_options .. (global and " " .. global or "")
end

local rows_per_report = 1000

local function insert_rows(con, table_num)
   local auto_inc = sysbench.opt.auto_inc
   local rows = sysbench.opt.table_size

   if auto_inc then
      con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. "(k, c, pad) VALUES")
   else
      con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. "(id, k, c, pad) VALUES")
   end
   for i = 1, rows do
      local c = get_c_value()
      local pad = get_pad_value()
      local k = sysbench.rand.default(1, rows)

      if auto_inc then
         con:bulk_insert_next(string.format("(%d, '%s', '%s')", k, c, pad))
      else
         con:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", i, k, c, pad))
      end
      if i % rows_per_report == 0 then
         progress(rows_per_report, 0)
      end
   end
   con:bulk_insert_done()
   progress(rows % rows_per_report, 0)
end

function M.create_table(drv, con, table_num)
   print(string.format("Creating table 'sbtest%d'...", table_num))
   con:query(string.format([[
CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s %s]],
      table_num, id_definition(drv), key_definition(drv), engine_definition(drv), table_options(drv)))
   if sysbench.opt.secondary and drv:name() ~= "mysql" then
      con:query(string.format("CREATE INDEX xid_%d ON sbtest%d(id)", table_num, table_num))
   end

   if sysbench.opt.table_size > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", sysbench.opt.table_size, table_num))
   end
   insert_rows(con, table_num)

   if sysbench.opt.create_secondary and not M.redshift(drv) then
      print(string.format("Creating a secondary index on 'sbtest%d'...", table_num))
      con:query(string.format("CREATE INDEX k_%d ON sbtest%d(k)", table_num, table_num))
   end
end

-- The tables of this thread: tid+1, tid+1+threads, ...
local function my_tables()
   local list = {}

   for i = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      list[#list + 1] = i
   end
   return list
end

function M.prepare()
   local drv = sysbench.sql.driver()
   local con = drv:connect()
   local tables = my_tables()

   progress(0, #tables * sysbench.opt.table_size)
   for _, i in ipairs(tables) do
      create_table(drv, con, i)
   end
   con:disconnect()
end

-- Reads the tables into the server's caches.
function M.read(command, announcement)
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   if drv:name() ~= "mysql" then
      error(command .. " is currently MySQL only")
   end
   con:query("SET tmp_table_size=2*1024*1024*1024")
   con:query("SET max_heap_table_size=2*1024*1024*1024")
   for _, i in ipairs(my_tables()) do
      local t = "sbtest" .. i

      print(announcement .. t)
      con:query("ANALYZE TABLE " .. t)
      con:query(string.format(
         "SELECT AVG(id) FROM (SELECT * FROM %s FORCE KEY (PRIMARY) LIMIT %u) t",
         t, sysbench.opt.table_size))
      con:query(string.format(
         "SELECT COUNT(*) FROM (SELECT * FROM %s WHERE k LIKE '%%0%%' LIMIT %u) t",
         t, sysbench.opt.table_size))
   end
   con:disconnect()
end

function M.cleanup()
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   for i = 1, sysbench.opt.tables do
      print(string.format("Dropping table 'sbtest%d'...", i))
      con:query("DROP TABLE IF EXISTS sbtest" .. i)
   end
   con:disconnect()
end

return M
