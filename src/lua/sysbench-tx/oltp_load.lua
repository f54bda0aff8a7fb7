-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Fills the OLTP tables from all threads of prepare together; oltp_tables asks for this where method() finds a way.  A
-- queue in C says what a thread does next: make a table, send a piece of its rows, make its index.  Rows are made and
-- sent in C (ffi.C.sb_load_*); texts of statements and what the user reads are here.

local M = {}

local CREATE, ROWS, FINISH = 1, 2, 3 -- sb_load_next
local BY_INSERT, BY_LOAD, BY_COPY = 0, 1, 2 -- sb_load_rows
local method_number = {insert = BY_INSERT, load = BY_LOAD, copy = BY_COPY}
local QUIET = 2 -- DB_QUIET

-- Smaller tables take no time: "auto" makes them as stock does, statement by statement.
local worth_loading = 25000

-- The longest INSERT of stock; a server may allow less.
local packet = 524288

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

   if (sysbench.opt.pgsql_variant or "") ~= "" or not (version and version:find("^PostgreSQL ")) then
      return nil
   end
   return wanted == "auto" and "copy" or wanted
end

-- Whether --prepare-method=resume could go on with such tables, as far as the options tell.
function M.may_continue(drv)
   return drv:name() == "mysql" and sysbench.opt.mysql_storage_engine:lower() == "innodb" or
      drv:name() == "pgsql" and (sysbench.opt.pgsql_variant or "") == ""
end

-- All threads would say the same.
local function complain(text)
   if ffi.C.sb_load_first_refusal() then
      error(text, 0)
   end
   error({reported = true}, 0)
end

-- How the rows are to be sent: "load", "copy", "insert"; nil: by create_table().
function M.method(drv, con, rows_are_ours)
   local opt, name = sysbench.opt, drv:name()
   local wanted = opt.prepare_method
   local needed = wanted == "load" or wanted == "copy" or opt.prepare_resume
   local how

   if rows_are_ours and server_method[name] and (needed or (wanted == "auto" and opt.table_size >= worth_loading)) then
      how = server_method[name](con, wanted)
   end
   if needed and not how then
      complain(string.format("--prepare-%s is not possible with %s",
                             opt.prepare_resume and "method=resume" or "method=" .. wanted,
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
   if rc < 0 and not ffi.C.sb_load_first_failure() then
      error({reported = true}, 0)
   elseif rc < 0 then
      error(string.format("table 'sbtest%d', rows %d to %d: %s", piece.table, piece.first, piece.last,
                          ffi.string(ffi.C.sb_load_failure())), 0)
   end
   return how
end

local attempts = 10

-- Calls f once more after an error for which --on-error or the list of ignored errors wants that.
local function persistently(f)
   local done, err

   for _ = 1, attempts do
      done, err = pcall(f)
      if done then
         return
      elseif type(err) ~= "table" or err.errcode ~= sysbench.error.RESTART_EVENT then
         error(err, 0)
      end
   end
   error(string.format("SQL error, errno = %d, state = '%s': %s%s", err.sql_errno, err.sql_state, err.sql_errmsg,
                       attempts > 1 and " (" .. attempts .. " attempts)" or ""), 0)
end

-- Errors that say that a table or an index exists.  PostgreSQL has 23505 and 42710 as well, of its own catalog, when
-- another session makes it at the same time.
local exists = {[1050] = true, [1061] = true, ["42P07"] = true, ["42710"] = true, ["23505"] = true}

-- Makes a table or an index by f(drv, con, ...).  An attempt whose answer was lost may have made it, or the server is
-- still at it: then the next one waits, and is told that it exists.
local function make(f, drv, con, ...)
   local arg, again = {...}, false

   persistently(function()
      ffi.C.db_set_manners(con, again and QUIET or 0)
      local done, err = pcall(f, drv, con, unpack(arg))
      ffi.C.db_set_manners(con, 0)
      if not done then
         local there = exists[con.sql_errno] or con.sql_errno == 0 and con.sql_state ~= nil and
            exists[ffi.string(con.sql_state)]
         if not (again and there) then
            again = again or not there
            error(err, 0)
         end
      end
   end)
end

local function count(con, question, ...)
   return tonumber((con:query_row(string.format(question, ...))))
end

local function has_table(drv, con, table_num)
   return count(con, drv:name() == "mysql" and [[
SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'sbtest%d']]
      or "SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('sbtest%d')", table_num) > 0
end

-- A table with rows that prepare does not make is somebody else's; the first of `found` that has one is named.
local function refuse_other_rows(found, table_num)
   local rows = sysbench.opt.table_size

   for _, f in ipairs(found) do
      if tonumber(f[3]) > rows then
         error(string.format("--prepare-method=resume: table 'sbtest%d' has a row %s, beyond --table-size=%d", table_num, f[3],
                             rows), 0)
      elseif tonumber(f[4]) < 1 then
         error(string.format("--prepare-method=resume: table 'sbtest%d' has a row %s; the first one is 1", table_num, f[4]), 0)
      end
   end
end

-- What an earlier prepare has left of a table: whole pieces stay, others are loaded again.
local function find_rows(drv, con, table_num, size)
   -- a table of another shape is refused here, before anything of it is deleted
   con:query(string.format("SELECT id, k, c, pad FROM sbtest%d LIMIT 0", table_num))

   local quotient = drv:name() == "mysql" and "(id - 1) DIV %d" or "(id - 1) / %d"
   local rs = con:query(string.format("SELECT " .. quotient .. ", COUNT(*), MAX(id), MIN(id) FROM sbtest%d GROUP BY 1",
                                      size, table_num))
   local rows, found, there = sysbench.opt.table_size, {}, 0

   for i = 1, rs and rs.nrows or 0 do
      found[i] = rs:fetch_row()
   end
   refuse_other_rows(found, table_num)
   for _, f in ipairs(found) do
      local first = tonumber(f[1]) * size + 1
      if ffi.C.sb_load_found(first, tonumber(f[2])) then
         there = there + tonumber(f[2])
      else
         con:query(string.format("DELETE FROM sbtest%d WHERE id BETWEEN %d AND %d", table_num, first, first + size - 1))
      end
   end
   if there == rows then
      print(string.format("Table 'sbtest%d' has all %d records", table_num, rows))
   else
      print(string.format("Table 'sbtest%d' has %d of %d records: continuing", table_num, there, rows))
   end
end

local function find_or_make(tables, drv, con, piece)
   local there = sysbench.opt.prepare_resume and has_table(drv, con, piece.table)

   if not there then
      tables.announce_table(piece.table)
      make(tables.make_table, drv, con, piece.table)
   end
   make(tables.make_key, drv, con, piece.table, there)
   if there then
      persistently(function() find_rows(drv, con, piece.table, piece.size) end)
   else
      tables.announce_rows(piece.table)
   end
end

-- MySQL has no CREATE INDEX IF NOT EXISTS.
local function has_index(drv, con, table_num)
   return count(con, drv:name() == "mysql" and [[
SELECT COUNT(*) FROM information_schema.statistics
WHERE table_schema = DATABASE() AND table_name = 'sbtest%d' AND index_name = 'k_%d']] or [[
SELECT COUNT(*) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE indrelid = to_regclass('sbtest%d') AND relname = 'k_%d']], table_num, table_num) > 0
end

-- The ids were given, so the sequence that SERIAL made has to follow.
local function finish(tables, drv, con, table_num)
   local there

   persistently(function()
      if drv:name() == "pgsql" and sysbench.opt.auto_inc and sysbench.opt.table_size > 0 then
         con:query(string.format("SELECT setval(pg_get_serial_sequence('sbtest%d', 'id'), %d)", table_num,
                                 sysbench.opt.table_size))
      end
      there = sysbench.opt.prepare_resume and has_index(drv, con, table_num)
   end)
   if not there then
      make(tables.make_index, drv, con, table_num)
   end
end

local function work_on(tables, drv, con, piece, work, how)
   if work == CREATE then
      find_or_make(tables, drv, con, piece)
   elseif work == ROWS then
      return load_rows(con, piece, how)
   elseif work == FINISH then
      finish(tables, drv, con, piece.table)
   end
   return how
end

-- `tables` has the statements about a table: make_table() and the others of oltp_tables.  `apart`: each thread has a
-- server of its own; a connection that replaces a lost one might be to another.
function M.load(tables, drv, con, how, apart)
   local piece = ffi.new("sb_load_piece")
   local work = ffi.C.sb_load_next(piece)

   attempts = apart and 1 or attempts
   while work > 0 do
      local done, result = pcall(work_on, tables, drv, con, piece, work, how)
      if not done then
         ffi.C.sb_load_stop() -- nobody is to wait for this piece
         error(result, 0)
      end
      how = result
      ffi.C.sb_load_done()
      work = ffi.C.sb_load_next(piece)
   end
end

return M
