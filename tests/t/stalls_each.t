Standstills with --server-status: what the sessions waited for meanwhile, and that the server's processes were stopped.
Own server: it is stopped.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none --
  $ root 'CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0)'
  $ case $DB in
  > mysql) root "GRANT PROCESS ON *.* TO $user@localhost"; family=$pid
  >   locks() { root 'LOCK TABLES t WRITE; DO SLEEP(1.5); UNLOCK TABLES'; } ;;
  > pgsql) root "GRANT ALL ON t TO $user"
  >   locks() { PGAPPNAME='a tool' root 'BEGIN; LOCK TABLE t; SELECT pg_sleep(1.5); COMMIT' >locked; } ;;
  > esac
  $ cat >q.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT n FROM t") end
  > END
  $ : >out; sysbench q.lua $args --threads=4 --tx-rate=100 --time=9 --report-interval=1 --server-status \
  >   --report-file=a.json run >out 2>err & run=$!
  $ wait_for out '^\[' 1; locks; wait_for out '^\[' 4
  $ case $DB in pgsql) family="$pid $(ps -o pid= --ppid $pid)";; esac
  $ kill -STOP $family; sleep 1.5; kill -CONT $family; wait $run; exited $?; cat err

The first names its blocker, where the server knows it.  A slow machine may have more of them, and shorter ones.

  $ sed -n 's/^\[ [0-9.]*s \] [0-9.]* to [0-9.]* s: 1\.[3-9] s standstill: //p' out >got
  $ sed -E 's/pid [0-9]+/pid N/; s/, active\)/)/; s/^[34] s/N s/; s/(lock[^,]*), 1 in .*/\1/' got >told
  $ case $DB in mysql) lock='table metadata lock';; pgsql) lock='relation lock (behind pid N, a tool)';; esac
  $ printf '%s\n' "N sessions in $lock" 'the server was stopped' | timed_diff - told

The same at the end and in json, with its length.

  $ sed -n '/^Incidents:/,/^$/p' out | grep -c 'standstill' | awk '$1 < 2'
  $ python3 -c 'import json
  > for i in json.load(open("a.json"))["summary"]["incidents"]:
  >   if i["kind"] == "stall" and i["duration_s"] > 1.3: print(i["text"].split("standstill: ")[1])' >json; timed_diff got json

An interval far above all before it, and who was in the way: a row that one transaction in twenty changes is locked.

  $ cat >row.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query(sysbench.rand.uniform(1, 20) > 1 and "SELECT n FROM t" or "UPDATE t SET n = n + 1") end
  > END
  $ case $DB in
  > mysql) holds() { root 'BEGIN; UPDATE t SET n = 0; DO SLEEP(1.2); COMMIT'; } ;;
  > pgsql) holds() { root 'BEGIN; UPDATE t SET n = 0; SELECT pg_sleep(1.2); COMMIT' >held; } ;;
  > esac
  $ : >out; sysbench row.lua $args --threads=64 --tx-rate=500 --time=11 --report-interval=0.5 --server-status run >out 2>err & run=$!
  $ wait_for out '^\[' 15; holds; wait $run; exited $?; cat err
  $ sed -nE 's/.* (service p99 [0-9.]+ ms, before at most [0-9.]+ but .*|standstill): .* row lock \(behind .*/named/p' out | sort -u >told
  $ echo named | timed_diff - told
