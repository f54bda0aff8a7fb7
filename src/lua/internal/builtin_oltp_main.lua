-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What the main state does for 0.4's built-in test oltp (builtin_oltp.lua): checks the options, makes and drops the
-- tables, finds out whether the table has transactions, and says what the run will do.  Loaded at the first use of
-- sysbench.builtin_oltp.

local sysbench = ...
local ffi = require("ffi")
local C = ffi.C

local M = {}
sysbench.builtin_oltp = M

-- Ends the command or the client with a sentence, and without further words.
function M.refuse(...)
   error({fatal = string.format(...)}, 0)
end

-- Ends the command without further words: what is below has said why.
local function give_up()
   error({reported = true}, 0)
end

local function driver()
   local ok, drv = pcall(sysbench.sql.driver)

   return ok and drv or give_up()
end

local function connected(drv)
   local ok, con = pcall(drv.connect, drv)

   return ok and con or M.refuse("failed to connect to database server!")
end

-- Errors of this file, without a place that a user cannot look up.
local function placeless(f)
   return function()
      local ok, why = pcall(f)

      if not ok then
         error(type(why) == "string" and why:gsub('^%[string "[^"]*"%]:%d+: ', "oltp: ") or why, 0)
      end
   end
end

-- As 0.4 and its descendants, not as 1.0, of which an old command line is a guest.
local function in_old_words()
   return ffi.string(C.sb_generation()):sub(1, 3) == "0.4"
end

-- Options -----------------------------------------------------------------------------------------

local choices = {
   {"oltp_test_mode", "simple", "complex", "nontrx", "sp"},
   {"oltp_reconnect_mode", "session", "transaction", "query", "random"},
   {"oltp_nontrx_mode", "select", "update_key", "update_nokey", "insert", "delete"},
   {"oltp_dist_type", "uniform", "gaussian", "special"},
}

-- smallest and largest; all are whole
local numbers = {
   {"oltp_range_size", 1}, {"oltp_point_selects", 0}, {"oltp_simple_ranges", 0}, {"oltp_sum_ranges", 0},
   {"oltp_order_ranges", 0}, {"oltp_distinct_ranges", 0}, {"oltp_index_updates", 0}, {"oltp_non_index_updates", 0},
   {"oltp_delete_inserts", 0}, {"oltp_connect_delay", 0}, {"oltp_user_delay_min", 0}, {"oltp_user_delay_max", 0},
   {"oltp_table_size", 0}, {"oltp_dist_iter", 1, 1000000}, {"oltp_dist_pct", 0, 100}, {"oltp_dist_res", 0, 99},
   {"oltp_num_tables", 1, 32},
}

local LARGEST = 2147483647

local function as_typed(name)
   return "--" .. name:gsub("_", "-")
end

local function check_choice(name, ...)
   local value = sysbench.opt[name]

   for _, choice in ipairs({...}) do
      if value == choice then
         return
      end
   end
   M.refuse("Invalid value for %s: '%s' (allowed: %s)", as_typed(name), value, table.concat({...}, ", "))
end

local function check_number(name, smallest, largest)
   local value = sysbench.opt[name]

   largest = largest or LARGEST
   if value % 1 ~= 0 or value < smallest or value > largest then
      M.refuse("Invalid value for %s: %s (a whole number from %d to %d is needed)", as_typed(name), value, smallest,
               largest)
   end
end

local function check_pairs(o)
   if o.oltp_read_only and o.oltp_write_only then
      M.refuse("--oltp-read-only and --oltp-write-only are mutually exclusive")
   elseif o.oltp_secondary and o.oltp_auto_inc then
      M.refuse("--oltp-secondary needs --oltp-auto-inc=off: only a key of its own can assign the ids")
   elseif o.oltp_user_delay_min > o.oltp_user_delay_max then
      M.refuse("--oltp-user-delay-min=%d must not exceed --oltp-user-delay-max=%d", o.oltp_user_delay_min,
               o.oltp_user_delay_max)
   elseif o.oltp_table_name == "" then
      M.refuse("--oltp-table-name is empty")
   end
end

local function check()
   for _, row in ipairs(choices) do
      check_choice(unpack(row))
   end
   for _, row in ipairs(numbers) do
      check_number(unpack(row))
   end
   check_pairs(sysbench.opt)
end

local function check_run(o, on_mysql)
   if o.oltp_test_mode == "sp" and o.oltp_sp_name == "" then
      M.refuse("--oltp-test-mode=sp needs the name of a stored procedure: --oltp-sp-name")
   elseif o.oltp_table_size < 1 then
      M.refuse("--oltp-table-size=0: a run needs at least one row")
   elseif o.oltp_point_select_mysql_handler and not on_mysql then
      M.refuse("--oltp-point-select-mysql-handler is for the driver mysql")
   end
end

local without_effect = {
   oltp_num_partitions = 0, oltp_avoid_deadlocks = false, oltp_use_in_statement = 0, oltp_use_filter = false,
   oltp_use_range = false, oltp_use_ndb_disk_data = false,
}

local function note_options_without_effect()
   for name, default in pairs(without_effect) do
      if sysbench.opt[name] ~= default then
         io.stderr:write("WARNING: ", as_typed(name), " has no effect\n")
      end
   end
end

-- Tables ------------------------------------------------------------------------------------------

local function each_table(f)
   for i = 0, sysbench.opt.oltp_num_tables - 1 do
      f(sysbench.opt.oltp_table_name .. (i > 0 and i or ""), i)
   end
end

local engines = {
   myisam = "MyISAM", bdb = "BerkeleyDB", berkeleydb = "BerkeleyDB", ndbcluster = "NDB",
}

local function engine_clause()
   local engine = sysbench.opt.mysql_table_engine or "innodb"
   local clause = "ENGINE=" .. (engines[engine:lower()] or engine)

   if engine:lower() == "myisam" then
      clause = clause .. " MAX_ROWS=" .. (sysbench.opt.myisam_max_rows or 1000000)
   end
   if sysbench.opt.oltp_table_comment_string ~= "" then
      clause = clause .. " COMMENT='" .. sysbench.opt.oltp_table_comment_string:gsub("['\\]", "%0%0") .. "'"
   end
   return sysbench.opt.db_driver == "drizzle" and clause or "/*! " .. clause .. " */"
end

local function id_type(on_mysql, unsigned)
   if not on_mysql then
      return sysbench.opt.oltp_auto_inc and "SERIAL" or "INTEGER NOT NULL"
   end
   return "INTEGER" .. unsigned .. " NOT NULL" .. (sysbench.opt.oltp_auto_inc and " AUTO_INCREMENT" or "")
end

local function key_clause(on_mysql)
   if not sysbench.opt.oltp_secondary then
      return ", PRIMARY KEY  (id)"
   end
   return on_mysql and ", KEY xid (id)" or ""
end

-- The second is 0.5's name of the same.
local function create_options(o)
   local first, second = o.mysql_create_options or "", o.mysql_table_options or ""

   return first ~= "" and first or second
end

local function definition(t, on_mysql)
   local unsigned = on_mysql and sysbench.opt.db_driver ~= "drizzle" and " UNSIGNED" or ""
   local options = on_mysql and " " .. create_options(sysbench.opt) .. " " .. engine_clause() or ""

   return string.format("CREATE TABLE %s (id %s, k integer%s DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, "
                        .. "pad char(60) DEFAULT '' NOT NULL%s )%s",
                        t, id_type(on_mysql, unsigned), unsigned, key_clause(on_mysql), options)
end

-- PostgreSQL names the indexes of all tables in one space.
local function create_indexes(con, t, i, on_mysql)
   con:query(string.format("CREATE INDEX k%s on %s(k)", not on_mysql and i > 0 and "_" .. t or "", t))
   if sysbench.opt.oltp_secondary and not on_mysql then
      con:query(string.format("CREATE INDEX xid%s on %s(id)", i > 0 and "_" .. t or "", t))
   end
end

local ROWS = 10000 -- in a statement; PostgreSQL: in a transaction, one row a statement
local values = "0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'"

local function rows_from(first, last)
   local row = {}

   for id = first, last do
      row[#row + 1] = sysbench.opt.oltp_auto_inc and "(" .. values .. ")" or "(" .. id .. "," .. values .. ")"
   end
   return row
end

local function insert(con, t, on_mysql)
   local columns = sysbench.opt.oltp_auto_inc and "(k, c, pad)" or "(id, k, c, pad)"
   local prefix = "INSERT INTO " .. t .. columns .. " VALUES "
   local size = sysbench.opt.oltp_table_size

   for first = 1, size, ROWS do
      local row = rows_from(first, math.min(size, first + ROWS - 1))

      if on_mysql then
         con:query(prefix .. table.concat(row, ","))
      else
         con:query("BEGIN")
         for _, text in ipairs(row) do
            con:query(prefix .. text)
         end
         con:query("COMMIT")
      end
      C.sb_progress(#row, 0)
   end
end

-- Connects so that a refused statement is reported in 0.4's words, if they are wanted.
local failure -- what could not be done

local function connect(drv)
   local con = connected(drv)
   local server = drv:name() == "mysql" and "MySQL" or "PgSQL"

   if in_old_words() then
      C.db_set_manners(con, C.DB_QUIET)
      function sysbench.hooks.sql_error_ignorable(err)
         print("ALERT: failed to execute " .. server .. " query: `" .. err.query .. "`:")
         print("ALERT: Error " .. err.sql_errno .. " " .. err.sql_errmsg)
         M.refuse(failure)
      end
   end
   return con
end

local function note_second_name(o)
   local first, second = o.mysql_create_options or "", o.mysql_table_options or ""

   if first ~= "" and second ~= "" and first ~= second then
      io.stderr:write("WARNING: --mysql-table-options=", second, " has no effect beside --mysql-create-options=", first,
                      ": both are for CREATE TABLE\n")
   end
end

M.prepare = placeless(function()
   check()
   note_second_name(sysbench.opt)
   local drv = driver()
   local on_mysql = drv:name() == "mysql"
   local con = connect(drv)

   C.sb_progress(0, sysbench.opt.oltp_num_tables * sysbench.opt.oltp_table_size)
   each_table(function(t, i)
      failure = "failed to create test table"
      print("Creating table '" .. t .. "'...")
      con:query(definition(t, on_mysql))
      create_indexes(con, t, i, on_mysql)
      failure = "failed to create test rows"
      print("Creating " .. sysbench.opt.oltp_table_size .. " records in table '" .. t .. "'...")
      insert(con, t, on_mysql)
   end)
   con:disconnect()
end)

M.cleanup = placeless(function()
   check()
   local con = connect(driver())

   failure = "failed to drop test table"
   each_table(function(t)
      print("Dropping table '" .. t .. "'...")
      con:query("DROP TABLE " .. t)
   end)
   con:disconnect()
   print("Done.")
end)

-- Before a run ------------------------------------------------------------------------------------

local transactional_engines = {
   innodb = true, bdb = true, berkeleydb = true, ndbcluster = true, federated = true, pbxt = true, falcon = true,
   myisam = false, heap = false, maria = false,
   memory = false, aria = false, -- today's names of heap and maria
}

local function is_transactional(con)
   local t, trx = sysbench.opt.oltp_table_name, sysbench.opt.mysql_engine_trx

   if trx == "yes" or trx == "no" or sysbench.opt.mysql_dry_run then
      return trx ~= "no"
   end
   local _, engine = con:query_row("SHOW TABLE STATUS LIKE '" .. t .. "'")
   if not engine then
      M.refuse("there is no table '%s': run the command 'prepare' first, or give its name with --oltp-table-name", t)
   end
   local is = transactional_engines[engine:lower()]
   if is == nil then
      M.refuse("unknown database engine '%s' of table '%s': --mysql-engine-trx=yes or no says whether it has "
               .. "transactions", engine, t)
   end
   return is
end

local on_mysql, transactional

M.init = placeless(function()
   local drv = driver()
   local mode = sysbench.opt.oltp_test_mode

   on_mysql = drv:name() == "mysql"
   check()
   check_run(sysbench.opt, on_mysql)
   note_options_without_effect()
   local con = connected(drv)
   transactional = not on_mysql or mode == "sp" or is_transactional(con)
   if on_mysql then
      C.sb_set_option("mysql-engine-trx", transactional and "yes" or "no") -- what the clients will see
   end
   if mode == "nontrx" and sysbench.opt.oltp_nontrx_mode == "insert" then
      each_table(function(t) con:query("TRUNCATE TABLE " .. t) end)
   end
   con:disconnect()
end)

local mode_lines = {
   simple = "Running simple OLTP test",
   complex = "Running mixed OLTP test",
   nontrx = "Running non-transactional test",
   sp = "Running stored procedure test",
}

local function distribution_line(o)
   if o.oltp_dist_type == "uniform" then
      return "Using Uniform distribution"
   elseif o.oltp_dist_type == "gaussian" then
      return string.format("Using Normal distribution (%d iterations)", o.oltp_dist_iter)
   end
   return string.format("Using Special distribution (%d iterations,  %d pct of values are returned in %d pct cases)",
                        o.oltp_dist_iter, o.oltp_dist_pct, o.oltp_dist_res)
end

local function transaction_line(o)
   if o.oltp_skip_trx then
      return "Skipping BEGIN/COMMIT"
   elseif transactional then
      return 'Using "BEGIN" for starting transactions'
   end
   return string.format('Using "LOCK TABLES %s" for starting transactions', o.oltp_read_only and "READ" or "WRITE")
end

local function further_lines(o)
   local lines = {}

   local function add(condition, text)
      if condition then
         lines[#lines + 1] = text
      end
   end
   add(o.oltp_read_only, "Doing read-only test")
   add(o.oltp_write_only, "Doing write-only test")
   add(true, distribution_line(o))
   add(true, transaction_line(o))
   add(true, o.oltp_auto_inc and "Using auto_inc on the id column" or "Not using auto_inc on the id column")
   add(o.events > 0, string.format("Maximum number of requests for OLTP test is limited to %d", o.events))
   add(o.validate, "Validation mode enabled")
   add(o.oltp_num_tables > 1, string.format("Using %d test tables", o.oltp_num_tables))
   return lines
end

function M.print_header()
   local o = sysbench.opt

   if not in_old_words() or o.verbosity < 3 then
      return
   end
   print("Doing OLTP test.")
   print(mode_lines[o.oltp_test_mode])
   if o.oltp_test_mode ~= "sp" then
      print(table.concat(further_lines(o), "\n"))
   end
end
