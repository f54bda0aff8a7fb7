-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What common.lua, select_random_points and select_random_ranges of 0.5 share: numbers of the command line, and of the
-- last two their table.  With --compat=0.5 both have one table of their own,
-- `sbtest`, whose rows differ in k alone; otherwise they read sbtest1 of common.lua.

local old = sysbench.version:sub(1, 2) == "0."
local M = {table_name = old and "sbtest" or "sbtest1"}

local UNITS = {[""] = 1, k = 1e3, K = 1e3, M = 1e6, G = 1e9}

-- A number of the command line, which is text and may have a unit as those of today, or its default.  Text that is none
-- ends the command before a table is touched.
function M.number(name, default, least)
   local text = _G[name]
   local digits, unit = tostring(text == nil and default or text):match("^(.-)([kKMG]?)$")
   local value = (tonumber(digits) or 0 / 0) * UNITS[unit]

   if not (value >= least and value < math.huge) then
      error(string.format("Invalid value for --%s: '%s' (a number from %d, such as 10000 or 10k, is needed)",
                          name:gsub("_", "-"), text, least), 0)
   end
   return value
end

-- The first and the last value of k that a client looks for: its own part of 1 ... --oltp-table-size.
function M.slice(thread_id)
   local threads = sysbench.opt.threads
   local first = math.floor(oltp_table_size * thread_id / threads) + 1

   return first, math.max(first, math.floor(oltp_table_size * (thread_id + 1) / threads))
end

local function create_table()
   local is_pgsql = db_driver == "pgsql"
   local id = is_pgsql and "SERIAL" or "INTEGER UNSIGNED NOT NULL AUTO_INCREMENT"
   local k = is_pgsql and "INTEGER" or "INTEGER UNSIGNED"

   db_query("CREATE TABLE sbtest (id " .. id .. ", k " .. k .. " DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, " ..
            "pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id))" ..
            (is_pgsql and "" or " /*! ENGINE = " .. mysql_table_engine .. " MAX_ROWS = " .. myisam_max_rows .. " */"))
end

local function prepare_own()
   set_vars()
   db_connect()
   print("Creating table 'sbtest'...")
   create_table()
   print("Inserting " .. oltp_table_size .. " records into 'sbtest'")
   db_bulk_insert_init("INSERT INTO sbtest(k, c, pad) VALUES")
   for i = 1, oltp_table_size do
      db_bulk_insert_next("(" .. i .. ",' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')")
   end
   db_bulk_insert_done()
   db_query("CREATE INDEX k on sbtest(k)")
end

local function cleanup_own()
   print("Dropping table 'sbtest'...")
   db_query("DROP TABLE sbtest")
end

-- Takes the place of common.lua's functions where the table is their own.
function M.own_table()
   if old then
      prepare, cleanup = prepare_own, cleanup_own
   end
end

return M
