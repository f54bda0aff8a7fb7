-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The database layer of the program called as C functions, without the Lua wrappers (7.12).

function event()
   local drv = ffi.C.db_create(nil)
   print("driver", drv ~= nil)
   local con = ffi.C.db_connection_create(drv)
   print("connection", con ~= nil)
   local text = "SELECT 1 UNION SELECT 2"
   local rs = ffi.C.db_query(con, text, #text)
   print("rows", rs ~= nil and rs.nrows, rs ~= nil and rs.nfields)
   print("free", ffi.C.db_free_results(rs))
   text = "SELECT nosuch"
   rs = ffi.C.db_query(con, text, #text)
   print("error", rs == nil, con.sql_errno, con.error == sysbench.sql.error.FATAL)
   local insert = "INSERT INTO f VALUES"
   text = "CREATE TABLE f(a INTEGER)"
   ffi.C.db_query(con, text, #text)
   print("bulk", ffi.C.db_bulk_insert_init(con, insert, #insert), ffi.C.db_bulk_insert_next(con, "(1)", 3),
         ffi.C.db_bulk_insert_next(con, "(2)", 3), ffi.C.db_bulk_insert_done(con))
   text = "SELECT COUNT(*) FROM f"
   rs = ffi.C.db_query(con, text, #text)
   local row = ffi.C.db_fetch_row(rs)
   print("count", ffi.string(row.values[0].ptr, row.values[0].len))
   print("disconnect", ffi.C.db_connection_close(con))
   ffi.C.db_connection_free(con)
   return true
end
