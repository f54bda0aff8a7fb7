Many clients on few threads, against a MariaDB that refuses them, loses them, goes away and comes back.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"
  $ own_server --port=none -- --max-connections=450 --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2
  $ until_true() { left=600; until [ "$(root "$1" 2>/dev/null)" = 1 ]
  > do left=$((left - 1)); [ $left -gt 0 ] || { echo "never: $1"; return; }; sleep 0.05; done; }

  $ sysbench oltp_read_write $args --tables=1 --table-size=1000 prepare >out

More than the server takes: its words, and the end.

  $ nobody() { until_true "SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE user = '$user'"; }
  $ nobody; sysbench oltp_point_select $args --table-size=1000 --threads=460 --workers=1 --time=5 run >full.1 2>err
  > status=$?; cat err; echo "exit $status"
  exit 1
  $ grep '^FATAL' full.1 | clients_failed 9 11 # connections that are still going away have places, too
  FATAL: unable to connect to MySQL server on socket '*', aborting... (glob)
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!

Errors that are ignored, deadlocks, and connections that somebody kills.

  $ nobody; deadlocks=maybe; both locks oltp_read_write $args --table-size=10 --threads=20 --events=100 --mysql-ignore-errors=all
  $ : >out
  > sysbench oltp_read_write $args --table-size=1000 --threads=30 --workers=2 --time=60 --tx-rate=200 \
  >   --report-interval=1 --report-style=full --mysql-ignore-errors=all run >out &
  > client=$!
  $ wait_for out 'Threads started'
  $ for i in 1 2 3; do # those that were killed have come back, and no other is about to go
  >   until_true "SELECT COUNT(*) = 30 FROM information_schema.processlist WHERE user = '$user'"; sleep 0.4
  >   root "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$user'" | tail -n 20 >kill.sql
  >   last=$(root "SELECT MAX(id) FROM information_schema.processlist"); root "$(cat kill.sql)"
  >   until_true "SELECT SUM(id > $last) = 20 FROM information_schema.processlist WHERE user = '$user'"
  > done
  $ sleep 0.5; kill $client; wait $client; exited $?; accounts; figure reconnects; ! grep '^FATAL' out
  exit 143
  60

It goes away and stays away: the run ends when it should.

  $ : >out
  > sysbench oltp_point_select $args --table-size=1000 --threads=150 --workers=1 --time=2 --mysql-ignore-errors=all \
  >   run >out &
  > client=$!
  $ wait_for out 'Threads started'; sleep 0.3
  $ kill -KILL $pid; wait $client; exited $?; timed 1.9 20 $(figure 'total time')
  exit 1
  $ sysbench oltp_point_select $args --threads=150 --workers=1 run >out; exited $?; grep '^FATAL: .*error' out | clients_failed 149
  exit 1
  FATAL: error 2002: Can't connect to local server through socket '*' (111) (glob)
  FATAL: N more clients met error 2002

TLS: the handshakes and the reading do not hold the worker, and one connection's end is not another's.

  $ openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  >   -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>err || cat err
  $ chmod 644 key.pem
  $ server start -- --ssl-cert="$PWD/cert.pem" --ssl-key="$PWD/key.pem" --max-connections=450 >env || cat env
  $ . ./env
  $ tls="--mysql-ssl=on --mysql-ssl-ca=$PWD/cert.pem"
  $ cat >secret.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    local _, cipher = con:query_row("SHOW STATUS LIKE 'Ssl_cipher'")
  >    assert(#cipher > 3)
  >    con:query("DO SLEEP(0.1)")
  > end
  > END
  $ sysbench secret.lua $args $tls --threads=100 --workers=1 --events=400 --time=0 run >out; exited $?
  > timed 0.4 20 $(figure 'total time')
  $ : >out
  > sysbench oltp_point_select $args $tls --table-size=1000 --threads=60 --workers=2 --time=60 --tx-rate=300 \
  >   --mysql-ignore-errors=all run >out &
  > client=$!
  $ wait_for out 'Threads started'; until_true "SELECT COUNT(*) = 60 FROM information_schema.processlist WHERE user = '$user'"
  $ root "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$user'" | tail -n 10 >kill.sql
  $ last=$(root "SELECT MAX(id) FROM information_schema.processlist"); root "$(cat kill.sql)"
  $ until_true "SELECT SUM(id > $last) = 10 FROM information_schema.processlist WHERE user = '$user'"
  $ sleep 0.2; kill $client; wait $client; exited $?; accounts; figure reconnects; grep '^FATAL' out
  exit 143
  10
  [1]

Connections that do nothing, beside those that work, in both modes.

  $ for w in 0 1; do
  >   : >out
  >   sysbench oltp_point_select $args --table-size=1000 --threads=4 --idle-connections=200 --workers=$w --time=60 run \
  >     >out &
  >   client=$!
  >   wait_for out 'Threads started'; until_true "SELECT COUNT(*) = 204 FROM information_schema.processlist WHERE user = '$user'"
  >   sleep 0.2; kill $client; wait $client; grep idle out
  >   in_range $(figure 'total number of events') $(figure 'total number of events') $(figure transactions)
  >   timed 20 1000000 $(figure transactions)
  > done
  Opening 200 idle connections...
  Opening 200 idle connections...
  $ nobody # one that is still going away has a place nevertheless
  $ sysbench oltp_point_select $args --threads=4 --idle-connections=500 --time=1 run >out 2>err; status=$?; cat err
  > echo "exit $status"; grep '^FATAL' out | sed -E 's#/[^ ]*/#/#; s/only 4(48|49|50) of/only 450 of/'
  exit 1
  FATAL: unable to connect to MySQL server on socket '/mariadb.sock', aborting...
  FATAL: error 1040: Too many connections
  FATAL: only 450 of 500 idle connections could be opened
  $ : >out; sysbench oltp_point_select $args --table-size=1000 --threads=2 --idle-connections=20 --time=60 run >out & client=$!
  $ wait_for out 'Threads started'; until_true "SELECT COUNT(*) = 22 FROM information_schema.processlist WHERE user = '$user'"
  $ root \
  >   "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$user' AND command = 'Sleep' ORDER BY id LIMIT 5" \
  >   >kill.sql
  > root "$(cat kill.sql)"
  $ until_true "SELECT COUNT(*) = 17 FROM information_schema.processlist WHERE user = '$user'"
  $ kill $client; wait $client; grep 'WARNING.* idle ' out
  WARNING: 5 of 20 idle connections were closed by the server during the run
