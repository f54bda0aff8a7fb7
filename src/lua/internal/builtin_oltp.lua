-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The test `oltp` that was part of sysbench 0.4: --test=oltp.  It is embedded in the program, not installed.
--
-- An event is a list of statements on one table, the same list each time.  The ids are drawn before the first
-- statement, because an event that a deadlock interrupts is sent again with the same ids; 0.4 sends no ROLLBACK
-- before.  In mode complex the list is a transaction:
--
--    BEGIN, 10 point SELECTs, 4 range SELECTs, 2 UPDATEs, [1 UPDATE more,] DELETE, INSERT of the deleted id, COMMIT
--
-- This file has the list and its loop, builtin_oltp_parts.lua the ids and the statements.  What is done once (checks
-- of the options, the engine of the table, tables, the lines before a run) is in builtin_oltp_main.lua, which the main
-- state loads at the first use.

local ffi = require("ffi")
local C = ffi.C

ffi.cdef("int usleep(unsigned microseconds);")

local options = {
   oltp_test_mode = {"What an event does: simple, complex, nontrx or sp", "complex"},
   oltp_reconnect_mode = {"Connect anew never (session), or after each transaction, query, or at random", "session"},
   oltp_sp_name = {"Stored procedure that the mode sp calls", ""},
   oltp_read_only = {"Transactions without write statements", false},
   oltp_write_only = {"Transactions without SELECT statements", false},
   oltp_skip_trx = {"Omit BEGIN and COMMIT: each statement is its own transaction", false},
   oltp_range_selects = {"Run the four kinds of range SELECT", true},
   oltp_range_size = {"Number of ids that a range SELECT covers", 100},
   oltp_point_selects = {"Point SELECT statements per transaction", 10},
   oltp_simple_ranges = {"Simple range SELECT statements per transaction", 1},
   oltp_sum_ranges = {"SELECT SUM() statements per transaction", 1},
   oltp_order_ranges = {"SELECT ... ORDER BY statements per transaction", 1},
   oltp_distinct_ranges = {"SELECT DISTINCT statements per transaction", 1},
   oltp_index_updates = {"UPDATE statements on the indexed column per transaction", 1},
   oltp_non_index_updates = {"UPDATE statements on a column without index per transaction", 1},
   oltp_delete_inserts = {"Pairs of DELETE and INSERT per transaction", 1},
   oltp_nontrx_mode = {"Statement of the mode nontrx: select, update_key, update_nokey, insert or delete", "select"},
   oltp_auto_inc = {"Let the server assign the ids", true},
   oltp_secondary = {"Give id an ordinary index instead of the PRIMARY KEY (with --oltp-auto-inc=off)", false},
   oltp_connect_delay = {"Wait this many microseconds after each connect", 10000},
   oltp_user_delay_min = {"Shortest wait before a statement, in microseconds", 0},
   oltp_user_delay_max = {"Longest wait before a statement, in microseconds", 0},
   oltp_table_name = {"Name of the table", "sbtest"},
   oltp_table_size = {"Rows of the table", 10000},
   oltp_dist_type = {"Distribution of the ids: uniform, gaussian or special", "special"},
   oltp_dist_iter = {"Draws of which a gaussian id is the mean", 12},
   oltp_dist_pct = {"Percentage of the ids that special treats as hot", 1},
   oltp_dist_res = {"Percentage of accesses to the hot ids", 75},
   oltp_point_select_mysql_handler = {"Read single rows by HANDLER (MySQL)", false},
   oltp_point_select_all_cols = {"Point SELECTs of all four columns", false},
   oltp_num_tables = {"Number of tables, of which a thread uses one", 1},
   oltp_num_partitions = {"No effect", 0},
   oltp_avoid_deadlocks = {"No effect", false},
   oltp_use_in_statement = {"No effect", 0},
   oltp_use_filter = {"No effect", false},
   oltp_use_range = {"No effect", false},
   oltp_use_ndb_disk_data = {"No effect", false},
   oltp_table_comment_string = {"COMMENT of the tables (MySQL)", ""},
}

-- 0.4 knew them by names with dashes, which is how its help listed them.
sysbench.cmdline.options = {}
for name, option in pairs(options) do
   sysbench.cmdline.options[(name:gsub("_", "-"))] = option
end

function prepare()
   sysbench.builtin_oltp.prepare()
end

function cleanup()
   sysbench.builtin_oltp.cleanup()
end

function init()
   sysbench.builtin_oltp.init()
end

function sysbench.hooks.print_header()
   sysbench.builtin_oltp.print_header()
end

local OTHER = C.SB_CNT_OTHER
local parts = sysbench.builtin_oltp_parts

-- A connection -------------------------------------------------------------------------------------

local con, defs
local statements = {} -- name = {its parameters, stmt = the prepared statement}

-- All of them, used or not, each time a client has connected.
local function prepare_all()
   for _, def in ipairs(defs) do
      local name, counter, text = unpack(def, 1, 3)
      local stmt = con:prepare(text)
      local s = statements[name] or {}

      for i = 4, #def do
         s[i - 3] = s[i - 3] or stmt:bind_create(unpack(def[i]))
      end
      if #s > 0 and stmt:bind_param(unpack(s)) ~= 0 then
         error("SQL API error", 0)
      end
      C.db_count_as(stmt, counter)
      sysbench.sql.name(stmt, name)
      s.stmt = stmt
      statements[name] = s
   end
end

local function close_all()
   for _, s in pairs(statements) do
      s.stmt:close()
   end
end

local function open_handler(tid)
   if sysbench.opt.oltp_point_select_mysql_handler then
      con:query("HANDLER " .. parts.table_of(tid) .. " OPEN")
   end
end

local function set_up(tid)
   if sysbench.opt.oltp_connect_delay > 0 then
      C.usleep(sysbench.opt.oltp_connect_delay)
   end
   open_handler(tid)
   prepare_all()
end

local function reconnect()
   close_all()
   if not con:reconnect() then
      error({reported = true}, 0) -- the driver has said why
   end
   C.sb_counter_inc(sysbench.tid, OTHER)
   set_up(sysbench.tid)
end

-- The list -----------------------------------------------------------------------------------------

-- How the parameters of a statement are drawn: step[1], step[2] ...
local draw = {}
local pick -- returns an id from 1 to the size of the table

function draw.id(step)
   step[1] = pick()
end

-- The id of the step before, which the group of DELETE and INSERT shares.
function draw.same_id(step)
   step[1] = step.before[1]
end

function draw.range(step)
   local size, rows, first = sysbench.opt.oltp_range_size, sysbench.opt.oltp_table_size, pick()

   if first + size > rows then
      first = math.max(1, rows - size)
   end
   step[1], step[2] = first, first + size - 1
end

-- One row more than the others.
function draw.wide_range(step)
   draw.range(step)
   step[2] = step[2] + 1
end

function draw.text_and_id(step)
   step[1], step[2] = parts.random_text(), pick()
end

function draw.unique_id(step)
   step[1] = C.sb_rand_step(1, sysbench.opt.oltp_table_size)
end

function draw.row(step)
   step[1], step[2], step[3], step[4] = C.sb_rand_step(1, sysbench.opt.oltp_table_size), 0, " ", parts.pad
end

-- Without an id, or with NULL for it (nil): the server assigns one.
function draw.row_of_server(step)
   local first = #step.statement - 3

   step[first + 1], step[first + 2], step[first + 3] = 0, " ", parts.pad
end

function draw.thread(step)
   step[1], step[2] = sysbench.tid, sysbench.opt.threads
end

function draw.nothing()
end

local steps = {}

-- transaction: BEGIN or COMMIT, before which nobody thinks.  last: no new connection after it in mode query.
local function add(times, name, how, flags)
   for _ = 1, times do
      steps[#steps + 1] = {
         statement = statements[name], draw = how, parameters = #statements[name], before = steps[#steps],
         thinks = not (flags and flags.transaction), reconnects = not flags,
      }
   end
end

local function add_reads()
   local o = sysbench.opt

   add(o.oltp_point_selects, "point", draw.id)
   if o.oltp_range_selects then
      add(o.oltp_simple_ranges, "range", draw.range)
      add(o.oltp_sum_ranges, "sum", draw.range)
      add(o.oltp_order_ranges, "order", draw.range)
      add(o.oltp_distinct_ranges, "distinct", draw.wide_range)
   end
end

local function add_writes()
   local o, last = sysbench.opt, {last = true}

   add(o.oltp_index_updates, "index_update", draw.id)
   add(o.oltp_non_index_updates, "non_index_update", draw.text_and_id)
   for _ = 1, o.oltp_delete_inserts do
      add(1, "index_update", draw.id, last)
      add(1, "delete", draw.same_id, last)
      add(1, "insert", draw.same_id, last)
   end
end

local make = {}

function make.complex()
   local o, transaction = sysbench.opt, {transaction = true}
   local brackets = o.oltp_skip_trx and 0 or 1

   add(brackets, "begin", draw.nothing, transaction)
   if not o.oltp_write_only then
      add_reads()
   end
   if not o.oltp_read_only then
      add_writes()
   end
   add(brackets, "commit", draw.nothing, transaction)
end

function make.simple()
   add(1, "point", draw.id)
end

function make.nontrx()
   local mode, last = sysbench.opt.oltp_nontrx_mode, {last = true}

   if mode == "select" then
      add(1, "select", draw.id)
   elseif mode == "update_key" then
      add(1, "index_update", draw.id)
   elseif mode == "update_nokey" then
      add(1, "non_index_update", draw.text_and_id)
   elseif mode == "delete" then
      add(1, "delete", draw.unique_id, last)
   else
      add(1, "insert", sysbench.opt.oltp_auto_inc and draw.row_of_server or draw.row, last)
   end
end

function make.sp()
   add(1, "call", draw.thread, {last = true})
end

-- A client -----------------------------------------------------------------------------------------

local function connected(drv)
   local ok, new = pcall(drv.connect, drv)

   return ok and new or sysbench.builtin_oltp.refuse("failed to connect to database server!")
end

local function begin_client(tid)
   local drv = sysbench.sql.driver()
   local on_mysql = drv:name() == "mysql"
   local manners = on_mysql and C.DB_KEEP_TRANSACTION or 0

   if sysbench.opt.db_driver == "drizzle" then
      manners = manners + C.DB_NO_PREPARE
   end
   pick = parts.ids[sysbench.opt.oltp_dist_type](sysbench.opt.oltp_table_size)
   con = connected(drv)
   C.db_set_manners(con, manners)
   defs = parts.definitions(parts.table_of(tid), on_mysql)
   set_up(tid)
   make[sysbench.opt.oltp_test_mode]()
end

-- 0.4 ends with one line, after that of the driver.
local in_old_words = ffi.string(C.sb_generation()):sub(1, 3) == "0.4"

function thread_init(tid)
   local ok, why = pcall(begin_client, tid)

   if not ok and in_old_words and type(why) == "string" then
      sysbench.builtin_oltp.refuse("database error, exiting...")
   elseif not ok then
      error(why, 0)
   end
end

function thread_done()
   close_all()
   con:disconnect()
end

-- --oltp-user-delay-*: [min, max)
local function think()
   local min, max = sysbench.opt.oltp_user_delay_min, sysbench.opt.oltp_user_delay_max

   if max > 0 then
      C.usleep(max > min and sysbench.rand.uniform(min, max - 1) or min)
   end
end

local function send(reconnects)
   for i = 1, #steps do
      local step = steps[i]
      local s = step.statement

      if step.thinks then
         think()
      end
      for j = 1, step.parameters do
         s[j]:set(step[j])
      end
      if s.stmt:execute() == nil and s == statements.call then
         sysbench.builtin_oltp.refuse("the stored procedure '%s' returned no result set", sysbench.opt.oltp_sp_name)
      end
      if reconnects and step.reconnects then
         reconnect()
      end
   end
end

local again = false -- the event is sent once more
local reconnect_mode
local random_modes = {"session", "query", "transaction"}

-- Errors after which the connection is a new one, which knows the prepared statements but no open HANDLER.
local lost = {[1053] = true, [1927] = true, [2006] = true, [2011] = true, [2013] = true, [2055] = true, [4031] = true}

function sysbench.hooks.before_restart_event(err)
   again = true
   if lost[err.sql_errno] then
      open_handler(sysbench.tid)
   end
end

local function draw_all()
   for i = 1, #steps do
      steps[i].draw(steps[i])
   end
   reconnect_mode = sysbench.opt.oltp_reconnect_mode
   if reconnect_mode == "random" then
      reconnect_mode = random_modes[sysbench.rand.uniform(1, 3)]
   end
end

function event()
   if not again then
      draw_all()
   end
   again = false
   send(reconnect_mode == "query")
   if reconnect_mode == "transaction" then
      reconnect()
   end
end

if in_old_words then
   function sysbench.hooks.sql_error_ignorable()
      sysbench.builtin_oltp.refuse("database error, exiting...")
   end
end
