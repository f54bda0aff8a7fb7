-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- What the scripts of 0.5 share: their options, and the tables sbtest1, sbtest2, ... that they read and write.
--
--    sysbench --test=/usr/share/sysbench/tests/include/oltp_legacy/oltp.lua --oltp-table-size=1000 prepare
--
-- These scripts declare no options.  Every option of the command line is a global variable, as text, and set_vars()
-- gives it a type or its default.  Scripts of other people call create_insert(), prepare(), cleanup() and set_vars()
-- by these names, and many bring a file of this name of their own; so nothing else here is global.
--
-- With --compat=0.5 or another 0.x the texts are those of 0.5, otherwise those that 1.0 sends with its oltp_legacy.

local old = sysbench.version:sub(1, 2) == "0."
local random = require("sysbench-tx.legacy_random")

local function spelling(name)
   return "--" .. name:gsub("_", "-")
end

local function number(name, default, least)
   _G[name] = random.number(name, default, least)
end

-- A flag is on if it is the word `on`: bare, it is off.  Who runs a command line of 0.4, where bare was on, is told.
local function flag(name)
   local text = _G[name]

   if type(text) == "string" and text ~= "on" and text ~= "off" and sysbench.tid == 0 then
      io.stderr:write(string.format("NOTE: %s%s is off, as in sysbench 0.5: only %s=on is on\n", spelling(name),
                                    text == "" and "" or "=" .. text, spelling(name)))
   end
   _G[name] = text == true or text == "on"
end

-- A flag that only `off` turns off.
local function flag_on(name)
   local text = _G[name]

   _G[name] = text ~= false and text ~= "off"
end

function set_vars()
   number("oltp_table_size", 10000, 1)
   number("oltp_tables_count", 1, 1)
   number("oltp_range_size", 100, 1)
   for _, count in ipairs({"point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges",
                           "index_updates", "non_index_updates", "delete_inserts"}) do
      number("oltp_" .. count, count == "point_selects" and 10 or 1, 0)
   end
   flag_on("oltp_range_selects")
   flag_on("oltp_auto_inc")
   flag_on("oltp_create_secondary")
   flag("oltp_read_only")
   flag("oltp_write_only")
   flag("oltp_skip_trx")
   if oltp_read_only and oltp_write_only then
      error("--oltp-read-only and --oltp-write-only are mutually exclusive", 0)
   end
   if (mysql_table_options or "") == "" then
      mysql_table_options = mysql_create_options or "" -- 0.4's name of the same
   end
end

local function redshift()
   return pgsql_variant == "redshift"
end

local function id_type()
   if db_driver == "pgsql" then
      return not oltp_auto_inc and "INTEGER NOT NULL" or redshift() and "INTEGER IDENTITY(1,1)" or "SERIAL"
   end
   return "INTEGER UNSIGNED NOT NULL" .. (oltp_auto_inc and " AUTO_INCREMENT" or "")
end

-- --oltp-secondary with any value: an ordinary index on id instead of the primary key.
local function key_of_id()
   if not oltp_secondary then
      return ", PRIMARY KEY (id)"
   end
   return db_driver == "pgsql" and "" or ", KEY xid (id)"
end

local function table_text(name)
   local is_pgsql = db_driver == "pgsql"
   local integer = is_pgsql and "INTEGER" or "INTEGER UNSIGNED"
   local text = "CREATE TABLE " .. name .. " (id " .. id_type() .. ", k " .. integer .. " DEFAULT '0' NOT NULL, " ..
      "c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL" .. key_of_id() .. ")"

   if is_pgsql then
      return text
   end
   text = text .. " /*! ENGINE = " .. mysql_table_engine .. " MAX_ROWS = " .. myisam_max_rows .. " */"
   return mysql_table_options == "" and text or text .. " " .. mysql_table_options
end

local function insert_rows(name)
   local columns = oltp_auto_inc and "(k, c, pad)" or "(id, k, c, pad)"

   db_bulk_insert_init("INSERT INTO " .. name .. columns .. " VALUES")
   for i = 1, oltp_table_size do
      local k = sb_rand(1, oltp_table_size)
      local c = sb_rand_str("###########-###########-###########-###########-###########-" ..
                            "###########-###########-###########-###########-###########")
      local pad = sb_rand_str("###########-###########-###########-###########-###########")

      db_bulk_insert_next("(" .. (oltp_auto_inc and "" or i .. ", ") .. k .. ", '" .. c .. "', '" .. pad .. "')")
   end
   db_bulk_insert_done()
end

function create_insert(table_id)
   local name = "sbtest" .. table_id

   print("Creating table '" .. name .. "'...")
   db_query(table_text(name))
   if oltp_secondary and db_driver == "pgsql" then
      db_query("CREATE INDEX xid_" .. table_id .. " on " .. name .. "(id)")
   end
   print("Inserting " .. oltp_table_size .. " records into '" .. name .. "'")
   insert_rows(name)
   if oltp_create_secondary and not redshift() then
      print("Creating secondary indexes on '" .. name .. "'...")
      db_query("CREATE INDEX k_" .. table_id .. " on " .. name .. "(k)")
   end
end

function prepare()
   set_vars()
   db_connect()
   for i = 1, oltp_tables_count do
      create_insert(i)
   end
end

function cleanup()
   set_vars()
   for i = 1, oltp_tables_count do
      print("Dropping table 'sbtest" .. i .. "'...")
      db_query("DROP TABLE " .. (old and "" or "IF EXISTS ") .. "sbtest" .. i)
   end
end

function help()
   print([[
Options of the scripts of sysbench 0.5; a flag takes `on` or `off`, and bare it is off:
  --oltp-table-size=N          rows of a table [10000]
  --oltp-tables-count=N        tables, sbtest1, sbtest2, ... [1]
  --oltp-range-size=N          rows of a range [100]
  --oltp-point-selects=N       selects of one row in a transaction [10]
  --oltp-simple-ranges=N       selects of a range [1]
  --oltp-sum-ranges=N          sums over a range [1]
  --oltp-order-ranges=N        selects of a range, sorted [1]
  --oltp-distinct-ranges=N     selects of a range, sorted, without duplicates [1]
  --oltp-index-updates=N       updates of an indexed column [1]
  --oltp-non-index-updates=N   updates of a column without index [1]
  --oltp-delete-inserts=N      deletes, each with an insert of the same row [1]
  --oltp-range-selects=on|off  selects of ranges at all [on]
  --oltp-read-only=on|off      selects only [off]
  --oltp-write-only=on|off     no selects [off]
  --oltp-skip-trx=on|off       no BEGIN and COMMIT [off]
  --oltp-auto-inc=on|off       the server numbers the rows [on]
  --oltp-create-secondary=on|off  an index on k [on]
  --oltp-secondary=on          an index on id that is not the primary key
  --mysql-table-engine=NAME    engine of the tables [innodb]
  --mysql-table-options=TEXT   more words for CREATE TABLE
  --random-points=N            select_random_points: rows of a select [10]
  --number-of-ranges=N         select_random_ranges: ranges of a select [10]
  --random-ranges-delta=N      select_random_ranges: width of a range [5]
]])
end
