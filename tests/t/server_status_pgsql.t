The server's own counters with PostgreSQL.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/rate.sh"
  $ filled oltp_write_only $SB_PGSQL_ARGS --table-size=10000

A second of the run is like another: at a rate, and without deadlocks, each of which lasts a second.

  $ try() { sysbench "$@" $SB_PGSQL_ARGS --table-size=10000 --tx-spin=0 --server-status run >out 2>err || exited $?; cat err; }
  $ unanswered() { unwrap <out | sed -n '/^Server status:/,/^$/p' | grep -q 'the server did not answer within 0.1 s'; }
  $ run() { try "$@"; left=10 # the last reading has the figures of the run
  >   while unanswered && [ $left -gt 0 ]; do left=$((left - 1)); try "$@"; done; }
  $ run oltp_write_only --rand-type=uniform --tx-rate=100 --time=3 --threads=2 --report-interval=1 --report-style=full
  $ status() { sed -n "/^Server status:/,/^\$/s/^ *$1: *\([0-9]*\).*/\1/p" out; }
  $ grep -m 1 '^\[.* thds: ' out | sed -E 's:.*\| active:active:; s: ([0-9.]+|n/a): N:g' # n/a: it took too long to answer
  active N numbackends N xact_commit/s N xact_rollback/s N tup_returned/s N tup_fetched/s N tup_inserted/s N tup_updated/s N tup_deleted/s N blks_hit/s N blks_read/s N temp_bytes/s N conflicts/s N deadlocks/s N other_sessions N other_sessions_active N lock_waited_s N lock_waited_for_others_s N
  $ timed 1 3 $(grep -c '^\[.* xact_commit/s [0-9.]* .* deadlocks/s [0-9]' out)
  $ in_range 3 10 $(status numbackends)

Backends hand in their counts once a second, and when a client asks for it, as all do before and after the run: what they
prepared is not counted, their last second is, nor are the reports' own questions.  (Autovacuum's transactions are.)

  $ exact() { [ "$(status xact_commit)" = "$(sed -n 's/^ *transactions: *\([0-9]*\) .*/\1/p' out)" ]; }
  $ committed() { left=5; while ! exact && [ $left -gt 0 ]; do left=$((left - 1)); run "$@"; done; exact || cat out; }
  $ committed oltp_write_only --rand-type=uniform --tx-rate=100 --time=3 --threads=2
  $ committed oltp_read_only --tx-rate=50 --time=1 --threads=32 --workers=1

The environment has all of its settings, without the passwords in them, and says which server it is.

  $ sql "ALTER DATABASE $SB_PGSQL_DB SET search_path = public, 'password=geheim'"; settings=$(sql 'SELECT count(*) FROM pg_settings')
  $ sysbench oltp_point_select $SB_PGSQL_ARGS --table-size=100 --events=10 --report-environment run >out; ! grep geheim out
  $ test $(grep -c '^    server.variable' out) = $((settings + 1)); sed -n 's/^    server.variable.search_path: *//p' out
  public, "password=***"
  $ test "$(sed -n 's/^    server.variable.shared_buffers: *//p' out)" = "$(sql 'SHOW shared_buffers')" # with its unit
  $ test "$(sed -n 's/^    server.variable.system_identifier: *//p' out)" = "$(sql 'SELECT system_identifier FROM pg_control_system()')"
