#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What the OLTP workloads share: options, tables, prepared statements and the pieces that events are made of.
-- A workload requires this module, defines prepare_statements() and event(), and builds its event from the
-- execute_*() functions below; for a list of parts, sysbench-tx.oltp_mix does so.  Other people's workloads use the
-- global names, and bring changed copies of sysbench 1.0's module: no other file of ours relies on more than that has.
--
-- One table: id (key), k (indexed integer), c and pad (digits).  A statement kind picks its table
-- once per event, and each execution its row: sysbench.rand.default(1, table_size).

function init()
   assert(event ~= nil,
          "this script is meant to be included by other OLTP scripts and should not be called directly.")
end

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, prewarm, run, cleanup, help", 0)
end

sysbench.cmdline.options = {
   table_size = {"Rows per table", 10000},
   tables = {"Number of tables", 1},
   range_size = {"Number of ids that a range SELECT covers", 100},
   point_selects = {"Point SELECT statements per transaction", 10},
   simple_ranges = {"Simple range SELECT statements per transaction", 1},
   sum_ranges = {"SELECT SUM() statements per transaction", 1},
   order_ranges = {"SELECT ... ORDER BY statements per transaction", 1},
   distinct_ranges = {"SELECT DISTINCT statements per transaction", 1},
   index_updates = {"UPDATE statements on the indexed column per transaction", 1},
   non_index_updates = {"UPDATE statements on a column without index per transaction", 1},
   delete_inserts = {"Pairs of DELETE and INSERT per transaction", 1},
   range_selects = {"Run the four kinds of range SELECT", true},
   auto_inc = {"Let the server assign the ids (AUTO_INCREMENT, SERIAL); off: the client does", true},
   create_secondary = {"Create the index on k", true},
   secondary = {"Give id an ordinary index instead of the PRIMARY KEY", false},
   skip_trx = {"Omit BEGIN and COMMIT: each statement is its own transaction", false},
   reconnect = {"Reconnect after every N events of a client, 0 = never", 0},
   mysql_storage_engine = {"Storage engine of the tables, on MySQL", "innodb"},
   create_table_options = {"Text to append to CREATE TABLE", ""},
   pgsql_variant = {"Variant of PostgreSQL: 'redshift' (no index on k, no DELETE and INSERT pairs)"},
}

-- Values of the columns ------------------------------------------------------------------------

-- ten groups of eleven digits, 119 characters
local c_value_template = "###########-###########-###########-###########-###########-" ..
   "###########-###########-###########-###########-###########"

-- five groups of eleven digits, 59 characters
local pad_value_template = "###########-###########-###########-###########-###########"

function get_c_value()
   return sysbench.rand.string(c_value_template)
end

function get_pad_value()
   return sysbench.rand.string(pad_value_template)
end

local function get_table_num()
   return sysbench.rand.uniform(1, sysbench.opt.tables)
end

local function get_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

-- Tables ---------------------------------------------------------------------------------------

-- oltp_tables creates and drops tables.  The clients of a run do not load it.
local function tables()
   return require("sysbench-tx.oltp_tables")
end

function create_table(drv, con, table_num)
   return tables().create_table(drv, con, table_num)
end

-- Nothing that makes the tables' rows is the workload's own, so they may be made in C.
local ours = {create_table, get_c_value, get_pad_value, sysbench.rand.default, sysbench.rand.string}

local function table_is_ours()
   return create_table == ours[1]
end

local function rows_are_ours()
   return table_is_ours() and get_c_value == ours[2] and get_pad_value == ours[3] and
      sysbench.rand.default == ours[4] and sysbench.rand.string == ours[5]
end

-- Commands -------------------------------------------------------------------------------------

function cmd_prepare()
   tables().prepare(rows_are_ours(), table_is_ours())
end

function cmd_prewarm()
   tables().read("prewarm", "Prewarming table ")
end

function cmd_warmup()
   tables().read("warmup", "Preloading table ")
end

function cleanup()
   tables().cleanup()
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_prewarm, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
}

-- Statements -----------------------------------------------------------------------------------

local INT = sysbench.sql.type.INT
local CHAR = sysbench.sql.type.CHAR

-- key = {text, types of the parameters: a type, or a type and the longest value}
local stmt_defs = {
   point_selects = {"SELECT c FROM sbtest%u WHERE id=?", INT},
   simple_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   sum_ranges = {"SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?", INT, INT},
   order_ranges = {"SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   distinct_ranges = {"SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", INT, INT},
   index_updates = {"UPDATE sbtest%u SET k=k+1 WHERE id=?", INT},
   non_index_updates = {"UPDATE sbtest%u SET c=? WHERE id=?", {CHAR, 120}, INT},
   deletes = {"DELETE FROM sbtest%u WHERE id=?", INT},
   inserts = {"INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)",
              INT, INT, {CHAR, 120}, {CHAR, 60}},
}

local function prepare_for_table(t, key)
   local def = stmt_defs[key]
   local s = con:prepare(string.format(def[1], t))
   local params = {}

   for i = 2, #def do
      local kind = def[i]
      params[i - 1] = type(kind) == "table" and s:bind_create(kind[1], kind[2]) or s:bind_create(kind)
   end
   if sysbench.sql.name then -- not in sysbench 1.0, which finds these files when it is started beside them
      sysbench.sql.name(s, key) -- one name, whatever the table
   end
   -- PostgreSQL sees a statement when its parameters are bound.  One that it refuses ends the client here, as MySQL's
   -- refusal does when the statement is prepared.
   if #params > 0 and s:bind_param(unpack(params)) ~= 0 then
      error("SQL API error", 2)
   end
   stmt[t][key] = s
   param[t][key] = params
end

-- --db-ps-mode=prepare=lazy: a client has the statements of a table once it uses them, so that hundreds of tables cost
-- thousands of clients little.  `wanted` has the keys of the statements that come into being so.
local function lazy()
   return sysbench.opt.db_ps_prepare == "lazy"
end

local wanted = {}

local function add_table(t)
   local when_used = {__index = function(statements, key)
      if wanted[key] then
         prepare_for_table(t, key)
         return rawget(statements, key)
      end
   end}

   stmt[t], param[t] = setmetatable({}, when_used), setmetatable({}, when_used)
end

local by_table = {__index = function(tables_of, t)
   if type(t) == "number" then
      add_table(t)
      return rawget(tables_of, t)
   end
end}

local function forget_statements(key)
   for t, of_table in pairs(stmt) do
      if type(t) == "number" then
         of_table[key], param[t][key] = nil, nil
      end
   end
end

local by_id = false -- there is a statement that finds rows by their id

-- Prepares one statement of stmt_defs for each table: stmt[table][key], param[table][key][i].
function prepare_for_each_table(key)
   by_id = true
   if lazy() then
      forget_statements(key)
      wanted[key] = true
      return
   end
   for t = 1, sysbench.opt.tables do
      prepare_for_table(t, key)
   end
end

function prepare_point_selects()
   prepare_for_each_table("point_selects")
end

function prepare_simple_ranges()
   prepare_for_each_table("simple_ranges")
end

function prepare_sum_ranges()
   prepare_for_each_table("sum_ranges")
end

function prepare_order_ranges()
   prepare_for_each_table("order_ranges")
end

function prepare_distinct_ranges()
   prepare_for_each_table("distinct_ranges")
end

function prepare_index_updates()
   prepare_for_each_table("index_updates")
end

function prepare_non_index_updates()
   prepare_for_each_table("non_index_updates")
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

function prepare_begin()
   stmt.begin = con:prepare("BEGIN")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

-- Closes a statement or a table of them, tables within included.
local function close_all(s)
   if type(s) == "table" then
      for _, inner in pairs(s) do
         close_all(inner)
      end
   elseif s ~= nil then
      s:close()
   end
end

function close_statements()
   close_all(stmt)
end

-- Life of a client -----------------------------------------------------------------------------

local function empty_tables()
   stmt, param = {}, {}
   if lazy() then
      setmetatable(stmt, by_table)
      setmetatable(param, by_table)
      return
   end
   for t = 1, sysbench.opt.tables do
      stmt[t], param[t] = {}, {}
   end
end

local FIRST = 16

local function with_commas(n)
   return (string.format("%d", n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", ""))
end

-- Whether the tables have the ids that will be drawn.  One query about the first tables and the last one, which does
-- without reading rows; where one of them is missing or may not be read, that is another statement's error.
local function check_sizes()
   local rows, queries, small = sysbench.opt.table_size, {}, {}

   for t = 1, sysbench.opt.tables do
      if t <= FIRST or t == sysbench.opt.tables then
         queries[#queries + 1] = string.format("SELECT %d, MAX(id) FROM sbtest%d", t, t)
      end
   end

   local query = table.concat(queries, " UNION ALL ")
   local answer = ffi.C.db_peek(con, query, #query)

   if answer == nil and con.sql_errmsg ~= nil then
      io.stderr:write("NOTE: the tables were not compared with --table-size: ", ffi.string(con.sql_errmsg), "\n")
   end
   for _ = 1, answer ~= nil and tonumber(answer.nrows) or 0 do
      local t, last = unpack(answer:fetch_row(), 1, 2)

      if tonumber(last or 0) < 0.99 * rows then -- a few of the last may have been deleted
         small[#small + 1] = {tonumber(t), tonumber(last or 0)}
      end
   end
   if #small > 0 then
      io.stderr:write(string.format(
         "WARNING: sbtest%d has ids up to %s, --table-size is %s: statements about higher ids find no row%s\n",
         small[1][1], with_commas(small[1][2]), with_commas(rows),
         #queries == 1 and "" or string.format(" (so in %d of %d tables checked)", #small, #queries)))
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()

   if (sysbench.opt.pgsql_variant or "") ~= "" and tables().redshift(drv) then
      sysbench.opt.delete_inserts = 0
   end
   empty_tables()
   prepare_statements()
   if sysbench.tid == 0 and table_is_ours() and (by_id or type(stmt) ~= "table") and -- of select_random_*: one statement
      not sysbench.opt.secondary and (sysbench.opt.pgsql_variant or "") == "" then
      pcall(check_sizes) -- a script's own connection or sysbench 1.0, which finds these files: nothing is said
   end
end

function thread_done()
   close_statements()
   con:disconnect()
end

local events_since_connect = 0

-- At the end of an event: --reconnect.
function check_reconnect()
   local limit = sysbench.opt.reconnect or 0

   if limit > 0 then
      events_since_connect = events_since_connect + 1
      if events_since_connect >= limit then
         close_statements()
         con:reconnect()
         prepare_statements()
         events_since_connect = 0
      end
   end
end

-- Client error numbers of a lost connection; a new one has replaced it by now.
local connection_lost = {[2006] = true, [2011] = true, [2013] = true, [2055] = true}

function sysbench.hooks.before_restart_event(err)
   if connection_lost[err.sql_errno] then
      close_statements()
      prepare_statements()
   end
end

-- Parts of an event ----------------------------------------------------------------------------

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

function execute_point_selects()
   local t = get_table_num()
   local s, p = stmt[t].point_selects, param[t].point_selects

   for _ = 1, sysbench.opt.point_selects do
      p[1]:set(get_id())
      s:execute()
   end
end

local function execute_ranges(key)
   local t = get_table_num()
   local s, p = stmt[t][key], param[t][key]

   for _ = 1, sysbench.opt[key] do
      local id = get_id()

      p[1]:set(id)
      p[2]:set(id + sysbench.opt.range_size - 1)
      s:execute()
   end
end

function execute_simple_ranges()
   execute_ranges("simple_ranges")
end

function execute_sum_ranges()
   execute_ranges("sum_ranges")
end

function execute_order_ranges()
   execute_ranges("order_ranges")
end

function execute_distinct_ranges()
   execute_ranges("distinct_ranges")
end

function execute_index_updates()
   local t = get_table_num()
   local s, p = stmt[t].index_updates, param[t].index_updates

   for _ = 1, sysbench.opt.index_updates do
      p[1]:set(get_id())
      s:execute()
   end
end

function execute_non_index_updates()
   local t = get_table_num()
   local s, p = stmt[t].non_index_updates, param[t].non_index_updates

   for _ = 1, sysbench.opt.non_index_updates do
      p[1]:set_rand_str(c_value_template)
      p[2]:set(get_id())
      s:execute()
   end
end

-- Inserts the deleted row again with other values.
function execute_delete_inserts()
   local t = get_table_num()
   local deletes, inserts = stmt[t].deletes, stmt[t].inserts
   local d, i = param[t].deletes, param[t].inserts

   for _ = 1, sysbench.opt.delete_inserts do
      local id = get_id()
      local k = get_id()

      d[1]:set(id)
      i[1]:set(id)
      i[2]:set(k)
      i[3]:set_rand_str(c_value_template)
      i[4]:set_rand_str(pad_value_template)
      deletes:execute()
      inserts:execute()
   end
end

-- Where C executes the statements (sysbench-tx.oltp_mix): raises what the execute() of one that has failed would have.
local function statement_failed(s)
   s.connection:check_error(nil, "<prepared statement>")
end

return {statement_failed = statement_failed}
