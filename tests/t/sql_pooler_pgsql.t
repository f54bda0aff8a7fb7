PgBouncer in transaction mode, which before 1.21 knows nothing of prepared statements: clients that meet this send plain queries.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/report.sh"
  $ bouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer) || exit 80 # there is none
  $ if [ "$(id -u)" = 0 ]; then command -v setpriv >/dev/null || exit 80; as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"; fi
  $ place=$(mktemp -d /tmp/pooler-XXXXXX); [ "$(id -u)" != 0 ] || chown nobody $place
  $ cat >$place/ini <<END
  > [databases]
  > * = host=$SB_PGSQL_HOST port=$SB_PGSQL_PORT user=$SB_PGSQL_USER
  > [pgbouncer]
  > listen_addr =
  > listen_port = 6432
  > unix_socket_dir = $place
  > logfile = $place/log
  > pidfile = $place/pid
  > auth_type = any
  > pool_mode = transaction
  > default_pool_size = 3
  > max_prepared_statements = 0
  > END
  $ version=$("$bouncer" --version | sed -n -E '1s/.* 1\.([0-9]+).*/\1/p'); [ "$version" -ge 21 ] || sed -i /max_prepared/d $place/ini
  $ $as "$bouncer" -q $place/ini & pooler=$!
  $ trap 'kill $pooler; wait $pooler; rm -r $place' EXIT
  $ tries=500; until [ -S $place/.s.PGSQL.6432 ] || [ $tries = 0 ]; do tries=$((tries - 1)); sleep 0.02; done
  $ run="sysbench oltp_read_only $SB_PGSQL_ARGS --pgsql-host=$place --pgsql-port=6432 --table-size=100"
  $ $run prepare | tail -n 1
  Creating a secondary index on 'sbtest1'...

In a transaction, the transaction is run again, once for each client; outside of transactions, the statement alone.

  $ for w in 0 1 s; do for more in "" --skip-trx=on; do
  >   $run --threads=8 $(carried $w) $more --time=0 --events=400 --report-file=a.json run >out 2>err; echo "exit $?"; cat err
  >   grep -E '^(WARNING|FATAL)' out; figure transactions; plain=$(report get a.json summary.connections.plain_queries); in_range 1 8 $plain
  >   if [ "$more" ]; then in_range 0 0 $(figure 'ignored errors'); else in_range 0 $plain $(figure 'ignored errors'); fi
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 400
  6 WARNING: The server does not know a statement that it has prepared, as behind a pooler in transaction mode: clients that meet this send plain queries instead, as with --db-ps-mode=disable.
  6 exit 0

Without prepared statements there is nothing to meet.

  $ $run --threads=8 --time=0 --events=200 --db-ps-mode=disable run >out 2>err; echo "exit $?"; cat err; grep -c '^WARNING' out; figure transactions; figure 'ignored errors'
  exit 0
  0
  200
  0
