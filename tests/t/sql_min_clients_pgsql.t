--min-clients on PostgreSQL, whose errors of a connection attempt have no number: the others join when there is room for them.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ place=$(mktemp -d "${SB_TESTS%/*}/least-XXXXXX"); chmod 711 $place
  $ server() { "$SB_DBSERVER" "$@" --dir=$place/db; }
  $ "$SB_DBSERVER" start --engine=postgresql --dir=$place/db --port=none -- --fsync=off >env || cat env
  $ . ./env
  $ trap 'server stop --remove; rmdir $place' EXIT
  $ sysbench oltp_point_select $args --table-size=100 prepare >out; tail -n 1 out
  Creating a secondary index on 'sbtest1'...
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
  >   echo "exit $?"; sed '/^Interrupted (SIG/d' err; accounts; grep '^FATAL' out
  >   grep -E '^WARNING: [0-9]+ of 30 clients' out | sed -E 's/[0-9]+ were refused/N were refused/; s/^(WARNING: )[0-9]+/\1N/'
  >   report get a.json summary.connections.clients | sed 's/"refused": [0-9]*/"refused": N/'
  > done | sort | uniq -c | sed 's/^ *//'
  3 WARNING: N of 30 clients are connected, N were refused: the run begins without them, and they keep trying.
  3 exit 143
  3 {"threads": 30, "connected": 30, "refused": N, "refused_with": null}

Fewer than that: no run.

  $ nobody; most 15; $run --min-clients=29 --time=5 run >out 2>err; echo "exit $?"
  > grep -o 'too many connections for role' out | sort -u; grep '^FATAL: Thread' out
  exit 1
  too many connections for role
  FATAL: Thread initialization failed!
