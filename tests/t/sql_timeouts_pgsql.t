A PostgreSQL server that accepts bytes and answers nothing: --query-timeout and --connect-timeout.

  $ . "$TESTDIR/../include/workers.sh"
  $ own_server --engine=postgresql -- --fsync=off
  $ go_on() { kill -CONT $pid $(pgrep -P $pid) 2>/dev/null; } # some end meanwhile
  $ at_end=go_on
  $ filled oltp_point_select $args --table-size=100
  $ cat >until.lua <<'END' # each client executes one more when the server has stopped
  > require("oltp_point_select")
  > local select = event
  > function event() repeat local over = io.open("stopped") select() until over end
  > END
  $ begin() { : >out; rm -f stopped a.jsonl; sysbench until.lua $args --table-size=100 --threads=4 "$@" run >out 2>err &
  > client=$!; wait_for out 'Threads started'; sleep 0.5; }

It is over for the statement, the connection is replaced, and the schedule has gone on.

  $ for w in 0 1 s; do
  >   begin --tx-rate=20 --tx-spin=0 --events=60 --time=60 --report-interval=1 --report-style=full --report-file=a.jsonl \
  >     --query-timeout=0.5 --connect-timeout=1 --pgsql-ignore-errors=57014,connection $(carried $w)
  >   kill -STOP $pid; kill -STOP $(pgrep -P $pid); : >stopped; # none is born meanwhile
  >   wait_for a.jsonl '"connections_away":4,'; go_on; wait $client; exited $?; cat err
  >   accounts; figure offered; figure done; in_range 4 40 $(figure reconnects)
  >   tr -s ' \n' ' ' <out | grep -o 'cancelled 57014: no answer within --query-timeout=0.5 s, the connection was closed' | head -n 1
  > done
  60
  60
  cancelled 57014: no answer within --query-timeout=0.5 s, the connection was closed
  60
  60
  cancelled 57014: no answer within --query-timeout=0.5 s, the connection was closed
  60
  60
  cancelled 57014: no answer within --query-timeout=0.5 s, the connection was closed

The first attempt to connect.

  $ kill -STOP $pid
  $ for w in 0 1
  > do
  >   timeout 20 sysbench oltp_point_select $args --threads=8 --connect-timeout=0.5 $(carried $w) run | grep '^FATAL' |
  >     clients_failed 7
  > done
  > go_on
  FATAL: Connection to database failed: the server did not answer within --connect-timeout=0.5 s
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 08001
  FATAL: Thread initialization failed!
  FATAL: Connection to database failed: the server did not answer within --connect-timeout=0.5 s
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 08001
  FATAL: Thread initialization failed!

The second server of a list is reached however short the limit: libpq gives the first one, which accepts and says nothing, two seconds.

  $ mkdir $place/silent; : >silent.out
  $ python3 -c 'import socket, sys, time
  > s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(64); print("listening", flush=True); '\
  > 'time.sleep(600)' $place/silent/.s.PGSQL.${socket##*.} >silent.out & listener=$!
  $ wait_for silent.out listening
  $ for w in 0 1; do
  >   sysbench oltp_point_select $args --pgsql-host=$place/silent,$(dirname $socket) --table-size=100 --threads=2 \
  >     --events=4 --connect-timeout=0.5 $(carried $w) run >out 2>&1
  >   done=$(figure 'total number of events'); timed 4 4 ${done:-0}
  > done; kill $listener; rm $place/silent/.s.*; rmdir $place/silent

What the server makes of a statement whose client has gone: it goes on, unless the server is told to look.

  $ cat >sleep.lua <<'END'
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    con:query("SET client_connection_check_interval = '100ms'")
  > end
  > function event() con:query("SELECT pg_sleep(600)") end
  > END
  $ admin() { psql --no-psqlrc -qAtX --host=$(dirname $socket) --port=${socket##*.} --username=$admin --dbname=postgres --command="$1"; }
  $ asleep() { admin "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"; }
  $ sysbench sleep.lua $args --query-timeout=0.5 --events=1 --time=60 run >out 2>&1; exited $?
  > grep -m 1 -o 'no answer within --query-timeout=0.5 s' out
  exit 1
  no answer within --query-timeout=0.5 s
  $ tries=300; until [ "$(asleep 2>&1)" = 0 ] || [ $tries = 0 ]; do tries=$((tries - 1)); sleep 0.05; done; asleep
  0
