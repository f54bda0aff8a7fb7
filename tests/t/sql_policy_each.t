What follows from an error, by its class: --on-error, --trx-retries, --trx-retries=backoff; on a server of our own, because one
test makes it read-only.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none -- $([ $DB = mysql ] || echo --deadlock_timeout=20ms)
  $ [ "$engine" != mysql ] || skip 'needs MariaDB'
  $ case $DB in
  > mysql) nap="DO SLEEP(0.02)" long="SELECT SLEEP(5)" limit="SET max_statement_time = 0.1" wait="SET innodb_lock_wait_timeout = 1"
  >   duplicate=1062 read_only=1290 grant="SELECT 1"; read_only() { root "SET GLOBAL read_only = $1"; } ;;
  > pgsql) nap="SELECT pg_sleep(0.02)" long="SELECT pg_sleep(5)" limit="SET statement_timeout = 50" wait="SET lock_timeout = 1000"
  >   duplicate=23505 read_only=25006 grant="GRANT ALL ON t TO $user"
  >   read_only() { root "ALTER SYSTEM SET default_transaction_read_only = $1"; root "SELECT pg_reload_conf()" >reload
  >     until [ "$(root 'SHOW default_transaction_read_only')" = $1 ]; do sleep 0.02; done; } ;;
  > esac
  $ # that may be a slow machine
  > run() { sysbench $args "$@" run >out 2>err; exited $?
  > grep -h '^FATAL\|^WARNING' out | grep -v ' blocked its worker '; cat err; }
  $ rated() { run "$@" --tx-spin=0 --report-file=a.json; accounts; echo $(figure offered) $(figure done) $(figure failed); }
  $ retries() { report get a.json summary.retries | sed 's/, "first.*//'; }
  $ root "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0); $grant" >granted

Every fourth transaction inserts a key that exists.  Nothing else is said about it: the end, as in stock.

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
  $ run twice.lua --events=40 --on-error=duplicate:fatal | grep -c '^exit 1\|^FATAL: .*[Dd]uplicate'
  3

It fails, and the next one begins; what it did is undone.  PostgreSQL may refuse it at once, or the COMMIT.

  $ for when in now later; do
  >   [ $DB$when != pgsqllater ] ||
  >     root "ALTER TABLE t DROP CONSTRAINT t_pkey; ALTER TABLE t ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED"
  >   root "UPDATE t SET n = 0"
  >   rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:fail
  >   echo $(root "SELECT n FROM t WHERE id = 1") $(figure 'ignored errors'); ! grep Retries out
  > done
  40 30 10
  30 10
  40 30 10
  30 10

It is run again, so often and then no more.  Without a limit it would never end.

  $ rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:retry --trx-retries=3
  40 30 10
  $ grep -A 2 '^Retries' out; retries; figure 'ignored errors'
  Retries:
      transactions run again:              10 (30 retries, at most 3 of one)
      failed nevertheless:                 10
  {"transactions": 10, "retries": 30, "most": 3, "failed": 10, "commits_unknown": 0
  40
  $ rated twice.lua --tx-rate=200 --events=40 --$DB-ignore-errors=$duplicate --trx-retries=0
  40 30 10

Without a rate, too: what failed is said, in every format.

  $ cat twice.lua >told.lua; cat >>told.lua <<'END1'
  > function sysbench.hooks.report_cumulative(s) print("hook", s.failed, s.total.failed) sysbench.report_default(s) end
  > END1
  $ run told.lua --events=40 --on-error=duplicate:fail --report-file=a.json,a.jsonl,a.summary.csv,a.prom,a.txt
  $ grep -h -A 1 '^Transactions' out a.txt | sort -u; grep hook out; report get a.json summary.failed summary.total.failed
      failed:                              10 of 40
  --
  Transactions:
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

Two clients that lock two rows in opposite order, or update what the other has read: each error is one retry, and every
transaction is done, and once; or it fails; or it ends the run, as without the lists.

  $ cat >deadlock.lua <<END1
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(tid)
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 1 + tid)
  >    con:query("$nap")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = " .. 2 - tid)
  >    con:query("COMMIT")
  > end
  > END1
  $ sed -e 's/BEGIN/BEGIN ISOLATION LEVEL REPEATABLE READ/' -e 's/UPDATE.*1 + tid/SELECT n FROM t WHERE id = 1"/' \
  >   -e 's/" \.\. 2 - tid/1"/' deadlock.lua >serialization.lua
  $ for class in deadlock $([ $DB = mysql ] || echo serialization); do
  >   root "UPDATE t SET n = 0"
  >   rated $class.lua --threads=2 --tx-rate=1000 --events=20; all=$(report get a.json summary.retries.transactions)
  >   in_range 1 20 $all; in_range $all $all $(report get a.json summary.retries.until_done.samples)
  >   in_range 1 1e9 $(report get a.json summary.retries.retries)
  >   [ $(root "SELECT SUM(n) FROM t") -eq $([ $class = deadlock ] && echo 40 || echo 20) ] || root "SELECT * FROM t"
  >   [ $(report get a.json summary.retries.retries) -eq $(figure 'ignored errors') ] || echo "other errors"
  >   rated $class.lua --threads=2 --tx-rate=1000 --events=20 --on-error=$class:fail | sed '/^20/s/ [0-9]* [0-9]*$/ D F/'
  >   in_range 1 19 $(figure failed); [ $(figure failed) -eq $(figure 'ignored errors') ] || echo "other errors"
  >   for o in --on-error=$class:fatal --$DB-ignore-errors=; do run $class.lua --threads=2 --events=100 $o | grep '^exit'; done
  > done | sort -u
  20 20 0
  20 D F
  exit 1

A lock that somebody else holds; a statement that takes too long.

  $ cat >slow.lua <<END1
  > function thread_init() con = sysbench.sql.driver():connect() con:query("$limit") end
  > function event() con:query("$long") end
  > END1
  $ rated slow.lua --tx-rate=10 --events=2 --on-error=cancelled:fail
  2 0 2
  $ sed -e "s/$limit/$wait/" -e "s/$long/UPDATE t SET n = 7 WHERE id = 1/" slow.lua >lock.lua
  $ root "BEGIN; UPDATE t SET n = n WHERE id = 1; SELECT 1 FROM t WHERE id = 1; $(echo "$nap" | sed 's/0.02/30/')" >held 2>&1 & holder=$!
  $ until_true "EXISTS (SELECT 1 $sessions statement LIKE '%(30)%' AND login <> '$user' AND statement NOT LIKE '%EXISTS%')"
  $ rated lock.lua --tx-rate=10 --events=1 --on-error=lock-wait:fail
  1 0 1
  $ end_all "statement LIKE '%(30)%' AND statement NOT LIKE '%sessions%'"; wait $holder || :

A read-only server: the client pauses.  Pauses of up to 1, 2, 4 ... ms leave room for 16 errors in two seconds.

  $ cat >write.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    con:query("BEGIN") con:query("SELECT * FROM t") con:query("UPDATE t SET n = n + 1 WHERE id = 1") con:query("COMMIT")
  > end
  > END1
  $ read_only on
  $ rated write.lua --tx-rate=60 --time=2 --$DB-ignore-errors=$read_only
  120 0 1
  $ in_range 1 16 $(figure 'ignored errors'); timed 2 2.5 $(figure 'total time')
  $ rated write.lua --tx-rate=60 --time=2 --on-error=read-only:fail | sed '/^120/s/ [0-9]*$/ N/'
  120 0 N
  $ in_range 1 16 $(figure 'ignored errors')
  $ rated write.lua --tx-rate=60 --time=2 --on-error=read-only:reconnect --workers=1
  120 0 1
  $ in_range 1 16 $(figure reconnects)
  $ run write.lua --tx-rate=60 --time=1 --$DB-ignore-errors=$read_only --trx-retries=backoff=0; timed 17 1000000 $(figure 'ignored errors')

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
  $ run own.lua --time=2 --$DB-ignore-errors=$read_only; in_range 1 16 $(figure 'ignored errors')

With another server on the list, it is left for that one: half of the clients begin here, and meet one error each.

  $ if [ $DB = mysql ]; then
  >   "$SB_DBSERVER" start --dir="$PWD/other" --port=none -- --innodb-buffer-pool-size=16M >env2 || cat env2
  >   at_end='"$SB_DBSERVER" stop --dir="$PWD/other" --remove'; other=$(. ./env2; echo $socket)
  >   (socket=$other; root "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0)")
  >   run write.lua --threads=4 --tx-rate=200 --tx-spin=0 --events=400 --time=60 --on-error=failover \
  >     $args --mysql-socket=$socket,$other
  >   accounts; [ "$(figure offered) $(figure done) $(figure reconnects)" = "400 400 2" ] || cat out
  > fi

It becomes the primary: everything is made up for.

  $ : >out; sysbench write.lua $args --tx-rate=60 --tx-spin=0 --events=60 --time=60 --on-error=failover run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; sleep 0.5; read_only off; wait $pid; exited $?; cat err
  $ accounts; figure offered; figure done; in_range 1 20 $(figure reconnects)
  60
  60
