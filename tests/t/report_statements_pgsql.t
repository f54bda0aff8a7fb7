Latency by kind of statement on PostgreSQL: --report-statements.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/statements.sh"
  $ filled oltp_read_write $SB_PGSQL_ARGS --tables=2 --table-size=200
  $ run() { sysbench "$@" $SB_PGSQL_ARGS --table-size=200 --report-statements --report-file=a.json run >out 2>err
  > exited $?; cat err; sound a.json; }
  $ run oltp_read_write --tables=2 --events=20
  $ kinds a.json | of_20
  $ kinds a.json | cut -d' ' -f1,5- | grep -v prepare\  >want
  $ run oltp_read_write --events=20 --db-ps-mode=disable; kinds a.json | cut -d' ' -f1,5- | grep -v prepare\  | diff want -
  $ run oltp_read_write --tables=2 --threads=8 --events=100 --workers=1 --pgsql-ignore-errors=all; kinds a.json | grep connect
  connect 8 0 0 connect

The look at the tables' sizes is not among them, and a table that is missing is another statement's error.

  $ sysbench oltp_read_write $SB_PGSQL_ARGS --tables=2 --table-size=100000 --events=20 --report-statements --report-file=a.json run >out
  WARNING: sbtest1 has ids up to 200, --table-size is 100,000: statements about higher ids find no row (so in 2 of 2 tables checked)
  $ kinds a.json | cut -d' ' -f1,5- | grep -v prepare\  | diff want -
  $ sysbench oltp_point_select $SB_PGSQL_ARGS --tables=3 --events=1 --db-ps-mode=prepare=lazy --rand-seed=1 run >out
  > grep '^FATAL' out | sed -n 1p
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  FATAL: PQprepare() failed: ERROR:  relation "sbtest3" does not exist
  $ sysbench oltp_read_only $SB_PGSQL_ARGS --pgsql-variant=redshift --events=1 run >out

Texts of this server: names in double quotes, strings in dollars, casts; a failed statement, a lost connection.

  $ cp "$TESTDIR/../data/lua-report/kinds_pgsql.lua" own.lua
  $ run ./own.lua --events=5 --pgsql-ignore-errors=23505,connection
  $ kinds a.json
  query 7 0 * SELECT "k" FROM sbtest1 WHERE id = ? AND c <> ? AND pad <> ? (glob)
  query 7 0 7 SELECT ?::text, ?::int
  query 1 1 0 INSERT INTO sbtest1 (id, k, c, pad) VALUES (...)
  query 1 1 0 SELECT pg_terminate_backend(pg_backend_pid())
  connect 2 0 0 connect

The ROLLBACK that follows an ignored error inside a transaction is a statement, whoever sends it.

  $ cp "$TESTDIR/../data/lua-report/fails_pgsql.lua" fails.lua
  $ run ./fails.lua --events=6 --pgsql-ignore-errors=23505; kinds a.json
  transaction 11 0 0 BEGIN
  query 11 5 6 INSERT INTO sbtest1 (id, k, c, pad) VALUES (...)
  transaction 6 0 0 COMMIT
  transaction 5 0 0 ROLLBACK
  connect 1 0 0 connect
