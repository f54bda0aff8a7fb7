-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A script of the 0.5 generation: no declared options, globals for everything, db_query and sb_rand.

pathtest = string.match(test, "(.*/)") or ""

function prepare()
   db_query("CREATE TABLE old_style (id INT PRIMARY KEY, v VARCHAR(20))")
   db_bulk_insert_init("INSERT INTO old_style VALUES")
   for i = 1, tonumber(oltp_table_size) do
      db_bulk_insert_next("(" .. i .. ", '" .. sb_rand_str("###-@@@") .. "')")
   end
   db_bulk_insert_done()
end

function cleanup()
   db_query("DROP TABLE old_style")
end

function thread_init(thread_id)
   assert(thread_id == sysbench.tid and db_driver == "mysql")
   id, value = {1}, {"x", 1}
   read = db_prepare("SELECT v FROM old_style WHERE id = ?")
   db_bind_param(read, id)
   write = db_prepare("UPDATE old_style SET v = ? WHERE id = ?")
   db_bind_param(write, value)
end

function event(thread_id)
   db_query("BEGIN")
   id[1] = sb_rand_uniform(1, tonumber(oltp_table_size))
   local rs = db_execute(read)
   db_store_results(rs)
   db_free_results(rs)
   value[1], value[2] = sb_rand_str("@@@@"), id[1]
   db_execute(write)
   db_query("COMMIT")
end

function thread_done()
   db_close(read)
   db_close(write)
   db_disconnect()
end
