
sysbench.cmdline.options = {indexed = {"", false}, part = {"", 10}}
function prepare()
   local c = sysbench.sql.driver():connect()
   c:query("CREATE TABLE t (id INT PRIMARY KEY, k INT)")
   c:query("INSERT INTO t SELECT seq, seq % 100 FROM seq_1_to_2000")
   if sysbench.opt.indexed then c:query("CREATE INDEX of_k ON t (k)") end
end
function cleanup() sysbench.sql.driver():connect():query("DROP TABLE t") end
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   local key = con:query_row("SELECT index_name FROM information_schema.statistics "
      .. "WHERE table_name = 't' AND column_name = 'k'")
   print("indexed by " .. tostring(key))
end
