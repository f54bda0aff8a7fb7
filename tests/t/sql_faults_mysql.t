One cause that ends many clients: stock's lines for the first of them, and how many more met the same error.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --port=none -- --max-connections=20 --innodb-buffer-pool-size=16M
  $ filled oltp_read_write $args --table-size=100
  $ root() { mariadb --no-defaults --socket=$socket --user=$admin --batch --skip-column-names --execute="$1"; }
  $ # the server lets the last ones go
  > nobody() { until [ "$(root "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '$user'")" = 0 ]
  > do sleep 0.02; done; }
  $ # a server may be slow to let one in
  > said() { nobody; sysbench "$@" >out 2>err; exited $?; sed -i '/blocked its worker/d' out
  > grep -E '^(FATAL|WARNING)' out | place; cat err; }
  $ place() { sed -E "s#'/[^']*'#'SOCKET'#; s#[^ ]*/(oltp_[a-z]*.lua):[0-9]+#\\1:N#"; }

A full server. How many of the 80 too many are refused before they hear that the run has failed is chance.

  $ for w in 0 1 s
  > do
  >   said oltp_point_select $args --threads=100 --table-size=100 $(carried $w) run |
  >     sed -E 's/^FATAL: [0-9]+ more/FATAL: N more/'
  >   in_range 1 17 $(cat out err | grep -vc '^connected ')
  > done
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!

One of them (or two, where the server still closes a connection of the run before): its lines as ever.

  $ said oltp_point_select $args --threads=21 --table-size=100 run | grep -v '1 more client met' | awk '!seen[$0]++'
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: Thread initialization failed!

At --verbosity=5 those of all.

  $ in_range 4 100 $(sysbench oltp_point_select $args --threads=100 --table-size=100 --verbosity=5 run 2>err | grep -c '^FATAL: error 1040')

A missing table, a wrong password, a database that is not there, in a run and in a command.

  $ said oltp_point_select $args --tables=2 --threads=15 run | clients_failed 14
  exit 1
  FATAL: mysql_stmt_prepare() failed
  FATAL: MySQL error: 1146 "Table 'sbtest.sbtest2' doesn't exist"
  FATAL: `thread_init' function failed: oltp_common.lua:N: SQL API error
  FATAL: N more clients met error 1146
  FATAL: Thread initialization failed!
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  $ said oltp_point_select $args --mysql-password=guess --threads=15 run | clients_failed 14
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1045: Access denied for user 'sbtest'@'localhost' (using password: YES)
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: N more clients met error 1045
  FATAL: Thread initialization failed!
  $ said oltp_point_select $args --mysql-password=guess --threads=15 --tables=15 prepare | clients_failed 14
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1045: Access denied for user 'sbtest'@'localhost' (using password: YES)
  FATAL: `sysbench.cmdline.call_command' function failed: oltp_tables.lua:N: connection creation failed
  FATAL: N more clients met error 1045

The server's limit of prepared statements: one line, and the clients that it refuses send plain queries.

  $ root 'SET GLOBAL max_prepared_stmt_count = 12'
  $ plain() { n=$(report get a.json summary.connections.plain_queries); in_range 1 8 $n; [ "$(figure 'plain queries')" -eq $n ]; }
  $ for w in 0 1 s
  > do
  >   said oltp_read_only $args --threads=8 $(carried $w) --time=0 --events=50 --table-size=100 --report-file=a.json run
  >   grep -E '^ +(read|other|total number of events):' out; plain
  > done
  WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 12)): clients whose statements it refuses send plain queries instead.
          read:                            700
          other:                           100
      total number of events:              50
  WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 12)): clients whose statements it refuses send plain queries instead.
          read:                            700
          other:                           100
      total number of events:              50
  WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 12)): clients whose statements it refuses send plain queries instead.
          read:                            700
          other:                           100
      total number of events:              50

Unless --on-error says what follows.

  $ for w in 0 1
  > do
  >   said oltp_read_only $args --threads=8 $(carried $w) --on-error=statement-limit:fatal --events=50 \
  >     --table-size=100 run |
  >     sed -E 's/^FATAL: [0-9]+/FATAL: N/'
  > done
  exit 1
  FATAL: mysql_stmt_prepare() failed
  FATAL: MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 12)"
  FATAL: `thread_init' function failed: oltp_common.lua:N: SQL API error
  FATAL: N more clients met error 1461
  FATAL: Thread initialization failed!
  exit 1
  FATAL: mysql_stmt_prepare() failed
  FATAL: MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 12)"
  FATAL: `thread_init' function failed: oltp_common.lua:N: SQL API error
  FATAL: N more clients met error 1461
  FATAL: Thread initialization failed!

Killed under its clients: the first one's lines at once, a sentence about the others, and the report.

  $ for w in 0 1; do
  >   nobody; : >out; sysbench oltp_point_select $args --threads=12 --table-size=100 $(carried $w) --time=60 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; sleep 0.5; kill -KILL $pid; wait $client; exited $?
  >   in_range 2 5 $(grep -c "^FATAL" out)
  >   grep -c '^General statistics' out; cat err
  >   while server status >env; do sleep 0.05; done; server start >env || cat env; . ./env
  > done
  exit 1
  1
  exit 1
  1
