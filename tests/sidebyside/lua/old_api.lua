-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The API of 0.4 and 0.5: implicit connection, globals in place of sysbench.opt, no table of options.

function prepare()
   print("prepare", test, thread_id, my_tables, type(my_tables))
   db_connect()
   db_query("CREATE TABLE old1 (id INTEGER PRIMARY KEY, k INTEGER, c VARCHAR(120))")
   db_bulk_insert_init("INSERT INTO old1 VALUES")
   for i = 1, tonumber(my_rows or 10) do
      db_bulk_insert_next("(" .. i .. ", " .. sb_rand(1, 10) .. ", '" .. sb_rand_str("###-@@@") .. "')")
   end
   db_bulk_insert_done()
   db_disconnect()
end

function thread_init(id)
   print("thread_init", id, thread_id, db_driver, num_threads, threads, percentile)
   stmt = db_prepare("UPDATE old1 SET k = ?, c = ? WHERE id = ?")
   params = {0, "x", 0}
   db_bind_param(stmt, params)
end

function event(id)
   params[1] = sb_rand_uniform(1, 100)
   params[2] = sb_rand_str("@@@@")
   params[3] = sb_rand(1, 10)
   local rs = db_execute(stmt)
   db_query("SELECT c FROM old1 WHERE id = " .. sb_rand_special(1, 10))
   db_query("SELECT c FROM old1 WHERE id = " .. sb_rand_gaussian(1, 10))
   print("event", id, thread_id, params[1], params[2], params[3], type(rs))
end

function thread_done()
   db_close(stmt)
   print("unique", sb_rand_uniq(1, 4294967295))
   print("constants", DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED, mysql_table_engine, myisam_max_rows)
   print("sysbench.db", type(sysbench.db), sysbench.db and type(sysbench.db.query))
   db_disconnect()
end

function cleanup()
   db_query("DROP TABLE IF EXISTS old1")
   print("the end", thread_id)
end
