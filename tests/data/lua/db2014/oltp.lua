-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An oltp.lua as people wrote it in 2014: the path of common.lua from `test`, every option a global that may be text, and
-- each random function called with such text.

pathtest = string.match(test, "(.*/)") or ""

dofile(pathtest .. "common.lua")

function thread_init(thread_id)
   set_vars()
   if (db_driver == "mysql" and mysql_table_engine == "myisam") then
      begin_query = "LOCK TABLES sbtest1 WRITE"
      commit_query = "UNLOCK TABLES"
   else
      begin_query = "BEGIN"
      commit_query = "COMMIT"
   end
   update = db_prepare("UPDATE sbtest1 SET k = ? WHERE id = ?")
   params = {1, 1}
   db_bind_param(update, params)
end

function event(thread_id)
   local rs
   local i
   local table_name
   local range_start
   local c_val

   table_name = "sbtest" .. sb_rand_uniform(1, oltp_tables_count)
   if not oltp_skip_trx then
      db_query(begin_query)
   end
   for i = 1, oltp_point_selects do
      rs = db_query("SELECT c FROM " .. table_name .. " WHERE id=" .. sb_rand(1, oltp_table_size))
   end
   range_start = sb_rand_special(1, oltp_table_size)
   rs = db_query("SELECT c FROM " .. table_name .. " WHERE id BETWEEN " .. range_start .. " AND " .. range_start ..
                 "+" .. oltp_range_size - 1)
   if not oltp_read_only then
      c_val = sb_rand_str([[###########-@@@@@]])
      rs = db_query("UPDATE " .. table_name .. " SET c='" .. c_val .. "' WHERE id=" ..
                    sb_rand_gaussian(1, oltp_table_size))
      params[1] = sb_rnd() % 1000
      params[2] = sb_rand_uniq(1, oltp_table_size)
      rs = db_execute(update)
      db_store_results(rs)
      db_free_results(rs)
   end
   if not oltp_skip_trx then
      db_query(commit_query)
   end
end

function thread_done(thread_id)
   db_close(update)
   db_disconnect()
end
