-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What select_random_points and select_random_ranges share: a single table, of whose values 1 ... table_size each
-- thread uses its own part, and one statement whose parameters are drawn from that part.

require("sysbench-tx.common")

local M = {}

local function one_table_only()
   assert(sysbench.opt.tables == 1, "this benchmark does not support --tables > 1")
end

sysbench.cmdline.commands.prepare = {
   function()
      one_table_only()
      cmd_prepare()
   end,
   sysbench.cmdline.PARALLEL_COMMAND,
}

local drop_tables = cleanup

function cleanup()
   one_table_only()
   drop_tables()
end

local low, high

-- Prepares the statement of this client; returns its n parameters.
function M.prepare(query, n)
   local share = sysbench.opt.table_size / sysbench.opt.threads
   local params = {}

   one_table_only()
   low = share * sysbench.tid
   high = low + share
   stmt = con:prepare(query)
   for i = 1, n do
      params[i] = stmt:bind_create(sysbench.sql.type.INT)
   end
   if stmt:bind_param(unpack(params)) ~= 0 then -- as PostgreSQL refuses a statement
      error("SQL API error", 2)
   end
   return params
end

-- As in stock, these scripts themselves end a client: what a user's oltp_common does with tables of statements does not
-- fit a single one.
function close_statements()
   stmt:close()
end

function thread_done()
   close_statements()
   con:disconnect()
end

-- A value of k from this thread's part.
function M.draw()
   return sysbench.rand.default(low, high)
end

return M
