-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The tables of the OLTP workloads: creates them, reads them into the caches, drops them.  oltp_common loads this for
-- the commands that need it.  A workload may define its own create_table() or get_c_value().
--
-- prepare fills a table in one of two ways.  create_table() does what stock does, one table per thread, INSERTs of rows
-- that are made here.  load() shares all tables among all threads, and has the rows made and sent in C; they are the
-- same rows.

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

local function make_table(drv, con, table_num, if_missing)
   print(string.format("Creating table 'sbtest%d'...", table_num))
   con:query(string.format([[
CREATE TABLE %ssbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s %s]],
      if_missing or "", table_num, id_definition(drv), key_definition(drv), engine_definition(drv),
      table_options(drv)))
   if sysbench.opt.secondary and drv:name() ~= "mysql" then
      con:query(string.format("CREATE INDEX %sxid_%d ON sbtest%d(id)", if_missing or "", table_num, table_num))
   end

end

local function announce_rows(table_num)
   if sysbench.opt.table_size > 0 then
      print(string.format("Inserting %d records into 'sbtest%d'", sysbench.opt.table_size, table_num))
   end
end

local function make_index(drv, con, table_num, if_missing)
   if sysbench.opt.create_secondary and not M.redshift(drv) then
      print(string.format("Creating a secondary index on 'sbtest%d'...", table_num))
      con:query(string.format("CREATE INDEX %sk_%d ON sbtest%d(k)", if_missing or "", table_num, table_num))
   end
end

function M.create_table(drv, con, table_num)
   make_table(drv, con, table_num)
   announce_rows(table_num)
   insert_rows(con, table_num)
   make_index(drv, con, table_num)
end

-- Loading by all threads -----------------------------------------------------------------------

local CREATE, ROWS, FINISH = 1, 2, 3 -- sb_load_next
local BY_INSERT, BY_LOAD, BY_COPY = 0, 1, 2 -- sb_load_rows
local method_number = {insert = BY_INSERT, load = BY_LOAD, copy = BY_COPY}
local QUIET = 2 -- DB_QUIET

-- Smaller tables take no time: "auto" makes them as stock does, statement by statement.
local worth_loading = 25000

-- The longest INSERT of stock; a server may allow less.
local packet = 524288

local can_load = pcall(function() return ffi.C.sb_load_next end) -- not in sysbench 1.0

-- The first row of an answer; nil when the server does not know the question.
local function ask(con, question)
   ffi.C.db_set_manners(con, QUIET)
   local answer = {pcall(con.query_row, con, question)}
   ffi.C.db_set_manners(con, 0)
   if answer[1] then
      return unpack(answer, 2)
   end
end

-- How this server's rows are to be sent; nil: as stock sends them.
local server_method = {}

-- Ids are given with the rows, so the server must count as we do.  Where a session commits only when it is told, one
-- thread would wait for the locks of another.
function server_method.mysql(con, wanted)
   local step, offset, longest, may_load, commits = ask(con, [[
SELECT @@auto_increment_increment, @@auto_increment_offset, @@max_allowed_packet, @@local_infile, @@autocommit]])

   if tonumber(step) ~= 1 or tonumber(offset) ~= 1 or sysbench.opt.mysql_storage_engine:lower() ~= "innodb" then
      return nil
   end
   if tonumber(commits) ~= 1 then
      con:query("SET autocommit = 1")
   end
   packet = math.min(packet, tonumber(longest))
   if wanted == "auto" then
      return tonumber(may_load) == 1 and "load" or "insert"
   end
   return wanted
end

function server_method.pgsql(con, wanted)
   local version = ask(con, "SELECT version()")

   if sysbench.opt.pgsql_variant ~= "" or not (version and version:find("^PostgreSQL ")) then
      return nil
   end
   return wanted == "auto" and "copy" or wanted
end

-- All threads would say the same.
local function complain(text)
   if ffi.C.sb_load_first_refusal() then
      error(text, 0)
   end
   error({reported = true}, 0)
end

-- How the rows are to be sent: "load", "copy", "insert"; nil: by create_table().
local function method(drv, con, rows_are_ours)
   local opt, name = sysbench.opt, drv:name()
   local wanted = opt.prepare_method
   local needed = wanted == "load" or wanted == "copy" or opt.prepare_resume
   local how

   if rows_are_ours and server_method[name] and (needed or (wanted == "auto" and opt.table_size >= worth_loading)) then
      how = server_method[name](con, wanted)
   end
   if needed and not how then
      complain(string.format("--prepare-%s is not possible with %s",
                             opt.prepare_resume and "resume" or "method=" .. wanted,
                             rows_are_ours and "this server or this kind of table"
                                or "a script that makes its own rows"))
   end
   return how
end

-- The server does not load rows in this way: they are inserted from now on.
local function refused(con, how)
   local why = con.sql_errmsg ~= nil and ffi.string(con.sql_errmsg) or "it does not know it"

   if sysbench.opt.prepare_method == how and ffi.C.sb_load_first_refusal() then
      print(string.format("--prepare-method=%s: the server refuses (%s); using INSERT", how, why))
   end
   return "insert"
end

local function load_rows(con, piece, how)
   local rc = ffi.C.sb_load_rows(con, method_number[how], packet)

   if rc > 0 then
      how = refused(con, how)
      rc = ffi.C.sb_load_rows(con, BY_INSERT, packet)
   end
   if rc < 0 then
      error(string.format("table 'sbtest%d', rows %d to %d: %s", piece.table, piece.first, piece.last,
                          ffi.string(ffi.C.sb_load_failure())), 0)
   end
   return how
end

-- What an earlier prepare has left of a table: whole pieces stay, others are loaded again.  False: it has no rows.
local function find_rows(drv, con, table_num, size)
   local quotient = drv:name() == "mysql" and "(id - 1) DIV %d" or "(id - 1) / %d"
   local rs = con:query(string.format("SELECT " .. quotient .. ", COUNT(*), MAX(id) FROM sbtest%d GROUP BY 1", size,
                                      table_num))
   local found, there = {}, 0

   for i = 1, rs and rs.nrows or 0 do
      found[i] = rs:fetch_row()
   end
   for _, f in ipairs(found) do
      local first = tonumber(f[1]) * size + 1
      if tonumber(f[3]) > sysbench.opt.table_size then
         error(string.format("--prepare-resume: table 'sbtest%d' has a row %s, beyond --table-size=%d", table_num, f[3],
                             sysbench.opt.table_size), 0)
      end
      if ffi.C.sb_load_found(first, tonumber(f[2])) then
         there = there + tonumber(f[2])
      else
         con:query(string.format("DELETE FROM sbtest%d WHERE id BETWEEN %d AND %d", table_num, first, first + size - 1))
      end
   end
   if #found > 0 then
      print(string.format("Continuing 'sbtest%d': %d of %d records are there", table_num, there, sysbench.opt.table_size))
   end
   return #found > 0
end

-- MySQL has no CREATE INDEX IF NOT EXISTS.
local function has_index(drv, con, table_num)
   return drv:name() == "mysql" and tonumber((con:query_row(string.format([[
SELECT COUNT(*) FROM information_schema.statistics
WHERE table_schema = DATABASE() AND table_name = 'sbtest%d' AND index_name = 'k_%d']], table_num, table_num)))) > 0
end

-- The ids were given, so the sequence that SERIAL made has to follow.
local function finish(drv, con, table_num, if_missing)
   if drv:name() == "pgsql" and sysbench.opt.auto_inc and sysbench.opt.table_size > 0 then
      con:query(string.format("SELECT setval(pg_get_serial_sequence('sbtest%d', 'id'), %d)", table_num,
                              sysbench.opt.table_size))
   end
   if not (if_missing and has_index(drv, con, table_num)) then
      make_index(drv, con, table_num, drv:name() == "pgsql" and if_missing or nil)
   end
end

local function load(drv, con, how)
   local if_missing = sysbench.opt.prepare_resume and "IF NOT EXISTS " or nil
   local piece = ffi.new("sb_load_piece")
   local work = ffi.C.sb_load_next(piece)

   while work > 0 do
      if work == CREATE then
         make_table(drv, con, piece.table, if_missing)
         if not (if_missing and find_rows(drv, con, piece.table, piece.size)) then
            announce_rows(piece.table)
         end
      elseif work == ROWS then
         how = load_rows(con, piece, how)
      elseif work == FINISH then
         finish(drv, con, piece.table, if_missing)
      end
      ffi.C.sb_load_done()
      work = ffi.C.sb_load_next(piece)
   end
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

local function create_tables(drv, con, tables)
   for _, i in ipairs(tables) do
      create_table(drv, con, i)
   end
end

-- Connections go to the servers of the list in turn, so each thread has the tables of its own server.
local function several_servers(drv)
   local opt = sysbench.opt
   local sockets = drv:name() == "mysql" and #opt.mysql_socket or 0

   return drv:name() == "mysql" and (sockets > 1 or sockets == 0 and #opt.mysql_host * #opt.mysql_port > 1)
end

function M.prepare(rows_are_ours)
   local drv = sysbench.sql.driver()

   if can_load then
      ffi.C.sb_load_allow()
   end

   local con = drv:connect()
   local tables = my_tables()
   local opt = sysbench.opt
   local how = can_load and method(drv, con, rows_are_ours) or nil

   progress(0, #tables * opt.table_size)
   if can_load and ffi.C.sb_load_join(opt.threads, opt.tables, opt.table_size, how ~= nil, several_servers(drv)) then
      load(drv, con, how or "insert")
   else
      create_tables(drv, con, tables)
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
