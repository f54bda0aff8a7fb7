Latency by kind of statement on MySQL: --report-statements.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/statements.sh"
  $ filled oltp_read_write $SB_MYSQL_ARGS --tables=2 --table-size=200
  $ run() { sysbench "$@" $SB_MYSQL_ARGS --table-size=200 --report-statements --report-file=a.json run >out 2>err
  > exited $?; cat err; sound a.json; }

A bundled test names its statements: one kind, whatever the table.  Control of transactions stands apart, as do making connections
and preparing.

  $ run oltp_read_write --tables=2 --events=20
  $ kinds a.json | of_20
  $ kinds a.json | cut -d' ' -f5- >names; block out | grep . | diff names -
  $ python3 -c 'import json; print(json.load(open("a.json"))["summary"]["statements"][0]["text"])'
  SELECT c FROM sbtest? WHERE id=? (glob)

The same without prepared statements on the server, with threads, on workers, with a rate.

  $ kinds a.json | cut -d' ' -f1,5- | grep -v prepare\  >want
  $ run oltp_read_write --events=20 --db-ps-mode=disable; kinds a.json | cut -d' ' -f1,5- | diff want -
  $ sort want >want.sorted
  $ for w in 0 1 2; do
  >   run oltp_read_write --tables=2 --threads=8 --events=100 --workers=$w --mysql-ignore-errors=all; kinds a.json | grep connect
  >   # a transaction that met another's lock is rolled back
  >   kinds a.json | cut -d' ' -f1,5- | grep -v -e '^prepare ' -e '^transaction ROLLBACK$' | sort | diff want.sorted -
  > done | uniq -c | tr -s ' '
   3 connect 8 0 0 connect
  $ run oltp_point_select --threads=4 --tx-rate=100 --time=1; kinds a.json | sed -E 's/ [0-9]+ 0 [0-9]+ / N 0 N /'
  prepared N 0 N point_selects
  connect N 0 N connect
  prepare N 0 N prepare

Plain texts: literals do not count; names that a script gives do, until they are taken away.

  $ cp "$TESTDIR/../data/lua-report/kinds_mysql.lua" own.lua
  $ run ./own.lua --events=2; grep -o 'SELECT \.\.\.,.*' out # whole in a pipe
  SELECT ..., k FROM sbtest1 WHERE id IN (...)
  $ kinds a.json
  prepared 2 0 2 two
  query 6 0 * SELECT ..., k FROM sbtest1 WHERE id IN (...) (glob)
  prepared 2 0 2 SELECT 1 + ?
  query 4 0 4 named query
  transaction 2 0 0 begin
  query 2 0 0 DO ?
  transaction 2 0 0 ROLLBACK
  query 2 0 8 INSERT INTO sbtest2 (k) VALUES(?)
  connect 3 0 0 connect
  prepare 4 0 0 prepare
  $ python3 - <<'END'
  > import json
  > kinds = {k["kind"]: k for k in json.load(open("a.json"))["summary"]["statements"]}
  > q = kinds["named query"]
  > print(q["text"], 0.02 <= q["p99_s"] <= q["max_s"] <= q["sum_s"] * 1.001, q["share_pct"] > 1)
  > END
  SELECT SLEEP(0.02) True True
  $ block out | tail -n 5
  begin
  ROLLBACK
  connect
  prepare
  
  $ for call in 'sysbench.sql.name(1, "x")' 'sysbench.sql.name(nil, "x")'; do
  >   echo "function event() $call end" >bad.lua; sysbench bad.lua --events=1 run 2>&1 | grep -o 'bad.lua:1: sysbench.sql.name:.*'; done
  bad.lua:1: sysbench.sql.name: a statement or a connection is needed
  bad.lua:1: sysbench.sql.name: a statement or a connection is needed

Failed statements count as executions and as errors, with their time; a restarted event's statements were executed.

  $ cp "$TESTDIR/../data/lua-report/fails_mysql.lua" fails.lua
  $ run ./fails.lua --events=3 --mysql-ignore-errors=1062
  $ kinds a.json
  query 4 0 4 SELECT ?
  prepared 1 1 0 INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, ?, 'c', 'pad')
  connect 1 0 0 connect
  prepare 1 0 0 prepare
  $ sysbench ./fails.lua $SB_MYSQL_ARGS --events=3 --report-statements --report-file=a.json run >out 2>err
  > exited $?; kinds a.json | head -n 2
  exit 1
  query 2 0 2 SELECT ?
  prepared 1 1 0 INSERT INTO sbtest1 (id, k, c, pad) VALUES (1, ?, 'c', 'pad')

More kinds than there is room for: the rest is counted together.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() n = 0 end
  > function event() n = n + 1 con:query("SELECT 1 AS a" .. n) end' >many.lua
  $ run ./many.lua --events=300; kinds a.json | grep -c '^query 1 0 1 SELECT ? AS a'; kinds a.json | tail -n 2; block out | tail -n 3
  125
  connect 1 0 0 connect
  other 175 0 175 (all others)
  (all others)
  connect
  

A warm-up does not count; a hook gets them too; without the option there are none.

  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=200 --report-statements --report-file=a.json \
  >   --warmup-time=1 --time=1 run >out 2>err
  > exited $?; kinds a.json | sed -E 's/ [0-9]+ 0 [0-9]+ / N 0 N /'
  prepared N 0 N point_selects
  $ cat >hook.lua <<'END'
  > require("oltp_point_select")
  > function sysbench.hooks.report_cumulative(stat)
  >   for _, k in ipairs(stat.statements) do print("hook", k.class, k.kind, k.count, k.errors, k.rows, k.p99 >= k.p50, k.share ~= nil) end
  > end
  > END
  $ sysbench hook.lua $SB_MYSQL_ARGS --table-size=200 --events=5 --report-statements run | grep ^hook
  hook\tprepared\tpoint_selects\t5\t0\t5\ttrue\ttrue (esc)
  hook\tconnect\tconnect\t1\t0\t0\ttrue\tfalse (esc)
  hook\tprepare\tprepare\t1\t0\t0\ttrue\tfalse (esc)
  $ ! sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=200 --events=5 --report-file=a.json run | grep '^Statements'
  $ report get a.json summary.statements summary.missing.statements
  null
  "not asked for (--report-statements)"
  $ sysbench cpu --events=5 --report-statements run | sed -n '/^Statements/,$p'
  Statements by kind (times in ms, share of the time in transactions):
      none was executed
  
