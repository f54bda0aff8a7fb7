--min-clients on PostgreSQL, whose errors of a connection attempt have no number: the others join when there is room for them.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --engine=postgresql --port=none -- --fsync=off
  $ filled oltp_point_select $args --table-size=100
  $ root() { psql --no-psqlrc --host=${socket%/*} --username=$admin --quiet --tuples-only --no-align --dbname=postgres --command="$1"; }
  $ # of the run before
  > nobody() { until [ "$(root "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '$user'")" = 0 ]
  > do sleep 0.02; done; }
  $ most() { root "ALTER ROLE $user CONNECTION LIMIT $1"; }
  $ run="sysbench oltp_point_select $args --table-size=100 --threads=30"
  $ for w in 0 1 s; do
  >   nobody; most 15; : >out
  >   $run $(carried $w) --min-clients=25% --tx-rate=100 --tx-spin=0 --time=60 --report-interval=1 --report-style=full \
  >     --report-file=a.json run >out 2>err &
  >   client=$!
  >   wait_for out 'Threads started'; most 100; wait_for out 'thds: 30 '; kill $client; wait $client
  >   exited $?; sed '/^Interrupted (SIG/d' err; accounts; grep '^FATAL' out
  >   grep -E '^WARNING: [0-9]+ of 30 clients' out | sed -E 's/[0-9]+ were refused/N were refused/; s/^(WARNING: )[0-9]+/\1N/'
  >   report get a.json summary.connections.clients | sed 's/"refused": [0-9]*/"refused": N/'
  > done | sort | uniq -c | sed 's/^ *//'
  3 WARNING: N of 30 clients are connected, N were refused: the run begins without them, and they keep trying.
  3 exit 143
  3 {"threads": 30, "connected": 30, "refused": N, "refused_with": null}

Fewer than that: no run.

  $ nobody; most 15; $run --min-clients=29 --time=5 run >out 2>err; exited $?
  > grep -o 'too many connections for role' out | sort -u; grep '^FATAL: Thread' out
  exit 1
  too many connections for role
  FATAL: Thread initialization failed!
