-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A wholesaler in the shape of TPC-C: warehouses with districts, customers who order, pay and ask,
-- deliveries, stock counts.  Ten tables a set; each thread of a parallel prepare fills whole sets.  It
-- uses names of the program that it has not declared (sb_counter_type, ffi.C.SB_CNT_*) and declares
-- functions over them, as such workloads do.
--
--    sysbench wholesale.lua --sets=2 --threads=2 prepare
--    sysbench wholesale.lua --sets=2 --threads=8 run
--    sysbench wholesale.lua --sets=2 check

ffi.cdef [[
void sb_counter_inc(int, sb_counter_type);
]]

sysbench.cmdline.options = {
   sets = {"sets of the ten tables", 1},
   warehouses = {"warehouses in each set", 1},
   districts = {"districts of a warehouse", 3},
   customers = {"customers of a district", 10},
   items = {"items on offer", 30},
   for_update = {"lock the rows that will be changed", nil, sysbench.cmdline.ARG_BOOL},
   carriers = {"who delivers", "north,south,air", sysbench.cmdline.ARG_LIST},
}

local tables = {
   {"item", "i_id INT NOT NULL, i_name VARCHAR(24), i_price DECIMAL(7,2), PRIMARY KEY (i_id)"},
   {"carrier", [[ca_id INT NOT NULL, ca_name VARCHAR(16), ca_delivered INT NOT NULL,
      PRIMARY KEY (ca_id)]]},
   {"warehouse", [[w_id INT NOT NULL, w_name VARCHAR(10), w_tax DECIMAL(4,4), w_ytd DECIMAL(12,2),
      PRIMARY KEY (w_id)]]},
   {"district", [[d_w_id INT NOT NULL, d_id INT NOT NULL, d_tax DECIMAL(4,4), d_ytd DECIMAL(12,2),
      d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id)]]},
   {"customer", [[c_w_id INT NOT NULL, c_d_id INT NOT NULL, c_id INT NOT NULL, c_last VARCHAR(16),
      c_credit CHAR(2), c_balance DECIMAL(12,2), c_payments INT, c_data VARCHAR(120),
      PRIMARY KEY (c_w_id, c_d_id, c_id)]]},
   {"history", [[h_w_id INT NOT NULL, h_d_id INT NOT NULL, h_c_id INT NOT NULL,
      h_amount DECIMAL(6,2)]]},
   {"orders", [[o_w_id INT NOT NULL, o_d_id INT NOT NULL, o_id INT NOT NULL, o_c_id INT,
      o_carrier_id INT, o_ol_cnt INT, PRIMARY KEY (o_w_id, o_d_id, o_id)]]},
   {"new_orders", [[no_w_id INT NOT NULL, no_d_id INT NOT NULL, no_o_id INT NOT NULL,
      PRIMARY KEY (no_w_id, no_d_id, no_o_id)]]},
   {"order_line", [[ol_w_id INT NOT NULL, ol_d_id INT NOT NULL, ol_o_id INT NOT NULL,
      ol_number INT NOT NULL, ol_i_id INT, ol_quantity INT, ol_amount DECIMAL(8,2),
      PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)]]},
   {"stock", [[s_w_id INT NOT NULL, s_i_id INT NOT NULL, s_quantity INT, s_ytd INT, s_order_cnt INT,
      PRIMARY KEY (s_w_id, s_i_id)]]},
}

local rand = sysbench.rand

local function connect()
   return sysbench.sql.driver():connect()
end

-- Loading ------------------------------------------------------------------------------------------

local function create(con, set)
   for _, t in ipairs(tables) do
      con:query(string.format("CREATE TABLE %s%d (%s)", t[1], set, t[2]))
   end
end

local function fill(con, name, set, rows)
   con:bulk_insert_init(string.format("INSERT INTO %s%d VALUES", name, set))
   rows(function(...)
      con:bulk_insert_next("(" .. string.format(...) .. ")")
   end)
   con:bulk_insert_done()
end

local function each_district(f)
   for w = 1, sysbench.opt.warehouses do
      for d = 1, sysbench.opt.districts do
         f(w, d)
      end
   end
end

local function load_set(con, set)
   local opt = sysbench.opt

   fill(con, "item", set, function(row)
      for i = 1, opt.items do
         row("%d, '%s', %d.%02d", i, rand.string("@@@@@@-####"), rand.uniform(1, 99),
             rand.uniform(0, 99))
      end
   end)
   fill(con, "carrier", set, function(row)
      for i, name in ipairs(opt.carriers) do
         row("%d, '%s', 0", i, name)
      end
   end)
   fill(con, "warehouse", set, function(row)
      for w = 1, opt.warehouses do
         row("%d, '%s', 0.%04d, 0", w, rand.string("@@@@@@@@"), rand.uniform(0, 2000))
      end
   end)
   fill(con, "district", set, function(row)
      each_district(function(w, d) row("%d, %d, 0.%04d, 0, 1", w, d, rand.uniform(0, 2000)) end)
   end)
   fill(con, "customer", set, function(row)
      each_district(function(w, d)
         for c = 1, opt.customers do
            row("%d, %d, %d, '%s', '%s', 0, 0, '%s'", w, d, c, rand.string("@@@@@@@@"),
                rand.uniform(1, 10) == 1 and "BC" or "GC", rand.string(("@"):rep(40)))
         end
      end)
   end)
   fill(con, "stock", set, function(row)
      for w = 1, opt.warehouses do
         for i = 1, opt.items do
            row("%d, %d, %d, 0, 0", w, i, rand.uniform(10, 100))
         end
      end
   end)
end

-- Thread 0 of n loads sets 1, n + 1, ..., thread 1 sets 2, n + 2, ...
local function prepare()
   local con = connect()

   for set = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.sets, sysbench.opt.threads do
      create(con, set)
      load_set(con, set)
      print("set " .. set .. " is loaded")
   end
   con:disconnect()
end

local function drop()
   local con = connect()

   for set = 1, sysbench.opt.sets do
      for i = #tables, 1, -1 do
         con:query(string.format("DROP TABLE IF EXISTS %s%d", tables[i][1], set))
      end
   end
end

-- What must hold after any number of transactions ----------------------------------------------------

local conditions = {
   {"payments by warehouse and by district", "SELECT COALESCE(SUM(w_ytd), 0) FROM warehouse%d",
    "SELECT COALESCE(SUM(d_ytd), 0) FROM district%d"},
   {"payments by district and in the history", "SELECT COALESCE(SUM(d_ytd), 0) FROM district%d",
    "SELECT COALESCE(SUM(h_amount), 0) FROM history%d"},
   {"orders by district and in all", "SELECT SUM(d_next_o_id - 1) FROM district%d",
    "SELECT COUNT(*) FROM orders%d"},
   {"order lines announced and there", "SELECT COALESCE(SUM(o_ol_cnt), 0) FROM orders%d",
    "SELECT COUNT(*) FROM order_line%d"},
   {"orders without a carrier and not delivered",
    "SELECT COUNT(*) FROM orders%d WHERE o_carrier_id IS NULL",
    "SELECT COUNT(*) FROM new_orders%d"},
   {"orders with a carrier and delivered",
    "SELECT COUNT(*) FROM orders%d WHERE o_carrier_id IS NOT NULL",
    "SELECT SUM(ca_delivered) FROM carrier%d"},
   {"goods ordered and taken from stock", "SELECT COALESCE(SUM(ol_quantity), 0) FROM order_line%d",
    "SELECT SUM(s_ytd) FROM stock%d"},
}

local function check()
   local con, wrong = connect(), 0

   for set = 1, sysbench.opt.sets do
      for _, c in ipairs(conditions) do
         local a, b = con:query_row(c[2]:format(set)), con:query_row(c[3]:format(set))
         if tonumber(a) ~= tonumber(b) then
            print(string.format("set %d: %s: %s and %s", set, c[1], a, b))
            wrong = wrong + 1
         end
      end
   end
   print(string.format("%d conditions, %d wrong", #conditions * sysbench.opt.sets, wrong))
   return wrong == 0
end

sysbench.cmdline.commands = {
   prepare = {prepare, sysbench.cmdline.PARALLEL_COMMAND},
   cleanup = {drop},
   check = {check},
}

-- Transactions -----------------------------------------------------------------------------------------

local con, lock, set, tid

local function q(text, ...)
   return con:query(string.format(text, ...))
end

local function row(text, ...)
   return con:query_row(string.format(text, ...))
end

local function district()
   return rand.uniform(1, sysbench.opt.warehouses), rand.uniform(1, sysbench.opt.districts)
end

local function order_line(w, d, o, number, item)
   local price = row("SELECT i_price FROM item%d WHERE i_id = %d", set, item)
   local quantity = rand.uniform(1, 10)

   if not price then
      return false
   end
   row("SELECT s_quantity FROM stock%d WHERE s_w_id = %d AND s_i_id = %d%s", set, w, item, lock)
   q([[UPDATE stock%d SET s_quantity = s_quantity - %d + CASE WHEN s_quantity < %d THEN 91 ELSE 0 END,
      s_ytd = s_ytd + %d, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = %d AND s_i_id = %d]],
     set, quantity, quantity + 10, quantity, w, item)
   q("INSERT INTO order_line%d VALUES (%d, %d, %d, %d, %d, %d, %.2f)", set, w, d, o, number, item,
     quantity, quantity * tonumber(price))
   return true
end

-- Items that no row may be updated in another order than by another client: ascending.
local function choose_items(n)
   local items = {}

   for i = 1, n do
      items[i] = rand.uniform(1, sysbench.opt.items)
   end
   table.sort(items)
   for i = n, 2, -1 do
      if items[i] == items[i - 1] then
         table.remove(items, i)
      end
   end
   return items
end

-- One in fifty asks for an item that there is not, and is taken back.
local function new_order()
   local w, d = district()
   local items = choose_items(rand.uniform(5, 15))

   if rand.uniform(1, 50) == 1 then
      items[#items + 1] = sysbench.opt.items + 1
   end
   local o = tonumber((row("SELECT d_next_o_id FROM district%d WHERE d_w_id = %d AND d_id = %d%s",
                           set, w, d, lock)))
   q("UPDATE district%d SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = %d AND d_id = %d", set, w,
     d)
   q("INSERT INTO orders%d VALUES (%d, %d, %d, %d, NULL, %d)", set, w, d, o,
     rand.uniform(1, sysbench.opt.customers), #items)
   q("INSERT INTO new_orders%d VALUES (%d, %d, %d)", set, w, d, o)
   for number, item in ipairs(items) do
      if not order_line(w, d, o, number, item) then
         return false
      end
   end
   return true
end

local function payment()
   local w, d = district()
   local c, amount = rand.default(1, sysbench.opt.customers), rand.uniform(1, 5000)

   q("UPDATE warehouse%d SET w_ytd = w_ytd + %d WHERE w_id = %d", set, amount, w)
   q("UPDATE district%d SET d_ytd = d_ytd + %d WHERE d_w_id = %d AND d_id = %d", set, amount, w, d)
   q("UPDATE customer%d SET c_balance = c_balance - %d, c_payments = c_payments + 1 " ..
     "WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", set, amount, w, d, c)
   if row("SELECT c_credit FROM customer%d WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", set, w,
          d, c) == "BC" then
      q("UPDATE customer%d SET c_data = '%s' WHERE c_w_id = %d AND c_d_id = %d AND c_id = %d", set,
        rand.string("bad credit ####"), w, d, c)
   end
   q("INSERT INTO history%d VALUES (%d, %d, %d, %d)", set, w, d, c, amount)
   return true
end

local function order_status()
   local w, d = district()
   local o = row("SELECT MAX(o_id) FROM orders%d WHERE o_w_id = %d AND o_d_id = %d AND o_c_id = %d",
                 set, w, d, rand.uniform(1, sysbench.opt.customers))

   if o then
      local rs = q("SELECT ol_i_id, ol_quantity, ol_amount FROM order_line%d WHERE ol_w_id = %d " ..
                   "AND ol_d_id = %d AND ol_o_id = %d ORDER BY ol_number", set, w, d, o)
      for _ = 1, rs.nrows do
         assert(#rs:fetch_row() == 3)
      end
      rs:free()
   end
   return true
end

local function delivery()
   local w, d = district()
   local carrier = rand.uniform(1, #sysbench.opt.carriers)
   local o = row("SELECT no_o_id FROM new_orders%d WHERE no_w_id = %d AND no_d_id = %d " ..
                 "ORDER BY no_o_id LIMIT 1%s", set, w, d, lock)

   if o then
      q("DELETE FROM new_orders%d WHERE no_w_id = %d AND no_d_id = %d AND no_o_id = %d", set, w, d,
        o)
      q("UPDATE orders%d SET o_carrier_id = %d WHERE o_w_id = %d AND o_d_id = %d AND o_id = %d", set,
        carrier, w, d, o)
      q("UPDATE carrier%d SET ca_delivered = ca_delivered + 1 WHERE ca_id = %d", set, carrier)
   end
   return true
end

local function stock_level()
   local w, d = district()

   row("SELECT COUNT(DISTINCT s_i_id) FROM order_line%d, stock%d WHERE ol_w_id = %d AND " ..
       "ol_d_id = %d AND s_w_id = %d AND s_i_id = ol_i_id AND s_quantity < 20", set, set, w, d, w)
   return true
end

-- In a hundred.
local mix = {{45, new_order}, {43, payment}, {4, order_status}, {4, delivery}, {4, stock_level}}

local function pick()
   local n = rand.uniform(1, 100)

   for _, m in ipairs(mix) do
      n = n - m[1]
      if n <= 0 then
         return m[2]
      end
   end
end

function thread_init(thread_id)
   con, tid = connect(), thread_id
   lock = sysbench.opt.for_update and " FOR UPDATE" or ""
end

function event()
   set = rand.uniform(1, sysbench.opt.sets)
   local transaction = pick()

   con:query("BEGIN")
   if transaction() then
      con:query("COMMIT")
   else
      con:query("ROLLBACK")
      ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_ERROR)
   end
end

function thread_done()
   con:disconnect()
end

-- The next attempt begins with BEGIN, which would end the failed one with its changes.
function sysbench.hooks.before_restart_event()
   con:query("ROLLBACK")
end
