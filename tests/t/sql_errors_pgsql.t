PostgreSQL statements that fail: ignored and tried again, or the end of the run.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/rate.sh"
  $ run() { sysbench "$@" $SB_PGSQL_ARGS run >out 2>err; exited $?; grep '^FATAL' out; cat err; }
  $ sql "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"

An error that is not on the list ends all threads; what was measured is reported.

  $ cat >bad.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() n = n + 1 con:query(n == 4 and "SELECT nosuch" or "SELECT 1") end
  > END
  $ run bad.lua --time=30
  exit 1
  FATAL: PQexec() failed: 7 column "nosuch" does not exist
  FATAL: failed query was: SELECT nosuch
  FATAL: `thread_run' function failed: bad.lua:3: SQL error, errno = 0, state = '42703': column "nosuch" does not exist
  $ figure 'total number of events'; figure read; figure 'ignored errors'
  3
  3
  1

By default: unique violations, in a transaction that is rolled back as a whole.

  $ cat >twice.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    n = n + 1
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    con:query("INSERT INTO t VALUES (" .. (n == 1 and 2 or 3 + n) .. ", 0)")
  >    con:query("COMMIT")
  > end
  > END
  $ run twice.lua --events=2
  $ figure transactions; figure 'ignored errors'; sql "SELECT n FROM t WHERE id = 1"
  2
  1
  2
  $ sql "DELETE FROM t WHERE id > 3"

Deadlocks are ignored by default: two threads that lock two rows in opposite order come through.

  $ cat >dead.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(tid)
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 1 + tid)
  >    con:query("SELECT pg_sleep(0.1)")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 2 - tid)
  >    con:query("COMMIT")
  > end
  > END
  $ sql "UPDATE t SET n = 0"
  $ run dead.lua --threads=2 --events=4 --time=0 # each deadlock takes a second
  $ figure transactions; timed 1 1000 $(figure 'ignored errors'); sql "SELECT SUM(n) FROM t"
  4
  8
  $ run dead.lua --threads=2 --events=20 --pgsql-ignore-errors=40001 | sed 's/id = .$/id = N/' | sort -u
  FATAL: PQexec() failed: 7 deadlock detected
  FATAL: `thread_run' function failed: dead.lua:6: SQL error, errno = 0, state = '40P01': deadlock detected
  FATAL: failed query was: UPDATE t SET n = n + 1 WHERE id = N
  exit 1

An error that only the script's hook lets pass, in a transaction: what was done is undone, the event begins again.

  $ cat >hook.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() n = 0 end
  > function sysbench.hooks.sql_error_ignorable(err) return err.sql_state == "22012" end
  > function event()
  >    n = n + 1
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    con:query("SELECT 1 / " .. n % 2)
  >    con:query("COMMIT")
  > end
  > END
  $ sql "UPDATE t SET n = 0"
  $ run hook.lua --events=3 | sort | uniq -c | sed 's/^ *//'
  2 FATAL: PQexec() failed: 7 division by zero
  2 FATAL: failed query was: SELECT 1 / 0
  $ figure 'total number of events'; sql "SELECT SUM(n) FROM t"
  3
  3

A connection that is ended by an administrator (here: the role itself): by default the end.

  $ cat >work.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() stmt = con:prepare("SELECT pg_sleep(0.01)") end
  > function event() repeat local over = io.open("killed") stmt:execute() until over end -- one more when all are killed
  > END
  $ end_all() { # N: as soon as these are all, and those of the run before are gone
  >   others="FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() AND application_name = 'sysbench'"
  >   left=600; until [ "$(sql "SELECT COUNT(*) $others")" = $1 ] || [ $left = 0 ]; do left=$((left - 1)); sleep 0.05; done
  >   sql "SELECT COUNT(pg_terminate_backend(pid)) $others"; }
  $ begin() { : >out; rm -f killed; sysbench work.lua "$@" $SB_PGSQL_ARGS run >out 2>err & pid=$!
  > wait_for out 'Threads started'; sleep 0.3; end_all 3; : >killed; }
  $ ended() { wait $pid; exited $?; cat err; }
  $ : >killed; : >out; sysbench work.lua --time=20 $SB_PGSQL_ARGS run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; sleep 0.3; end_all 1; ended
  1
  exit 1
  $ # the server's last words do not always arrive
  $ words='s/terminating connection due to administrator command|server closed the connection unexpectedly/GONE/; s/57P01|08006/STATE/'
  $ grep '^FATAL' out | sed -E "s/work.lua:[0-9]+/work.lua:N/; $words"
  FATAL: PQexecPrepared() failed: 7 GONE
  FATAL: `thread_run' function failed: work.lua:N: SQL error, errno = 0, state = 'STATE': GONE
  $ timed 5 2000 $(figure 'total number of events')

With lost connections ignored every thread gets a new one and goes on.

  $ begin --time=60 --events=200 --threads=3 --pgsql-ignore-errors=connection; ended
  3
  $ figure reconnects; figure transactions
  3
  200
  $ begin --tx-rate=100 --time=60 --events=200 --threads=3 --report-interval=1 --report-style=full --pgsql-ignore-errors=connection; ended
  3
  $ figure reconnects; accounts; figure offered; figure done
  3
  200
  200

  $ sql "DROP TABLE t"
