A server that accepts bytes and answers nothing, as behind a firewall that drops packets: --query-timeout and --connect-timeout.

  $ . "$TESTDIR/../include/workers.sh"
  $ own_server -- --innodb-buffer-pool-size=16M
  $ at_end='kill -CONT $pid'
  $ filled oltp_point_select $args --table-size=100
  $ tcp="--mysql-host=127.0.0.1 --mysql-port=$port --mysql-socket="
  $ begin() { script=$1; shift; : >out; sysbench $script $args --table-size=100 --threads=4 "$@" run >out 2>err &
  > client=$!; wait_for out 'Threads started'; sleep 0.5; }
  $ cat >until.lua <<'END' # each client executes one more when the server has stopped
  > require("oltp_point_select")
  > local select = event
  > function event() repeat local over = io.open("stopped") select() until over end
  > END

It is over for the statement, the connection is replaced, and the schedule has gone on.

  $ for w in 0 1 s; do for where in "" "$tcp"; do
  >   rm -f stopped a.jsonl
  >   begin until.lua --tx-rate=20 --tx-spin=0 --events=60 --time=60 --report-interval=1 --report-style=full --report-file=a.jsonl \
  >     --query-timeout=0.5 --connect-timeout=1 --mysql-ignore-errors=3024,2002,2003,2013 $where $(carried $w)
  >   kill -STOP $pid; : >stopped; wait_for a.jsonl '"connections_away":4,'; kill -CONT $pid; wait $client; exited $?; cat err
  >   accounts; figure offered; figure done; in_range 4 40 $(figure reconnects)
  >   tr -s ' \n' ' ' <out | grep -o 'cancelled 3024 (HY000): no answer within --query-timeout=0.5 s, the connection was closed' | head -n 1
  > done; done | sort | uniq -c | sed 's/^ *//'
  12 60
  6 cancelled 3024 (HY000): no answer within --query-timeout=0.5 s, the connection was closed

Without an answer to that error it ends the run, and says so.

  $ begin oltp_point_select --query-timeout=0.5 --time=60
  $ kill -STOP $pid; wait $client; exited $?; kill -CONT $pid
  exit 1
  $ grep -c "^FATAL: .*error 3024 (no answer within --query-timeout=0.5 s, the connection was closed)" out
  1

The first attempt to connect.

  $ kill -STOP $pid
  $ for w in 0 1
  > do
  >   timeout 20 sysbench oltp_point_select $args $tcp --threads=8 --connect-timeout=0.5 $(carried $w) run |
  >     grep '^FATAL' | clients_failed 7
  > done
  > kill -CONT $pid
  FATAL: unable to connect to MySQL server on host '127.0.0.1', port *, aborting... (glob)
  FATAL: error 2013: the server did not answer within --connect-timeout=0.5 s
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 2013
  FATAL: Thread initialization failed!
  FATAL: unable to connect to MySQL server on host '127.0.0.1', port *, aborting... (glob)
  FATAL: error 2013: the server did not answer within --connect-timeout=0.5 s
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 2013
  FATAL: Thread initialization failed!

So are those that do nothing.

  $ kill -STOP $pid
  > timeout 20 sysbench oltp_point_select $args --idle-connections=2 --connect-timeout=0.5 run |
  >   grep -o -e 'within --connect-timeout.*' -e '^FATAL: only.*'
  > kill -CONT $pid
  within --connect-timeout=0.5 s
  FATAL: only 0 of 2 idle connections could be opened

The other host of a list takes over.

  $ rm stopped; : >out
  > sysbench until.lua $args --table-size=100 --threads=4 --tx-rate=20 --tx-spin=0 --events=60 --time=60 \
  >   --mysql-ignore-errors=all --mysql-socket= --mysql-host=127.0.0.1,127.0.0.1 --mysql-port=$port run >out 2>err &
  > client=$!
  $ wait_for out 'Threads started'
  $ root() { mariadb --no-defaults --socket=$socket --user=$admin --skip-column-names --batch "$@"; }
  $ clients="FROM information_schema.processlist WHERE user = '$user'" # with those of the runs before that the server has not missed yet
  $ left=600; until [ "$(root --execute="SELECT COUNT(*) $clients")" = 4 ] || [ $left = 0 ]; do left=$((left - 1)); sleep 0.05; done
  $ root --execute="SELECT CONCAT('KILL ', id, ';') $clients" | root; : >stopped
  $ wait $client; exited $?; figure reconnects; figure done
  4
  60

It holds while a statement is closed: what another one has left unread is not for the library to wait for.

  $ cat >close.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    local st = con:prepare("SELECT 1")
  >    st:execute()
  >    local rs = con:query("SELECT 1; SELECT SLEEP(600)")
  >    st:close()
  >    if tonumber(rs:fetch_row()[1]) ~= 1 then print("WRONG") end
  > end
  > END
  $ for w in 0 1 s; do for protocol in auto library; do
  >   timeout 60 sysbench close.lua $args --mysql-protocol=$protocol --events=1 --time=60 --query-timeout=0.5 $(carried $w) run >out 2>&1
  >   exited $?; grep -o -e WRONG -e '^FATAL: mysql.* returned error 3024 (no answer within --query-timeout=0.5 s' out
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 FATAL: mysql_next_result() returned error 3024 (no answer within --query-timeout=0.5 s
  6 exit 1

Values.

  $ for o in --connect-timeout=-1 --query-timeout=0.0001 --query-timeout=1e9 --connect-timeout=rate=-1 --query-timeout=x
  > do sysbench oltp_point_select $args $o run 2>&1 | tail -n 1; done
  FATAL: Invalid value for --connect-timeout: -1 (allowed: 0 to 86400)
  FATAL: Invalid value for --query-timeout: '0.0001' (0, or 0.001 to 86400 seconds)
  FATAL: Invalid value for --query-timeout: 1e9 (allowed: 0 to 86400)
  FATAL: Invalid value for --connect-timeout=rate: -1 (allowed: 0 to 1000000)
  Invalid value for the 'query_timeout' option: 'x' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)
