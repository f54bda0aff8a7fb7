#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One event is one DELETE of a random row, which soon finds that most rows are gone.

require("oltp_common")

function prepare_statements()
   prepare_for_each_table("deletes")
end

function event()
   local t = sysbench.rand.uniform(1, sysbench.opt.tables)

   param[t].deletes[1]:set(sysbench.rand.default(1, sysbench.opt.table_size))
   stmt[t].deletes:execute()
   check_reconnect()
end
