-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of the OLTP workloads: creates them, reads them into the caches, drops them.  oltp_common loads this for
-- the commands that need it.  A workload may define its own create_table() or get_c_value().
--
-- prepare fills a table in one of two ways.  create_table() does what stock does, one table per thread, INSERTs of rows
-- that are made here.  oltp_load shares all tables among all threads, and has the rows made and sent in C; they are the
-- same rows.

local M = {}

-- Rows done and planned, for the progress line on a terminal.  sysbench 1.0, which also runs these files when it is
-- started beside them, has none.
local has_progress = pcall(function() return ffi.C.sb_progress end)
local can_load = pcall(function() return ffi.C.sb_load_next end) -- not there either

local function progress(done, planned)
   if has_progress then
      ffi.C.sb_progress(done, planned)
   end
end

function M.redshift(drv)
   local variant = sysbench.opt.pgsql_variant or "" -- a workload may have declared its own list of options

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

   return (sysbench.opt.create_table_options or "") .. (global and " " .. global or "")
end

local watched = false -- within create_tables()

-- Notes how far a table is, for who interrupts prepare.  False: that has happened.  A script that calls create_table()
-- itself may give it something that only resembles a connection.
local function note(con, table_num, rows, complete)
   return not watched or ffi.C.sb_load_note(con, table_num, rows, complete or false)
end

local rows_per_report = 1000

-- False: not all, because prepare is to stop.
local function insert_rows(con, table_num)
   local auto_inc = sysbench.opt.auto_inc
   local rows = sysbench.opt.table_size

   if auto_inc then
      con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. "(k, c, pad) VALUES")
   else
      con:bulk_insert_init("INSERT INTO sbtest" .. table_num .. "(id, k, c, pad) VALUES")
   end
   local done = 0

   while done < rows and (done % rows_per_report > 0 or note(con, table_num, done)) do
      local c = get_c_value()
      local pad = get_pad_value()
      local k = sysbench.rand.default(1, rows)

      done = done + 1
      if auto_inc then
         con:bulk_insert_next(string.format("(%d, '%s', '%s')", k, c, pad))
      else
         con:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", done, k, c, pad))
      end
      if done % rows_per_report == 0 then
         progress(rows_per_report, 0)
      end
   end
   con:bulk_insert_done()
   progress(done % rows_per_report, 0)
   return note(con, table_num, done) and done == rows
end

function M.announce_table(table_num)
   print(string.format("Creating table 'sbtest%d'...", table_num))
end

function M.make_table(drv, con, table_num)
   con:query(string.format([[
CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s %s]],
      table_num, id_definition(drv), key_definition(drv), engine_definition(drv), table_options(drv)))
end

-- PostgreSQL's index on id where it is not the primary key.
function M.make_key(drv, con, table_num, if_missing)
   if sysbench.opt.secondary and drv:name() ~= "mysql" then
      con:query(string.format("CREATE INDEX %sxid_%d ON sbtest%d(id)", if_missing and "IF NOT EXISTS " or "", table_num,
                              table_num))
   end
end

function M.announce_rows(table_num)
   if sysbench.opt.table_size > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", sysbench.opt.table_size, table_num))
   end
end

function M.make_index(drv, con, table_num)
   if sysbench.opt.create_secondary and not M.redshift(drv) then
      print(string.format("Creating a secondary index on 'sbtest%d'...", table_num))
      con:query(string.format("CREATE INDEX k_%d ON sbtest%d(k)", table_num, table_num))
   end
end

-- False: it is not complete, because prepare is to stop.
function M.create_table(drv, con, table_num)
   M.announce_table(table_num)
   M.make_table(drv, con, table_num)
   M.make_key(drv, con, table_num)
   note(con, table_num, 0)
   M.announce_rows(table_num)
   if not insert_rows(con, table_num) then
      return false
   end
   M.make_index(drv, con, table_num)
   return note(con, table_num, sysbench.opt.table_size, true)
end

-- Commands -------------------------------------------------------------------------------------

-- The tables of this thread: tid+1, tid+1+threads, ...
local function my_tables()
   local list = {}

   for i = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      list[#list + 1] = i
   end
   return list
end

-- As stock does.  A script's own create_table() does not know when it is to stop, so Ctrl-C ends it at once; a dry run,
-- too, which leaves nothing that could be told.
local function create_tables(drv, con, may_continue, table_is_ours)
   local opt = sysbench.opt

   watched = can_load and table_is_ours and not (drv:name() == "mysql" and opt.mysql_dry_run)
   if watched then
      ffi.C.sb_load_watch(opt.threads, opt.tables, opt.table_size, may_continue)
   end
   for _, i in ipairs(my_tables()) do
      if create_table(drv, con, i) == false and table_is_ours then
         break
      end
   end
   if watched then
      ffi.C.sb_load_unwatch()
   end
   watched = false
end

-- Connections go to the servers of the list in turn, so each thread has the tables of its own server.
local function several_servers(drv)
   local opt = sysbench.opt
   local sockets = drv:name() == "mysql" and #opt.mysql_socket or 0

   return drv:name() == "mysql" and (sockets > 1 or sockets == 0 and #opt.mysql_host * #opt.mysql_port > 1)
end

function M.prepare(rows_are_ours, table_is_ours)
   local drv = sysbench.sql.driver()
   local opt = sysbench.opt
   local loader = can_load and require("sysbench-tx.oltp_load") or nil

   if loader then
      ffi.C.sb_load_enter()
   end

   local con = drv:connect()
   local how = loader and loader.method(drv, con, rows_are_ours) or nil
   local apart = several_servers(drv)

   progress(0, #my_tables() * opt.table_size)
   if loader and ffi.C.sb_load_join(opt.threads, opt.tables, opt.table_size, how ~= nil, apart) then
      loader.load(M, drv, con, how or "insert", apart)
   else
      create_tables(drv, con, loader and rows_are_ours and loader.may_continue(drv) or false, table_is_ours)
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
