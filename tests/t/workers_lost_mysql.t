Many clients on few threads, against a MariaDB that refuses them, loses them, goes away and comes back.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"
  $ own_server --port=none -- --max-connections=450 --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2
  $ until_true() { left=600; until [ "$(root "$1" 2>/dev/null)" = 1 ]
  > do left=$((left - 1)); [ $left -gt 0 ] || { echo "never: $1"; return; }; sleep 0.05; done; }
  $ there() { until_true "SELECT COUNT(*) = $1 FROM information_schema.processlist WHERE user = '$user'"; }
  $ begin() { : >out; sysbench "$@" $args --server-waits=off --table-size=1000 run >out & client=$!; wait_for out 'Threads started'; }
  $ lose() { # N: so many connections are killed, and come back
  >   root "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$user'" | tail -n $1 >kill.sql
  >   last=$(root "SELECT MAX(id) FROM information_schema.processlist"); root "$(cat kill.sql)"
  >   until_true "SELECT SUM(id > $last) = $1 FROM information_schema.processlist WHERE user = '$user'"; }
  $ sysbench oltp_read_write $args --tables=1 --table-size=1000 prepare >out

More than the server takes: its words, and the end.

  $ there 0; sysbench oltp_point_select $args --table-size=1000 --threads=460 --workers=1 --time=5 run >full.1
  [1]
  $ grep '^FATAL' full.1 | clients_failed 9 11 # connections that are still going away have places, too
  FATAL: unable to connect to MySQL server on socket '*', aborting... (glob)
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!

Errors that are ignored, deadlocks, and connections that somebody kills.

  $ there 0; deadlocks=maybe; both locks oltp_read_write $args --table-size=10 --threads=20 --events=100 --mysql-ignore-errors=all
  $ begin oltp_read_write --threads=30 --workers=2 --time=60 --tx-rate=200 --report-interval=1 --report-style=full \
  >   --mysql-ignore-errors=all
  $ for i in 1 2 3; do there 30; sleep 0.4; lose 20; done # no other is about to go
  $ sleep 0.5; kill $client; wait $client; exited $?; accounts; figure reconnects; ! grep '^FATAL' out
  exit 143
  60

It goes away and stays away: the run ends when it should.

  $ begin oltp_point_select --threads=150 --workers=1 --time=2 --mysql-ignore-errors=all; sleep 0.3
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
  $ begin oltp_point_select $tls --threads=60 --workers=2 --time=60 --tx-rate=300 --mysql-ignore-errors=all; there 60; lose 10
  $ sleep 0.2; kill $client; wait $client; exited $?; accounts; figure reconnects; grep '^FATAL' out
  exit 143
  10
  [1]

Connections that do nothing, beside those that work, in both modes.

  $ for w in 0 1; do
  >   begin oltp_point_select --threads=4 --idle-connections=200 --workers=$w --time=60; there 204
  >   sleep 0.2; kill $client; wait $client; grep idle out
  >   in_range $(figure 'total number of events') $(figure 'total number of events') $(figure transactions)
  >   timed 20 1000000 $(figure transactions)
  > done
  Opening 200 idle connections...
  Opening 200 idle connections...
  $ there 0 # one that is still going away has a place nevertheless
  $ sysbench oltp_point_select $args --threads=4 --idle-connections=500 --time=1 run >out 2>err; status=$?; cat err
  > echo "exit $status"; grep '^FATAL' out | sed -E 's#/[^ ]*/#/#; s/only 4(48|49|50) of/only 450 of/'
  exit 1
  FATAL: unable to connect to MySQL server on socket '/mariadb.sock', aborting...
  FATAL: error 1040: Too many connections
  FATAL: only 450 of 500 idle connections could be opened
  $ begin oltp_point_select --threads=2 --idle-connections=20 --time=60; there 22
  $ root \
  >   "SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE user = '$user' AND command = 'Sleep' ORDER BY id LIMIT 5" \
  >   >kill.sql
  > root "$(cat kill.sql)"
  $ there 17; kill $client; wait $client; grep 'WARNING.* idle ' out
  WARNING: 5 of 20 idle connections were closed by the server during the run
