#!/usr/bin/env sysbench
-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Bulk loading: client t appends rows (n, n) to its own table sbtest<t+1>, as many to one INSERT as fit into a
-- packet.  One event is one row, so most events send nothing and some send half a megabyte.

local row = 0

function prepare()
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   for i = 1, sysbench.opt.threads do
      print(string.format("Creating table 'sbtest%d'...", i))
      con:query(string.format("        CREATE TABLE IF NOT EXISTS sbtest%d (\n" ..
                              "          id INTEGER NOT NULL,\n" ..
                              "          k INTEGER DEFAULT '0' NOT NULL,\n" ..
                              "          PRIMARY KEY (id))", i))
   end
   con:disconnect()
end

function cleanup()
   local drv = sysbench.sql.driver()
   local con = drv:connect()

   for i = 1, sysbench.opt.threads do
      print(string.format("Dropping table 'sbtest%d'...", i))
      con:query("DROP TABLE IF EXISTS sbtest" .. i)
   end
   con:disconnect()
end

function thread_init(thread_id)
   drv = sysbench.sql.driver()
   con = drv:connect()
   con:bulk_insert_init(string.format("INSERT INTO sbtest%d VALUES", thread_id + 1))
end

function event()
   row = row + 1
   con:bulk_insert_next(string.format("(%d,%d)", row, row))
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end
