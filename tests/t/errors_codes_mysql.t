Errors by code: in the report, the files and the metrics; long statements in messages.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/rate.sh"
  $ run() { sysbench "$@" $SB_MYSQL_ARGS run >out 2>err; exited $?; sed '/^NOTE/d' err; }

A failing statement of half a megabyte is cut in the message of each client, and whole with --verbosity=5.

  $ cat >bulk.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("INSERT INTO nosuch VALUES ('" .. ("x"):rep(524288 - 30) .. "')") end
  > END
  $ run bulk.lua --threads=2
  exit 1
  $ grep -c 'for query' out | awk '{ print ($1 <= 2) }'; wc -c <out | awk '{ print ($1 < 4000) }'
  1
  1
  $ grep -m 1 -o "for query '.*" out | sed 's/xx*/x/'
  for query 'INSERT INTO nosuch VALUES ('x... (524,288 bytes)'
  $ run bulk.lua --threads=1 --verbosity=5
  exit 1
  $ grep 'for query' out | wc -c | awk '{ print ($1 > 524288) }'
  1

Two statements that fail each time, one of them with a text of any bytes; only ignored errors.

  $ cat >two.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >   n = n + 1
  >   con:query(n % 3 == 1 and "SELECT \255\1\27[2J FROM" or n % 3 == 2 and "SELECT * FROM nosuch" or "SELECT 1")
  > end
  > END
  $ run two.lua --events=10 --mysql-ignore-errors=all --report-interval=1 --report-file=a.json,a.jsonl,a.prom,a.om
  $ figure 'ignored errors'
  20
  $ sed -n '/^Errors by code/,/^$/p' out | awk '/^ +[0-9]+ +[0-9]/ { print $1, ($2 >= 0), ($3 >= $2), $4, $5, $6 }'
  10 1 1 other 1064 (42000):
  10 1 1 missing 1146 (42S02):
  $ tr -d '\n' <out | LC_ALL=C tr -d '[:print:]' | od -An -c | head -n 1
  $ python3 "$TESTDIR/../include/cram_errors_codes_mysql.py"
  1064 42000 other 10 True False
  1146 42S02 missing 10 True False
  True
  None
  $ grep '^sysbench_errors_by_code_total' a.prom | sed 's/{test="[^"]*",/{/'
  sysbench_errors_by_code_total{class="other",code="1064",sqlstate="42000"} 10
  sysbench_errors_by_code_total{class="missing",code="1146",sqlstate="42S02"} 10
  $ valid a.json a.jsonl || [ $? = 80 ] || echo invalid

A run without an error, and one with errors that stock ignores without a word, have no such block.

  $ sql "CREATE TABLE t (id INT PRIMARY KEY)"
  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT 1") end' >good.lua
  $ run good.lua --events=3; ! grep '^Errors\|^Outages' out
  $ cat >dead.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >   n = n + 1
  >   con:query(n % 2 == 1 and "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'victim'" or "SELECT 1")
  > end
  > END
  $ run dead.lua --events=3; grep -c '^Errors\|^Outages' out; figure 'ignored errors'
  0
  3
  $ run dead.lua --events=3 --tx-rate=100; sed -n '/^Errors by code/,/^$/p' out | sed 's/^ *3 *[0-9.]* *[0-9.]* /3 /'
  Errors by code (times in s since the start):
         count     first      last  class and code
  3  deadlock 1213 (40001): victim
  

The verdict names what kept the rate from being held.

  $ echo \
  >   'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SIGNAL SQLSTATE '"'HY000'"' '\
  > 'SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = '"'read-only'"'") end' \
  >   >ro.lua
  $ run ro.lua --threads=2 --tx-rate=100 --time=1 --mysql-ignore-errors=all
  $ unwrap <out | sed -n 's/^    sustained: *//p' | sed -E 's/[0-9]+\.[0-9]+ s/N s/; s/[0-9,]+ times/N times/'
  no: no transaction succeeded for N s (read-only server: 1290 (HY000) N times); see Outages

Nothing was done: with a rate the accounts are reported; with stock's options alone only the files have them.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT * FROM nosuch") end' >none.lua
  $ run none.lua --threads=4 --tx-rate=1000 --tx-arrival=aligned --report-file=a.json,a.jsonl
  exit 1
  $ figure done; python3 "$TESTDIR/../include/cram_errors_codes_mysql_2.py" $(figure offered) $(figure failed) $(figure unfinished)
  0
  True True False failed
  [(1146, True)]
  ['summary', 'end']
  $ run none.lua --threads=1 --report-file=a.json; sed -n '/started/,$p' out
  exit 1
  Threads started!
  
  FATAL: mysql_drv_query() returned error 1146 (Table '*.nosuch' doesn't exist) for query 'SELECT * FROM nosuch' (glob)
  FATAL: `thread_run' function failed: none.lua:1: SQL error, errno = 1146, state = '42S02': Table '*.nosuch' doesn't exist (glob)
  $ report get a.json summary.transactions summary.errors_by_code.0.code summary.errors_by_code.0.count
  0
  1146
  1
