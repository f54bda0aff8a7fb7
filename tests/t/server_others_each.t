Sessions of others at the server of a run, with --server-status: who is there, and who worked.
Own server: all of its sessions are counted.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/report.sh"
  $ filled oltp_point_select $SB_ARGS --table-size=100
  $ run() { sysbench oltp_point_select $SB_ARGS --table-size=100 --tx-rate=40 --time=1 --report-interval=0.5 --threads=3 \
  >   --report-style=full --report-file=a.json "$@" run >out 2>err || exited $?; cat err; }
  $ figures() { report get a.json summary.server_status.other_sessions summary.server_status.other_sessions_active; }
  $ others() { left=10; run --server-status "$@" # null: the last answer took too long
  >   while figures | grep -q null && [ $left -gt 0 ]; do left=$((left - 1)); run --server-status "$@"; done
  >   figures; sed -n '/WARNING: .* session/,/^ *n\/a\|^$/p' out | sed '/^$/d; /n.a:/d'; }

The clients, connections beside them, the status connection and the server's own threads are no others.

  $ others --idle-connections=3
  0
  0
  $ work() { report get a.json summary.server_status.other_statements | sed 's/^null$/0/'; } # PostgreSQL before 15 does not tell
  $ work
  0
  $ sed -n -E 's/^(\[.*) \| .*( other_sessions .*) lock_waited_s .*/\2/p' out | sort -u | grep -v n/a
   other_sessions 0 other_sessions_active 0

One that waits for its user is there and does nothing; what one executes is in the server's CPU time.

  $ cat >foreign.lua <<'END'
  > ffi.cdef("unsigned sleep(unsigned)")
  > sysbench.cmdline.options = {work = {"what it executes", ""}}
  > function thread_init() con = sysbench.sql.driver():connect() con:query("SELECT 1") end
  > function event()
  >    print("up") io.stdout:flush()
  >    if sysbench.opt.work == "" then ffi.C.sleep(600) else con:query(sysbench.opt.work) end
  > end
  > END
  $ cat >many.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect(); print("up"); io.stdout:flush() end
  > function event() con:query("SELECT 1") end
  > END
  $ case $DB in
  > mysql) work="SELECT BENCHMARK(1000000000000, MD5('a'))"
  >        end="SELECT CONCAT('KILL ', id) FROM information_schema.processlist WHERE info LIKE 'SELECT BENCHMARK%'";;
  > pgsql) work="DO 'BEGIN LOOP PERFORM md5(''a''); END LOOP; END'"
  >        end="SELECT 'SELECT pg_terminate_backend(' || pid || ')' FROM pg_stat_activity WHERE query LIKE 'DO %'";;
  > esac
  $ foreign() { : >$1; sysbench foreign.lua $SB_ARGS --work="$2" --time=600 run >$1 2>&1 & wait_for $1 up; }
  $ foreign idle ""; idle=$!; others; work
  1
  0
  0
  $ foreign busy "$work"; busy=$!; others
  2
  1
      WARNING: 1 other session was active on this server; CPU per transaction
      includes its work
  $ report get a.json summary.server.cpu_before_pct | awk '$1 < 1'
  $ left=10; until sysbench oltp_point_select $SB_ARGS --table-size=100 --time=1 --server-status --server=off run >out
  >   grep -q '^ *other sessions, active: *[0-9]' out || [ $left = 0 ]; do left=$((left - 1)); done
  $ sed -n '/^Server status/,/^$/p' out | grep -v 'waited for locks' | grep -A 2 'sessions'
      other sessions at the end:           2
      other sessions, active:              1 (mean)
      WARNING: 1 other session was active on this server; its counters include
      that session's work

What it executes is counted, and told from what the run executes: by PostgreSQL with a delay.

  $ sysbench many.lua $SB_ARGS --tx-rate=2000 --time=600 run >many 2>&1 & many=$!; wait_for many up
  $ may() { [ $DB = mysql ] || [ $(sql "SHOW server_version_num") -ge 150000 ]; }
  $ left=10; until others >out2; ! may || [ $(work) -ge 100 ] || [ $left = 0 ]; do left=$((left - 1)); done
  $ work | awk '$1 < 100' | if may; then cat; else sed '/^0$/d'; fi

So are workers of parallel queries, those of the run's own, too: where there are any, nothing is known.

  $ cat >parallel.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect()
  >    for v in ("min_parallel_table_scan_size parallel_setup_cost"):gmatch("%S+") do con:query("SET " .. v .. " = 0") end end
  > function event() con:query("SELECT count(pg_sleep(0.001)) FROM sbtest1") end
  > END
  $ [ $DB = mysql ] || { left=10; until sysbench parallel.lua $SB_ARGS --time=1 --server-status --report-file=a.json run >out
  >   grep -q 'workers (parallel query' a.json || [ $left = 0 ]; do left=$((left - 1)); done; work; } | sed '/^0$/d'
  $ kill -9 $many; wait $many 2>err || true

Without a status connection, the CPU time of before the load tells.

  $ run; grep -A 1 'WARNING: the server' out
      WARNING: the server was busy before the load; CPU per transaction may
      include that work
  $ kill -9 $idle $busy; sql "$(sql "$end")" >out; run; grep -c 'CPU before the load: ' out
  1

The disk that holds its data and its log, with --host-stats: no more than the kernel counted around the run.

  $ disks() { cat /proc/diskstats >before; sysbench oltp_update_non_index $SB_ARGS --table-size=100 --threads=2 --time=2 \
  >     --host-stats --server=auto --report-file=a.json "$@" run >out
  >   cat /proc/diskstats >after; python3 "$TESTDIR/../include/cram_disks.py"; }
  $ disks
  data True
  log True

What is no database server's directory is not taken for one.

  $ disks --server=$$ | head -c 0; sed -n "/^Host/,/^$/p" out | tr -s " \n" " " | grep -o "data.s disk, log.s disk ([^)]*)"
  data's disk, log's disk (the server works in no data directory of MariaDB, MySQL or PostgreSQL)
