What follows from an error, by its class: --on-error, --trx-retries, --trx-retries=backoff; on a server of our own, because one
test makes it read-only.

  $ . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --port=none -- --innodb-buffer-pool-size=16M
  $ [ "$engine" = mariadb ] || skip 'needs MariaDB'
  $ client=$(command -v mariadb || command -v mysql)
  $ sql() { "$client" --no-defaults --socket="$socket" --user="$admin" --batch --skip-column-names "$db" --execute="$1" $2; }
  $ # that may be a slow machine
  > run() { sysbench "$@" $args run >out 2>err; exited $?
  > grep -h '^FATAL\|^WARNING' out | grep -v ' blocked its worker '; cat err; }
  $ rated() { run "$@" --tx-spin=0 --report-file=a.json; accounts; echo $(figure offered) $(figure done) $(figure failed); }
  $ retries() { report get a.json summary.retries | sed 's/, "first.*//'; }
  $ sql "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE=InnoDB; INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"

Every fourth transaction inserts a key that exists.  Nothing is said about it: the end, as in stock.

  $ cat >twice.lua <<'END1'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function sysbench.hooks.before_restart_event() n = n - 1 end
  > function event()
  >    n = n + 1
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    if n % 4 == 0 then con:query("INSERT INTO t VALUES (2, 0)") end
  >    con:query("COMMIT")
  > end
  > END1
  $ run twice.lua --events=40 | sed 's/twice.*//'
  exit 1
  FATAL: mysql_drv_query() returned error 1062 (Duplicate entry '2' for key 'PRIMARY') for query 'INSERT INTO t VALUES (2, 0)'
  FATAL: `thread_run' function failed: 

It fails, and the next one begins; what it did is undone.

  $ sql "UPDATE t SET n = 0"
  $ rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:fail
  40 30 10
  $ sql "SELECT n FROM t WHERE id = 1"; figure 'ignored errors'; ! grep Retries out
  30
  10

It is run again, so often and then no more.  Without a limit it would never end.

  $ rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:retry --trx-retries=3
  40 30 10
  $ grep -A 2 '^Retries' out; retries; figure 'ignored errors'
  Retries:
      transactions run again:              10 (30 retries, at most 3 of one)
      failed nevertheless:                 10
  {"transactions": 10, "retries": 30, "most": 3, "failed": 10, "commits_unknown": 0
  40
  $ rated twice.lua --tx-rate=200 --events=40 --mysql-ignore-errors=1062 --trx-retries=0
  40 30 10

Without a rate, too: what failed is said, in every format.

  $ cat twice.lua >told.lua; cat >>told.lua <<'END1'
  > function sysbench.hooks.report_cumulative(s) print("hook", s.failed, s.total.failed) sysbench.report_default(s) end
  > END1
  $ run told.lua --events=40 --on-error=duplicate:fail --report-file=a.json --report-file=a.jsonl --report-file=a.summary.csv \
  >   --report-file=a.prom --report-file=a.txt
  $ grep -h -A 1 '^Transactions' out a.txt; grep hook out; report get a.json summary.failed; report get a.json summary.total.failed
  Transactions:
      failed:                              10 of 40
  --
  Transactions:
      failed:                              10 of 40
  hook\t10\t10 (esc)
  10
  10
  $ grep '"summary"' a.jsonl | grep -oE '"failed": *10' | uniq -c | sed 's/^ *//'; grep '^sysbench_failed_tr' a.prom | sed 's/{.*}//'
  2 "failed":10
  sysbench_failed_transactions_total 10
  $ python3 -c 'import csv; print([r["failed"] for r in csv.DictReader(open("a.summary.csv"))])'
  ['10']

  $ run twice.lua --events=40 --on-error=duplicate:retry --trx-retries=2 --report-file=a.json
  $ figure transactions; retries; grep -A 2 '^Retries' out
  30
  {"transactions": 10, "retries": 20, "most": 2, "failed": 10, "commits_unknown": 0
  Retries:
      transactions run again:              10 (20 retries, at most 2 of one)
      failed nevertheless:                 10

The same with workers that share a Lua state among clients.

  $ rated twice.lua --tx-rate=200 --events=40 --workers=1 --workers=lua-state=worker --on-error=duplicate:retry --trx-retries=3
  40 30 10

An action overrides the list: deadlocks are on it.

  $ cat >dead.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(tid)
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 1 + tid)
  >    con:query("DO SLEEP(0.02)")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 2 - tid)
  >    con:query("COMMIT")
  > end
  > END1
  $ run dead.lua --threads=2 --events=100 --on-error=deadlock:fatal | grep -o 'exit 1\|error 1213' | sort -u
  error 1213
  exit 1

Two clients that lock two rows in opposite order: each error is one retry, and every transaction is done.

  $ rated dead.lua --threads=2 --tx-rate=1000 --events=20
  20 20 0
  $ [ $(report get a.json summary.retries.retries) -eq $(figure 'ignored errors') ]
  $ in_range 1 20 $(report get a.json summary.retries.transactions)
  $ [ $(report get a.json summary.retries.until_done.samples) -eq $(report get a.json summary.retries.transactions) ]

A lock that somebody else holds; a statement that takes too long.

  $ cat >slow.lua <<'END1'
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    con:query("SET innodb_lock_wait_timeout = 1, max_statement_time = 0.1")
  > end
  > function event() con:query("SELECT SLEEP(5)") end
  > END1
  $ rated slow.lua --tx-rate=10 --events=2 --on-error=cancelled:fail
  2 0 2
  $ sed -e 's/, max_statement_time = 0.1//' -e 's/SELECT SLEEP(5)/UPDATE t SET n = 7 WHERE id = 1/' slow.lua >lock.lua
  $ sql "BEGIN; UPDATE t SET n = n WHERE id = 1; DO SLEEP(30)" 2>/dev/null & holder=$!
  $ until [ -n "$(sql "SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(30)'")" ]; do sleep 0.02; done
  $ rated lock.lua --tx-rate=10 --events=1 --on-error=lock-wait:fail
  1 0 1
  $ sql "SELECT CONCAT('KILL ', id) FROM information_schema.processlist WHERE info = 'DO SLEEP(30)'" >kill
  > sql "$(cat kill)"; wait $holder || :

A read-only server: the client pauses.  Pauses of up to 1, 2, 4 ... ms leave room for 16 errors in two seconds.

  $ cat >write.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    con:query("BEGIN") con:query("SELECT * FROM t") con:query("UPDATE t SET n = n + 1 WHERE id = 1") con:query("COMMIT")
  > end
  > END1
  $ sql "SET GLOBAL read_only = 1"
  $ rated write.lua --tx-rate=60 --time=2 --mysql-ignore-errors=1290
  120 0 1
  $ in_range 1 16 $(figure 'ignored errors'); timed 2 2.5 $(figure 'total time')
  $ rated write.lua --tx-rate=60 --time=2 --on-error=read-only:fail | sed '/^120/s/ [0-9]*$/ N/'
  120 0 N
  $ in_range 1 16 $(figure 'ignored errors')
  $ rated write.lua --tx-rate=60 --time=2 --on-error=read-only:reconnect --workers=1
  120 0 1
  $ in_range 1 16 $(figure reconnects)
  $ run write.lua --tx-rate=60 --time=1 --mysql-ignore-errors=1290 --trx-retries=backoff=0; timed 17 1000000 $(figure 'ignored errors')

A loop of the script's own pauses as well.

  $ cat write.lua - >own.lua <<'END1'
  > function thread_run(tid)
  >    while ffi.C.sb_more_events(tid) do
  >       ffi.C.sb_event_start(tid)
  >       if pcall(event) then ffi.C.sb_event_stop(tid) end
  >    end
  > end
  > ffi = require("ffi")
  > END1
  $ run own.lua --time=2 --mysql-ignore-errors=1290; in_range 1 16 $(figure 'ignored errors')

With another server on the list, it is left for that one: half of the clients begin here, and meet one error each.

  $ "$SB_DBSERVER" start --dir="$PWD/other" --port=none -- --innodb-buffer-pool-size=16M >env2 || cat env2
  $ trap 'for d in db other; do "$SB_DBSERVER" stop --dir="$PWD/$d" --remove; done' EXIT
  $ other=$(. ./env2; echo $socket)
  $ (socket=$other; sql "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE=InnoDB; INSERT INTO t VALUES (1, 0)")
  $ both() { sysbench write.lua $args --mysql-socket=$socket,$other --threads=4 --tx-rate=200 --tx-spin=0 --events=400 \
  >   --time=60 "$@" run >out 2>err
  > exited $?; cat err; }
  $ both --on-error=failover; accounts; figure offered; figure done; figure reconnects
  400
  400
  2
  $ "$SB_DBSERVER" stop --dir="$PWD/other" --remove; trap 'server stop --remove' EXIT

It becomes the primary: everything is made up for.

  $ : >out; sysbench write.lua $args --tx-rate=60 --tx-spin=0 --events=60 --time=60 --on-error=failover run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; sleep 0.5; sql "SET GLOBAL read_only = 0"; wait $pid; exited $?; cat err
  $ accounts; figure offered; figure done; in_range 1 20 $(figure reconnects)
  60
  60

A connection that is killed.

  $ cat >work.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() repeat local over = io.open("killed") con:query("SELECT SLEEP(0.01)") until over end -- one more when all are killed
  > END1
  $ kill_all() { # in one session, at once; those that have gone meanwhile keep nobody
  >   sql \
  >     "$(sql "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = '$user'")" \
  >     --force 2>/dev/null
  > }
  $ begin() { # when those that were killed before have gone
  >   until [ -z "$(sql "SELECT 1 FROM information_schema.processlist WHERE user = '$user'")" ]; do sleep 0.02; done
  >   : >out; sysbench "$@" $args --report-file=a.json run >out 2>err & pid=$!; wait_for out 'Threads started'
  > }
  $ ended() { wait $pid; exited $?; cat err; grep -h '^WARNING' out | sed 's/error [0-9]*: .*/error LOST/'; }
  $ for action in reconnect retry fail; do
  >   rm -f killed
  >   begin work.lua --tx-rate=50 --tx-spin=0 --time=60 --events=100 --threads=3 --on-error=connection:$action
  >   sleep 0.3; kill_all; : >killed; ended
  >   accounts; figure offered; figure reconnects
  > done
  100
  3
  100
  3
  100
  3

Killed when the run is over: too late for another attempt, and no reason for another exit status.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT SLEEP(30)") end' >last.lua
  $ overdue() { until [ -n \
  >   "$(sql "SELECT 1 FROM information_schema.processlist WHERE info = 'SELECT SLEEP(30)' AND time_ms > 1200")" ]
  > do sleep 0.02; done; }
  $ begin last.lua --time=1 --on-error=connection:reconnect; overdue; kill_all; ended
  WARNING: 1 connection was lost as the run ended, too late to be restored: error LOST
  $ begin last.lua --time=1 --mysql-ignore-errors=2006,2013,1927; overdue; kill_all; ended
  WARNING: 1 connection was lost as the run ended, too late to be restored: error LOST
  $ begin last.lua --time=1; overdue; kill_all; ended
  exit 1

Killed while it waits for a COMMIT: nobody knows what became of that.

  $ sed 's/SELECT . FROM t/SELECT 1/' write.lua >commit.lua
  $ stages="BACKUP STAGE START; BACKUP STAGE FLUSH; BACKUP STAGE BLOCK_DDL; BACKUP STAGE BLOCK_COMMIT"
  $ sql "$stages; DO SLEEP(30)" 2>/dev/null & holder=$!
  $ until [ -n "$(sql "SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(30)'")" ]; do sleep 0.02; done
  $ begin commit.lua --events=1 --time=60 --on-error=failover
  $ until [ -n "$(sql "SELECT 1 FROM information_schema.processlist WHERE info = 'COMMIT' AND time_ms > 300")" ]; do sleep 0.02; done
  $ kill_all; sql "SELECT CONCAT('KILL ', id) FROM information_schema.processlist WHERE info = 'DO SLEEP(30)'" >kill
  > sql "$(cat kill)"; wait $holder || :
  $ ended; retries; figure transactions
  {"transactions": 1, "retries": 1, "most": 1, "failed": 0, "commits_unknown": 1
  1
  $ grep -A 2 'unknown outcome' out
      commits of unknown outcome:          1 (the connection was lost before the
                                           answer; run again, they may have been
                                           done twice)

An ignored error before the first event has no loop that would retry: it is named.

  $ echo 'function thread_init() sysbench.sql.driver():connect():query("SELECT * FROM missing") end function event() end' >init.lua
  $ run init.lua --mysql-ignore-errors=1146 --events=1
  exit 1
  FATAL: `thread_init' function failed: SQL error, errno = 1146, state = '42S02': Table 'sbtest.missing' doesn't exist
  FATAL: Thread initialization failed!
