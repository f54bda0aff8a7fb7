-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Bulk loading: client t appends rows (n,n) to its own table sbtest<t>, counted from 0.  One event is one row, so most
-- events send nothing and some send half a megabyte.

local rows = 0

local function tables(f)
   for i = 0, sysbench.opt.threads - 1 do
      f("sbtest" .. i)
   end
end

function prepare()
   db_connect()
   tables(function(name)
      local is_pgsql = db_driver == "pgsql"
      local integer = is_pgsql and "INTEGER" or "INTEGER UNSIGNED"

      print("Creating table '" .. name .. "'...")
      db_query("CREATE TABLE IF NOT EXISTS " .. name .. " (id " .. integer .. " NOT NULL, k " .. integer ..
               " DEFAULT '0' NOT NULL, PRIMARY KEY (id))" .. (is_pgsql and "" or " ENGINE = InnoDB"))
   end)
end

function cleanup()
   tables(function(name)
      print("Dropping table '" .. name .. "'...")
      db_query("DROP TABLE IF EXISTS " .. name)
   end)
end

function thread_init(thread_id)
   db_bulk_insert_init("INSERT INTO sbtest" .. thread_id .. " VALUES")
end

function event(thread_id)
   rows = rows + 1
   db_bulk_insert_next("(" .. rows .. "," .. rows .. ")")
end

function thread_done(thread_id)
   db_bulk_insert_done()
end
