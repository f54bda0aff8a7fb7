A server that accepts bytes and answers nothing, as behind a firewall that drops packets: --query-timeout and --connect-timeout.

  $ . "$TESTDIR/../include/own.sh"
  $ own_db --
  $ go_on() { kill -CONT $(pgrep -P $pid) 2>/dev/null; kill -CONT $pid; } # some end meanwhile
  $ stop() { kill -STOP $pid; [ $DB = mysql ] || kill -STOP $(pgrep -P $pid); : >stopped; } # none is born meanwhile
  $ at_end=go_on
  $ filled oltp_point_select $args --table-size=100
  $ case $DB in
  > mysql) tcp="--mysql-host=127.0.0.1 --mysql-port=$port --mysql-socket=" listed=3024,2002,2003,2013 number="3024 (HY000)" none=2013 ;;
  > pgsql) tcp=--pgsql-host=127.0.0.1 listed=57014,connection number=57014 none=08001 ;;
  > esac
  $ begin() { script=$1; shift; rm -f stopped a.jsonl; : >out
  > sysbench $script $args --table-size=100 --threads=4 "$@" run >out 2>err & client=$!; wait_for out 'Threads started'; sleep 0.5; }
  $ cat >until.lua <<'END' # each client executes one more when the server has stopped
  > require("oltp_point_select")
  > local select = event
  > function event() repeat local over = io.open("stopped") select() until over end
  > END

It is over for the statement, the connection is replaced, and the schedule has gone on.

  $ for w in 0 1 s; do for where in "" "$tcp"; do
  >   begin until.lua --tx-rate=20 --tx-spin=0 --events=60 --time=60 --report-interval=1 --report-style=full --report-file=a.jsonl \
  >     --query-timeout=0.5 --connect-timeout=1 --$DB-ignore-errors=$listed $where $(carried $w)
  >   stop; wait_for a.jsonl '"connections_away":4,'; go_on; wait $client; exited $?; cat err
  >   accounts; figure offered; figure done; in_range 4 40 $(figure reconnects)
  >   tr -s ' \n' ' ' <out | grep -oF "cancelled $number: no answer within --query-timeout=0.5 s, the connection was closed" |
  >     head -n 1 | sed "s/$number/N/"
  > done; done | sort | uniq -c | sed 's/^ *//'
  12 60
  6 cancelled N: no answer within --query-timeout=0.5 s, the connection was closed

Without an answer to that error it ends the run, and says so.

  $ begin oltp_point_select --query-timeout=0.5 --time=60
  $ stop; wait $client; exited $?; go_on
  exit 1
  $ in_range 1 4 $(grep -c "^FATAL: .*\(error 3024\|failed: 7\).*no answer within --query-timeout=0.5 s, the connection was closed" out)

The first attempt to connect; so are those that do nothing.

  $ kill -STOP $pid
  $ for w in 0 1; do
  >   timeout 20 sysbench oltp_point_select $args $tcp --threads=8 --connect-timeout=0.5 $(carried $w) run | clients_failed 7 |
  >     sed -n -E "/unable to/d; s/(error 2013|Connection to database failed): the/WHAT: the/; s/met error $none/met WHAT/; /^FATAL/p"
  > done | sort | uniq -c | sed 's/^ *//'
  > timeout 20 sysbench oltp_point_select $args --idle-connections=2 --connect-timeout=0.5 run |
  >   grep -o -e 'within --connect-timeout.*' -e '^FATAL: only.*'
  > go_on
  2 FATAL: N more clients met WHAT
  2 FATAL: Thread initialization failed!
  2 FATAL: WHAT: the server did not answer within --connect-timeout=0.5 s
  2 FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  within --connect-timeout=0.5 s
  FATAL: only 0 of 2 idle connections could be opened

The second server of a list is reached however short the limit: libpq gives the first one, which accepts and says nothing, two
seconds.  The other host of MySQL's list takes over.

  $ if [ $DB = pgsql ]; then
  >   mkdir $place/silent; : >silent.out
  >   python3 -c 'import socket, sys, time
  > s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(64); print("listening", flush=True); time.sleep(600)' \
  >     $place/silent/.s.PGSQL.${socket##*.} >silent.out & listener=$!
  >   wait_for silent.out listening
  >   for w in 0 1; do
  >     sysbench oltp_point_select $args --pgsql-host=$place/silent,$(dirname $socket) --table-size=100 --threads=2 \
  >       --events=4 --connect-timeout=0.5 $(carried $w) run >out 2>&1
  >     done=$(figure 'total number of events'); timed 4 4 ${done:-0}
  >   done; kill $listener; rm $place/silent/.s.*; rmdir $place/silent
  > else
  >   clients_are 0
  >   begin until.lua --tx-rate=20 --tx-spin=0 --events=60 --time=60 --mysql-ignore-errors=all $tcp --mysql-host=127.0.0.1,127.0.0.1 \
  >     --server-waits=off
  >   clients_are 4; end_all "login = '$user'"; : >stopped
  >   wait $client; exited $?; [ "$(figure reconnects) $(figure done)" = "4 60" ] || cat out
  > fi

It holds while a statement is closed: what another one has left unread is not for MySQL's library to wait for.

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
  $ [ $DB = pgsql ] || for w in 0 1 s; do for protocol in auto library; do
  >   timeout 60 sysbench close.lua $args --mysql-protocol=$protocol --events=1 --time=60 --query-timeout=0.5 $(carried $w) run >out 2>&1
  >   exited $? | grep -v 'exit 1'; ! grep WRONG out
  >   grep -q '^FATAL: mysql_next_result() returned error 3024 (no answer within --query-timeout=0.5 s' out || cat out
  > done; done

What PostgreSQL makes of a statement whose client has gone: it goes on, unless the server is told to look.

  $ cat >sleep.lua <<'END'
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    con:query("SET client_connection_check_interval = '100ms'")
  > end
  > function event() con:query("SELECT pg_sleep(600)") end
  > END
  $ [ $DB = mysql ] || {
  >   sysbench sleep.lua $args --query-timeout=0.5 --events=1 --time=60 run >out 2>&1; exited $? | grep -v 'exit 1'
  >   grep -q 'no answer within --query-timeout=0.5 s' out || cat out
  >   until_true "(SELECT COUNT(*) $sessions statement = 'SELECT pg_sleep(600)') = 0"; }

Values.

  $ for o in --connect-timeout=-1 --query-timeout=0.0001 --query-timeout=1e9 --connect-timeout=rate=-1 --query-timeout=x
  > do sysbench oltp_point_select $args $o run 2>&1 | tail -n 1; done
  FATAL: Invalid value for --connect-timeout: -1 (allowed: 0 to 86400)
  FATAL: Invalid value for --query-timeout: '0.0001' (0, or 0.001 to 86400 seconds)
  FATAL: Invalid value for --query-timeout: 1e9 (allowed: 0 to 86400)
  FATAL: Invalid value for --connect-timeout=rate: -1 (allowed: 0 to 1000000)
  Invalid value for the 'query_timeout' option: 'x' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)
