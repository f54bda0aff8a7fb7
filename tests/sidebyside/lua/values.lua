-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Values of parameters that stock sends wrong or not at all: doubles, NULL, quotes.

function event()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE v(id INTEGER, d DOUBLE PRECISION, s VARCHAR(100))")
   local ins = con:prepare("INSERT INTO v VALUES (?, ?, ?)")
   local id = ins:bind_create(sysbench.sql.type.INT)
   local d = ins:bind_create(sysbench.sql.type.DOUBLE)
   local s = ins:bind_create(sysbench.sql.type.VARCHAR, 20)
   ins:bind_param(id, d, s)
   local function put(i, x, text)
      id:set(i)
      d:set(x)
      s:set(text)
      print(i, (pcall(ins.execute, ins)))
   end
   put(1, 1.5, "plain")
   put(2, 0.1, "a longer text")
   put(3, -1e100, "short")
   put(4, nil, nil)
   put(5, 7, "it's")
   local rs = con:query("SELECT id, d, s FROM v ORDER BY id")
   for _ = 1, tonumber(rs.nrows) do
      local row = rs:fetch_row()
      print(row[1], row[2], row[3])
   end
   rs:free()
   ins:close()
   con:disconnect()
   return true
end
