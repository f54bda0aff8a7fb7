-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Data of the shop: thread 0 makes the tables, each thread fills its warehouses.

local schema = require("shop.schema")
local M = {}

function M.prepare()
   local con = sysbench.sql.driver():connect()
   if sysbench.tid == 0 then
      schema.create(con)
   end
   for w = sysbench.tid + 1, sysbench.opt.warehouses, sysbench.opt.threads do
      con:query(string.format("INSERT INTO warehouse VALUES (%d, '%s', 0)", w, sysbench.rand.string("w-@@@@")))
      con:bulk_insert_init("INSERT INTO stock (s_w_id, s_i_id, s_quantity) VALUES")
      for i = 1, sysbench.opt.items do
         con:bulk_insert_next(string.format("(%d, %d, %d)", w, i, sysbench.rand.uniform(10, 100)))
      end
      con:bulk_insert_done()
      print("warehouse", w)
   end
   con:disconnect()
end

function M.check()
   local con = sysbench.sql.driver():connect()
   local orders = con:query_row("SELECT COALESCE(SUM(o_lines), 0) FROM orders")
   local lines = con:query_row("SELECT COUNT(*) FROM order_line")
   print("orders have", orders, "lines; there are", lines)
   return orders == lines
end

return M
