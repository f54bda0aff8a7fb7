-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The OLTP test of 0.5.  One event is one transaction on one table: 14 SELECT statements, then 4 that write, between
-- BEGIN and COMMIT.  --oltp-read-only=on and --oltp-write-only=on leave out one or the other, --oltp-skip-trx=on BEGIN
-- and COMMIT; common.lua has the other options.  Statements are sent as plain text, never prepared.
--
-- X + 99, the upper limit of a range, is sent as that sum with --compat=0.5 and as its value otherwise.

local pathtest = string.match(test, "(.*/)")
local old = sysbench.version:sub(1, 2) == "0."

if pathtest then
   dofile(pathtest .. "common.lua")
else
   require("common")
end

local begin_query, commit_query

-- MyISAM has no transactions: the tables are locked.
local function choose_transaction()
   begin_query, commit_query = "BEGIN", "COMMIT"
   if db_driver == "mysql" and mysql_table_engine:lower() == "myisam" then
      local tables = {}
      for i = 1, oltp_tables_count do
         tables[i] = "sbtest" .. i .. " WRITE"
      end
      begin_query, commit_query = "LOCK TABLES " .. table.concat(tables, " ,"), "UNLOCK TABLES"
   end
end

function thread_init(thread_id)
   set_vars()
   db_connect()
   choose_transaction()
end

local function random_id()
   return sb_rand(1, oltp_table_size)
end

local function range()
   local first = random_id()

   if old then
      return first .. " AND " .. first .. "+" .. oltp_range_size - 1
   end
   return first .. " AND " .. first + oltp_range_size - 1
end

local function ranges(count, columns, table_name, order)
   for _ = 1, count do
      db_query("SELECT " .. columns .. " FROM " .. table_name .. " WHERE id BETWEEN " .. range() .. order)
   end
end

local function read(table_name)
   for _ = 1, oltp_point_selects do
      db_query("SELECT c FROM " .. table_name .. " WHERE id=" .. random_id())
   end
   if oltp_range_selects ~= false then -- a common.lua of before 2016 does not know it
      ranges(oltp_simple_ranges, "c", table_name, "")
      ranges(oltp_sum_ranges, "SUM(K)", table_name, "")
      ranges(oltp_order_ranges, "c", table_name, " ORDER BY c")
      ranges(oltp_distinct_ranges, "DISTINCT c", table_name, " ORDER BY c")
   end
end

local c_format = "###########-###########-###########-###########-###########-" ..
   "###########-###########-###########-###########-###########"
local pad_format = "###########-###########-###########-###########-###########"

local function write(table_name)
   for _ = 1, oltp_index_updates do
      db_query("UPDATE " .. table_name .. " SET k=k+1 WHERE id=" .. random_id())
   end
   for _ = 1, oltp_non_index_updates do
      db_query("UPDATE " .. table_name .. " SET c='" .. sb_rand_str(c_format) .. "' WHERE id=" .. random_id())
   end
   for _ = 1, oltp_delete_inserts or 1 do
      local id = random_id()

      db_query("DELETE FROM " .. table_name .. " WHERE id=" .. id)
      db_query("INSERT INTO " .. table_name .. " (id, k, c, pad) VALUES (" .. id .. ", " .. random_id() .. ", '" ..
               sb_rand_str(c_format) .. "', '" .. sb_rand_str(pad_format) .. "')")
   end
end

function event(thread_id)
   local table_name = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)

   if not oltp_skip_trx then
      db_query(begin_query)
   end
   if not oltp_write_only then
      read(table_name)
   end
   if not oltp_read_only then
      write(table_name)
   end
   if not oltp_skip_trx then
      db_query(commit_query)
   end
end
