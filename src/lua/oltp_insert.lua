#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one INSERT, as plain text, into one of the tables.  With --auto-inc=off the client numbers the
-- rows (sysbench.rand.unique), so `prepare` then makes empty tables.

require("sysbench-tx.common")

sysbench.cmdline.commands.prepare = {
   function()
      if not sysbench.opt.auto_inc then
         sysbench.opt.table_size = 0
      end
      cmd_prepare()
   end,
   sysbench.cmdline.PARALLEL_COMMAND,
}

function prepare_statements()
   if sysbench.sql.name then -- not in sysbench 1.0, which finds these files when it is started beside them
      sysbench.sql.name(con, "inserts") -- none: they are sent as text, one kind whatever the table
   end
end

function event()
   local t = sysbench.rand.uniform(1, sysbench.opt.tables)
   local k = sysbench.rand.default(1, sysbench.opt.table_size)
   local c = get_c_value()
   local pad = get_pad_value()

   if not sysbench.opt.auto_inc then
      con:query(string.format("INSERT INTO sbtest%d (id, k, c, pad) VALUES (%d, %d, '%s', '%s')",
                              t, sysbench.rand.unique() - 2147483648, k, c, pad))
   elseif drv:name() == "pgsql" then
      con:query(string.format("INSERT INTO sbtest%d (k, c, pad) VALUES (%d, '%s', '%s')", t, k, c, pad))
   else
      con:query(string.format("INSERT INTO sbtest%d (id, k, c, pad) VALUES (0, %d, '%s', '%s')",
                              t, k, c, pad))
   end

   check_reconnect()
end
