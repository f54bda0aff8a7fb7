-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Transactions of the shop, prepared once for each connection.

local M = {}
local stmt, param = {}, {}
local next_order = {}

local function statement(con, name, text, ...)
   stmt[name] = con:prepare(text)
   param[name] = {}
   for i, kind in ipairs{...} do
      local t, length = kind[1], kind[2]
      param[name][i] = stmt[name]:bind_create(sysbench.sql.type[t], length)
   end
   if #param[name] > 0 then
      stmt[name]:bind_param(unpack(param[name]))
   end
end

local function execute(name, ...)
   for i = 1, select("#", ...) do
      param[name][i]:set((select(i, ...)))
   end
   return stmt[name]:execute()
end

function M.prepare(con)
   local int = {"INT"}
   statement(con, "begin", "BEGIN")
   statement(con, "commit", "COMMIT")
   statement(con, "take", "UPDATE stock SET s_quantity = s_quantity - 1 WHERE s_w_id = ? AND s_i_id = ?", int, int)
   statement(con, "order", "INSERT INTO orders VALUES (?, ?, ?)", int, int, int)
   statement(con, "line", "INSERT INTO order_line VALUES (?, ?, ?, ?, ?)", int, int, int, int, {"CHAR", 24})
   statement(con, "pay", "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", int, int)
   statement(con, "low", "SELECT COUNT(*) FROM stock WHERE s_w_id = ? AND s_quantity < ?", int, int)
end

function M.pick()
   local weights, sum = sysbench.opt.mix, 0
   for _, w in ipairs(weights) do
      sum = sum + tonumber(w)
   end
   local at = sysbench.rand.uniform(1, sum)
   for i, name in ipairs{"order", "payment", "stock_level"} do
      at = at - tonumber(weights[i])
      if at <= 0 then
         return name
      end
   end
end

local function warehouse()
   return sysbench.rand.uniform(1, sysbench.opt.warehouses)
end

function M.order(con)
   local w, lines = warehouse(), sysbench.opt.order_lines
   next_order[w] = (next_order[w] or sysbench.tid * 1000000) + 1
   execute("begin")
   execute("order", w, next_order[w], lines)
   for number = 1, lines do
      local item = sysbench.rand.special(1, sysbench.opt.items)
      execute("take", w, item)
      execute("line", w, next_order[w], number, item, sysbench.rand.string("@@@@-####-@@@@"))
   end
   execute("commit")
end

function M.payment(con)
   execute("begin")
   execute("pay", sysbench.rand.uniform(1, 5000), warehouse())
   execute("commit")
end

function M.stock_level(con)
   execute("low", warehouse(), sysbench.rand.gaussian(10, 20)):free()
end

function M.close()
   for _, s in pairs(stmt) do
      s:close()
   end
end

return M
