PgBouncer in transaction mode, which before 1.21 knows nothing of prepared statements: clients that meet this send plain queries.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/report.sh"
  $ . "$TESTDIR/../include/pooler.sh"
  $ pooler transaction 3; trap pooler_end EXIT
  $ run="sysbench oltp_read_only $SB_PGSQL_ARGS --pgsql-host=$place --pgsql-port=6432 --table-size=100"
  $ $run prepare | tail -n 1
  Creating a secondary index on 'sbtest1'...

In a transaction, the transaction is run again, once for each client; outside of transactions, the statement alone.

  $ for w in 0 1 s; do for more in "" --skip-trx=on; do
  >   $run --threads=8 $(carried $w) $more --time=0 --events=400 --report-file=a.json run >out 2>err; exited $?; cat err
  >   grep -E '^(WARNING|FATAL)' out | grep -v 'blocked its worker'; figure transactions
  >   plain=$(report get a.json summary.connections.plain_queries); in_range 1 8 $plain
  >   if [ "$more" ]; then in_range 0 0 $(figure 'ignored errors'); else in_range 0 $plain $(figure 'ignored errors'); fi
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 400
  6 WARNING: The server does not know a statement that it has prepared, as behind a pooler in transaction mode: clients that meet this send plain queries instead, as with --db-ps-mode=disable.

The sessions outlive a run: the statements that it left there are not executed by the next one with the same seed.

  $ sb() { sysbench $1 $SB_PGSQL_ARGS --pgsql-host=$place --pgsql-port=6432 --table-size=100 --threads=8 --rand-seed=5 \
  >   --time=0 --events=200 run >out 2>err
  > exited $?; cat err; grep -a FATAL out; }
  $ for t in oltp_point_select oltp_point_select oltp_update_index
  > do sb $t | grep -v '^WARNING: The server does not know'; echo $(figure read) $(figure write) $(figure other); done
  200 0 0
  200 0 0
  0 200 0

Without prepared statements there is nothing to meet.

  $ $run --threads=8 --time=0 --events=200 --db-ps-mode=disable run >out 2>err; exited $?; cat err
  > grep -c '^WARNING' out; figure transactions; figure 'ignored errors'
  0
  200
  0

Which of the server's sessions are ours cannot be told through it.

  $ $run --threads=1 --time=1 --db-ps-mode=disable --server-status --report-file=a.json run >out 2>err; exited $?; cat err
  > report get a.json summary.server_status.other_sessions_active summary.server_status.lock_waited_s
  > grep -o 'a proxy stands[^"]*' a.json | uniq
  null
  null
  a proxy stands before the server, so its sessions cannot be told apart

In session mode, clients that find the pool full are connected, and wait at their first statement.

  $ pooler_end; pooler session 2
  $ sysbench oltp_point_select $SB_PGSQL_ARGS --pgsql-host=$place --pgsql-port=6432 --table-size=100 --threads=5 \
  >   --thread-init-timeout=2 run >out 2>err
  > exited $?; grep -a FATAL out
  exit 2
  FATAL: Worker threads failed to initialize within 2 seconds!
  $ ready='2 of 5 clients; connecting: 0; connected, and waiting in thread_init() (PREPARE, for one): 3.'
  > echo "Ready within --thread-init-timeout=2: $ready" | timed_diff - err
