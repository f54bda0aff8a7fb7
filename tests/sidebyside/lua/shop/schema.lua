-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tables of the shop.

local M = {}

M.tables = {"warehouse", "stock", "orders", "order_line"}

function M.create(con)
   con:query([[CREATE TABLE warehouse (w_id INTEGER NOT NULL PRIMARY KEY, w_name VARCHAR(20), w_ytd INTEGER)]])
   con:query([[CREATE TABLE stock (s_w_id INTEGER NOT NULL, s_i_id INTEGER NOT NULL, s_quantity INTEGER,
               PRIMARY KEY (s_w_id, s_i_id))]])
   con:query([[CREATE TABLE orders (o_w_id INTEGER NOT NULL, o_id INTEGER NOT NULL, o_lines INTEGER,
               PRIMARY KEY (o_w_id, o_id))]])
   con:query([[CREATE TABLE order_line (ol_w_id INTEGER NOT NULL, ol_o_id INTEGER NOT NULL,
               ol_number INTEGER NOT NULL, ol_i_id INTEGER, ol_text CHAR(24),
               PRIMARY KEY (ol_w_id, ol_o_id, ol_number))]])
   if sysbench.opt.use_fk then
      con:query("ALTER TABLE stock ADD CONSTRAINT fk_stock FOREIGN KEY (s_w_id) REFERENCES warehouse (w_id)")
   end
end

function M.drop_all()
   local con = sysbench.sql.driver():connect()
   for i = #M.tables, 1, -1 do
      print("Dropping " .. M.tables[i])
      con:query("DROP TABLE IF EXISTS " .. M.tables[i])
   end
end

return M
