Statements that fail: ignored and tried again, or the end of the run.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ run() { sysbench "$@" $SB_MYSQL_ARGS run >out 2>err; exited $?; grep '^FATAL' out; cat err; }
  $ sql "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE=InnoDB; INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"

An error that is not on the list ends all threads; what was measured is reported.

  $ cat >bad.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() n = n + 1 con:query(n == 4 and "SELECT nosuch" or "SELECT 1") end
  > END
  $ run bad.lua --time=30
  exit 1
  FATAL: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'
  FATAL: `thread_run' function failed: bad.lua:3: SQL error, errno = 1054, state = '42S22': Unknown column 'nosuch' in 'SELECT'
  $ figure 'total number of events'; figure read; figure 'ignored errors'
  3
  3
  1

On the list it is counted, and the event begins anew; the limit of time holds for that, too.

  $ run bad.lua --events=10 --mysql-ignore-errors=1054
  $ figure 'total number of events'; figure read; figure 'ignored errors'
  10
  10
  1
  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT nosuch") end' >ever.lua
  $ run ever.lua --time=1 --threads=2 --mysql-ignore-errors=all
  $ figure 'total number of events'; timed 10 40 $(figure 'ignored errors'); timed 1 10 $(figure 'total time') # pauses of up to 100 ms
  0

Waiting for a lock that somebody else holds.

  $ cat >lock.lua <<'END'
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    con:query("SET innodb_lock_wait_timeout = 1")
  > end
  > function event()
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 3")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    con:query("COMMIT")
  > end
  > END
  $ sql "BEGIN; UPDATE t SET n = n WHERE id = 1; DO SLEEP(2.5); COMMIT" &
  $ until [ -n "$(sql "SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(2.5)'")" ]; do sleep 0.02; done
  $ run lock.lua --events=1
  $ wait
  $ figure transactions; timed 1 3 $(figure 'ignored errors'); figure reconnects
  1
  0

The first attempt was rolled back as a whole before the second.

  $ sql "SELECT id, n FROM t ORDER BY id"
  1\t1 (esc)
  2\t0 (esc)
  3\t1 (esc)

Deadlocks are ignored by default: two threads that lock two rows in opposite order come through.

  $ cat >dead.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(tid)
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 1 + tid)
  >    con:query("DO SLEEP(0.02)")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 2 - tid)
  >    con:query("COMMIT")
  > end
  > END
  $ sql "UPDATE t SET n = 0"
  $ run dead.lua --threads=2 --events=20
  $ figure transactions; timed 1 1000 $(figure 'ignored errors')
  20
  $ sql "SELECT SUM(n) FROM t"
  40
  $ run dead.lua --threads=2 --events=100 --mysql-ignore-errors= | sed -E 's/^(.*1213 ).*/\1/' | sort -u
  FATAL: `thread_run' function failed: dead.lua:6: SQL error, errno = 1213, state = '40001': Deadlock found when trying to get lock; try restarting transaction
  FATAL: mysql_drv_query() returned error 1213 
  exit 1

A connection that is killed: by default the end.

  $ cat >work.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() stmt = con:prepare("SELECT SLEEP(0.01)") end
  > function event() repeat local over = io.open("killed") stmt:execute() until over end -- one more when all are killed
  > function sysbench.hooks.before_restart_event(err) stmt:close() stmt = con:prepare("SELECT SLEEP(0.01)") end
  > END
  $ kill_all() { # in one session, at once; those that have gone meanwhile keep nobody
  >   sql \
  >     "$(sql "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = DATABASE()")" \
  >     --force 2>/dev/null
  > }
  $ begin() { : >out; rm -f killed; sysbench work.lua "$@" $SB_MYSQL_ARGS run >out 2>err & pid=$!
  > wait_for out 'Threads started'; sleep 0.3; kill_all; : >killed; }
  $ ended() { wait $pid; exited $?; cat err; }
  $ : >killed; : >out; sysbench work.lua --time=20 $SB_MYSQL_ARGS run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; sleep 0.3; kill_all; ended
  exit 1
  $ grep '^FATAL' out | sed -E 's/error (2006|2013|1927) \([^)]*\)/error LOST/; s/errno = .*/errno = LOST/; s/work.lua:[0-9]+/work.lua:N/'
  FATAL: mysql_stmt_execute() returned error LOST for query 'SELECT SLEEP(0.01)'
  FATAL: `thread_run' function failed: work.lua:N: SQL error, errno = LOST
  $ timed 5 2000 $(figure 'total number of events')

With its errors ignored every thread gets a new one and goes on.

  $ begin --time=60 --events=200 --threads=3 --mysql-ignore-errors=2006,2013,1927; ended
  $ figure reconnects; figure transactions
  3
  200
  $ begin --tx-rate=100 --tx-spin=0 --time=60 --events=200 --threads=3 --report-interval=1 --report-style=full \
  >   --mysql-ignore-errors=2006,2013,1927; ended
  $ figure reconnects; accounts; figure offered; figure done
  3
  200
  200

  $ sql "DROP TABLE t"
