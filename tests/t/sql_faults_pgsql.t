One cause that ends many clients of PostgreSQL: stock's lines for up to three of them, else one sentence for each error.

  $ . "$TESTDIR/../include/workers.sh"
  $ own_server --engine=postgresql --port=none -- --max_connections=20 --superuser_reserved_connections=0
  $ filled oltp_read_write $args --table-size=100
  $ others() { psql --no-psqlrc -qAt --host=${socket%/*} --username=$admin --dbname=$db \
  >   --command="SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '$user'" 2>/dev/null
  > }
  $ nobody() { until [ "$(others)" = 0 ]; do sleep 0.02; done; } # the server lets the last ones go
  $ said() { nobody; sysbench "$@" >out 2>err; exited $?; grep -E '^(FATAL|WARNING)' out | sed 's#socket "[^"]*"#SOCKET#'; cat err; }

A full server, a missing table. How many of the 80 too many are refused before they hear that the run has failed is chance.

  $ for w in 0 1 s
  > do
  >   said oltp_point_select $args --threads=100 --table-size=100 $(carried $w) run |
  >     sed -E 's/^FATAL: [0-9]+ clients /FATAL: N clients /'
  >   in_range 1 17 $(cat out err | grep -vc '^connected ')
  > done
  exit 1
  FATAL: Connection to database failed: connection to server on SOCKET failed: FATAL:  sorry, too many clients already
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: * more clients met error 08001 (glob)
  FATAL: Thread initialization failed!
  exit 1
  FATAL: Connection to database failed: connection to server on SOCKET failed: FATAL:  sorry, too many clients already
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: * more clients met error 08001 (glob)
  FATAL: Thread initialization failed!
  exit 1
  FATAL: Connection to database failed: connection to server on SOCKET failed: FATAL:  sorry, too many clients already
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: * more clients met error 08001 (glob)
  FATAL: Thread initialization failed!
  $ said oltp_point_select $args --tables=2 --threads=10 run | clients_failed 9
  exit 1
  FATAL: PQprepare() failed: ERROR:  relation "sbtest2" does not exist
  FATAL: `thread_init' function failed: */oltp_common.lua:*: SQL API error (glob)
  FATAL: N more clients met error 42P01
  FATAL: Thread initialization failed!
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume

Ended by the server while they run.

  $ for w in 0 1; do
  >   nobody; : >out; sysbench oltp_point_select $args --threads=12 --table-size=100 $(carried $w) --time=60 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; sleep 0.5; kill -INT $pid; wait $client; exited $?
  >   in_range 2 6 $(grep -c "^FATAL" out)
  >   grep -c '^General statistics' out; cat err
  >   while server status >env; do sleep 0.05; done; server start >env || cat env; . ./env
  > done
  exit 1
  1
  exit 1
  1
