-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Turns a mix, a list of parts, into prepare_statements() and event():
--
--    require("sysbench-tx.oltp_mix"){"transaction", "point_selects", "index_updates"}
--
-- One event executes the parts in the order of the list, then check_reconnect().  "transaction" puts BEGIN before
-- them and COMMIT after them, wherever it stands in the list; its place is where both are prepared.  A second argument
-- fixes options, whatever the user says.
--
-- Each part is done by the global functions of oltp_common, looked up at the call: a workload that defines or wraps
-- one of them, or event() itself, gets its own.  Where nobody has, which the program knows by the text of the files,
-- C runs the events (script/mix.h).

local statement_failed = require("sysbench-tx.common").statement_failed

-- The parts, by name: what an event does for each.
local execute = {
   point_selects = function() execute_point_selects() end,
   range_selects = function()
      if sysbench.opt.range_selects then
         execute_simple_ranges()
         execute_sum_ranges()
         execute_order_ranges()
         execute_distinct_ranges()
      end
   end,
   index_updates = function() execute_index_updates() end,
   non_index_updates = function() execute_non_index_updates() end,
   delete_inserts = function() execute_delete_inserts() end,
   deletes = function() -- the row may be gone already
      local t = sysbench.rand.uniform(1, sysbench.opt.tables)

      param[t].deletes[1]:set(sysbench.rand.default(1, sysbench.opt.table_size))
      stmt[t].deletes:execute()
   end,
}

-- And to prepare it.  By name, not _G["prepare_" .. part]: the message about a missing function says which one.
local prepare = {
   transaction = function()
      if not sysbench.opt.skip_trx then
         prepare_begin()
         prepare_commit()
      end
   end,
   point_selects = function() prepare_point_selects() end,
   range_selects = function()
      if sysbench.opt.range_selects then
         prepare_simple_ranges()
         prepare_sum_ranges()
         prepare_order_ranges()
         prepare_distinct_ranges()
      end
   end,
   index_updates = function() prepare_index_updates() end,
   non_index_updates = function() prepare_non_index_updates() end,
   delete_inserts = function() prepare_delete_inserts() end,
   deletes = function() prepare_for_each_table("deletes") end,
}

-- The same for C: where the parameters of each statement come from.  i: an id, =: the same one, l: the last id of its
-- range, c and p: values of these columns.
local params = {
   point_selects = "i", simple_ranges = "il", sum_ranges = "il", order_ranges = "il", distinct_ranges = "il",
   index_updates = "i", non_index_updates = "ci", deletes = "i", inserts = "=icp",
}
local ranges = {"simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"}

-- Tells C what an event consists of, in the words of mix_say() (script/mix.c).
local function say_mix(list, transaction)
   local opt, statements = sysbench.opt, {}
   local mix = {statements = {}, tables = opt.tables, rows = opt.table_size, range_size = opt.range_size}

   local function add(statement)
      statements[#statements + 1] = statement
      mix.statements[#statements] = tonumber(ffi.cast("uintptr_t", ffi.cast("void *", statement)))
   end

   local function add_part(times, first, second)
      mix[#mix + 1] = {times, params[first], params[second], first = #statements + 1}
      for t = 1, opt.tables do
         add(stmt[t][first])
         if second then
            add(stmt[t][second])
         end
      end
   end

   local function add_once(statement)
      mix[#mix + 1] = {1, first = #statements + 1}
      add(statement)
   end

   if transaction then
      add_once(stmt.begin)
   end
   for _, part in ipairs(list) do
      if part == "range_selects" then
         for _, key in ipairs(opt.range_selects and ranges or {}) do
            add_part(opt[key], key)
         end
      elseif part == "delete_inserts" then
         add_part(opt.delete_inserts, "deletes", "inserts")
      elseif part ~= "transaction" then
         add_part(opt[part] or 1, part)
      end
   end
   if transaction then
      add_once(stmt.commit)
   end
   function mix.failed(i)
      statement_failed(statements[i])
   end
   sysbench.mix(mix)
end

-- May C run the events?  Not in sysbench 1.0, which finds these files when it is started beside them.
local function asks_c()
   local opt = sysbench.opt

   return sysbench.tx_version and opt.reconnect == 0 and opt.db_ps_prepare ~= "lazy" and not opt.debug
end

-- The most parts that execute something.
local MOST = 6

return function(list, fixed)
   local transaction, executed = false, {}

   for _, part in ipairs(list) do
      if part == "transaction" then
         transaction = true
      else
         executed[#executed + 1] = execute[part] or error("no such part of a mix: " .. tostring(part), 2)
      end
   end
   assert(#executed <= MOST, "too many parts in a mix")
   -- upvalues, not a table to loop over: compiled code knows each
   local first, second, third, fourth, fifth, sixth = unpack(executed)

   function prepare_statements()
      for name, value in pairs(fixed or {}) do
         sysbench.opt[name] = value
      end
      local in_c = asks_c()
      if in_c then
         sysbench.mix(nil) -- until all statements are there
      end
      for _, part in ipairs(list) do
         prepare[part]()
      end
      if in_c then
         say_mix(list, transaction and not sysbench.opt.skip_trx)
      end
   end

   function event()
      if transaction and not sysbench.opt.skip_trx then
         begin()
      end
      first()
      if second then second() end
      if third then third() end
      if fourth then fourth() end
      if fifth then fifth() end
      if sixth then sixth() end
      if transaction and not sysbench.opt.skip_trx then -- read again: a part may have changed it
         commit()
      end
      check_reconnect()
   end
end
