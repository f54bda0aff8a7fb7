-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An oltp_common.lua with the interface of sysbench 1.0, as users keep changed copies of in their working directory: what
-- that version does not have (check_reconnect, --reconnect, --create-table-options, cmd_warmup) is not here.

function init()
   assert(event, "no event()")
   print("the common module of " .. os.getenv("USER_OF_COMMON"))
end

sysbench.cmdline.options = {
   table_size = {"rows", 10000}, tables = {"tables", 1}, range_size = {"ids of a range", 100},
   point_selects = {"n", 10}, simple_ranges = {"n", 1}, sum_ranges = {"n", 1}, order_ranges = {"n", 1},
   distinct_ranges = {"n", 1}, index_updates = {"n", 1}, non_index_updates = {"n", 1}, delete_inserts = {"n", 1},
   range_selects = {"ranges", true}, auto_inc = {"ids of the server", true}, create_secondary = {"index on k", true},
   secondary = {"no primary key", false}, skip_trx = {"no BEGIN", false}, mysql_storage_engine = {"engine", "innodb"},
   pgsql_variant = {"variant"},
}

local function digits(groups)
   return sysbench.rand.string(("###########-"):rep(groups):sub(1, -2))
end

function get_c_value() return digits(10) end
function get_pad_value() return digits(5) end

local function id() return sysbench.rand.default(1, sysbench.opt.table_size) end

function create_table(drv, con, t)
   local kind = not sysbench.opt.auto_inc and "INTEGER NOT NULL" or
      drv:name() == "pgsql" and "SERIAL" or "INTEGER NOT NULL AUTO_INCREMENT"

   print("My table " .. t)
   con:query(("CREATE TABLE sbtest%d (id %s, k INTEGER, c CHAR(120), pad CHAR(60), PRIMARY KEY (id))"):format(t, kind))
   con:bulk_insert_init("INSERT INTO sbtest" .. t .. " (k, c, pad) VALUES")
   for _ = 1, sysbench.opt.table_size do
      con:bulk_insert_next(("(%d, '%s', '%s')"):format(id(), get_c_value(), get_pad_value()))
   end
   con:bulk_insert_done()
end

local function each_table(f)
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   for t = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      f(drv, con, t)
   end
end

function cmd_prepare() each_table(create_table) end

function cmd_prewarm() each_table(function(_, con, t) con:query("SELECT COUNT(*) FROM sbtest" .. t) end) end

function cleanup()
   local c = sysbench.sql.driver():connect()

   for t = 1, sysbench.opt.tables do
      c:query("DROP TABLE IF EXISTS sbtest" .. t)
   end
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_prewarm, sysbench.cmdline.PARALLEL_COMMAND},
}

local INT, CHAR = sysbench.sql.type.INT, sysbench.sql.type.CHAR
local range = "FROM sbtest%d WHERE id BETWEEN ? AND ?"
local texts = {
   point_selects = {"SELECT c FROM sbtest%d WHERE id=?", INT}, simple_ranges = {"SELECT c " .. range, INT, INT},
   sum_ranges = {"SELECT SUM(k) " .. range, INT, INT}, order_ranges = {"SELECT c " .. range .. " ORDER BY c", INT, INT},
   distinct_ranges = {"SELECT DISTINCT c " .. range .. " ORDER BY c", INT, INT},
   index_updates = {"UPDATE sbtest%d SET k=k+1 WHERE id=?", INT},
   non_index_updates = {"UPDATE sbtest%d SET c=? WHERE id=?", {CHAR, 120}, INT},
   deletes = {"DELETE FROM sbtest%d WHERE id=?", INT},
   inserts = {"INSERT INTO sbtest%d (id, k, c, pad) VALUES (?, ?, ?, ?)", INT, INT, {CHAR, 120}, {CHAR, 60}},
}

function prepare_for_each_table(key)
   for t = 1, sysbench.opt.tables do
      local s = con:prepare(texts[key][1]:format(t))

      stmt[t][key], param[t][key] = s, {}
      for i = 2, #texts[key] do
         local kind = texts[key][i]
         param[t][key][i - 1] = type(kind) == "table" and s:bind_create(kind[1], kind[2]) or s:bind_create(kind)
      end
      s:bind_param(unpack(param[t][key]))
   end
end

for _, key in ipairs({"point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges",
                      "index_updates", "non_index_updates"}) do
   _G["prepare_" .. key] = function() prepare_for_each_table(key) end
   _G["execute_" .. key] = function()
      local t = sysbench.rand.uniform(1, sysbench.opt.tables)
      local p = param[t][key]

      for _ = 1, sysbench.opt[key] do
         local first = id()

         if key == "non_index_updates" then
            p[1]:set(get_c_value())
            p[2]:set(first)
         else
            p[1]:set(first)
            if p[2] then
               p[2]:set(first + sysbench.opt.range_size - 1)
            end
         end
         stmt[t][key]:execute()
      end
   end
end

function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

function execute_delete_inserts()
   local t = sysbench.rand.uniform(1, sysbench.opt.tables)
   local d, i, n = param[t].deletes, param[t].inserts, id()

   d[1]:set(n)
   i[1]:set(n)
   i[2]:set(id())
   i[3]:set(get_c_value())
   i[4]:set(get_pad_value())
   stmt[t].deletes:execute()
   stmt[t].inserts:execute()
end

function prepare_begin() stmt.begin = con:prepare("BEGIN") end
function prepare_commit() stmt.commit = con:prepare("COMMIT") end
function begin() stmt.begin:execute() end
function commit() stmt.commit:execute() end

function close_statements()
   for t = 1, #stmt do
      for _, s in pairs(stmt[t]) do
         s:close()
      end
   end
   for _, s in pairs(stmt) do
      if type(s) ~= "table" then s:close() end
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for t = 1, sysbench.opt.tables do
      stmt[t], param[t] = {}, {}
   end
   prepare_statements()
end

function thread_done()
   close_statements()
   con:disconnect()
end

function sysbench.hooks.before_restart_event()
   close_statements()
   prepare_statements()
end
