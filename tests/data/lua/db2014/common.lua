-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A common.lua as people wrote it in 2014 and keep beside their scripts: options stay text, and Lua makes numbers of
-- them wherever it needs one.

function create_insert(table_id)
   local i

   print("Creating table 'sbtest" .. table_id .. "'...")
   db_query("CREATE TABLE sbtest" .. table_id .. " (id INTEGER NOT NULL PRIMARY KEY, k INTEGER, c CHAR(120), pad CHAR(60)) "
            .. "/*! ENGINE = " .. mysql_table_engine .. " MAX_ROWS = " .. myisam_max_rows .. " */")
   print("Inserting " .. oltp_table_size .. " records into 'sbtest" .. table_id .. "'")
   db_bulk_insert_init("INSERT INTO sbtest" .. table_id .. " VALUES")
   for i = 1, oltp_table_size do
      db_bulk_insert_next("(" .. i .. ", " .. sb_rand(1, oltp_table_size) .. ", '" .. sb_rand_str([[
###########-@@@@@]]) .. "', 'x')")
   end
   db_bulk_insert_done()
end

function prepare()
   local i

   set_vars()
   db_connect()
   for i = 1, oltp_tables_count do
      create_insert(i)
   end
   return 0
end

function cleanup()
   local i

   set_vars()
   for i = 1, oltp_tables_count do
      print("Dropping table 'sbtest" .. i .. "'...")
      db_query("DROP TABLE sbtest" .. i)
   end
end

function set_vars()
   oltp_table_size = oltp_table_size or 10000
   oltp_range_size = oltp_range_size or 100
   oltp_tables_count = oltp_tables_count or 1
   oltp_point_selects = oltp_point_selects or 10
   if (oltp_read_only == 'on') then
      oltp_read_only = true
   else
      oltp_read_only = false
   end
   if (oltp_skip_trx == 'on') then
      oltp_skip_trx = true
   else
      oltp_skip_trx = false
   end
end
