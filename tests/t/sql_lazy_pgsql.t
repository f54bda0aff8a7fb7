--db-ps-mode=prepare=lazy on PostgreSQL: a statement is prepared at its first execution, with the types of its parameters.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/statements.sh"
  $ filled oltp_read_write $SB_PGSQL_ARGS --tables=4 --table-size=100
  $ run() { sysbench "$@" $SB_PGSQL_ARGS --table-size=100 --rand-seed=5 --report-statements --report-file=a.json run \
  >   >out 2>err
  > exited $?; cat err; grep -E '^(FATAL|WARNING)' out; adds_up a.json; }
  $ prepared() { kinds a.json | grep '^prepare '; }

Seven statements of a client instead of 22.

  $ run oltp_read_only --tables=4 --events=1 --db-ps-mode=prepare=lazy; prepared
  prepare 7 0 0 prepare
  $ for w in 0 1 s
  > do
  >   run oltp_read_write --tables=4 --threads=4 --events=40 --db-ps-mode=prepare=lazy --pgsql-ignore-errors=all \
  >     $(carried $w)
  >   figure transactions
  > done
  40
  40
  40
  $ for t in select_random_points select_random_ranges oltp_delete oltp_insert oltp_update_non_index
  > do run $t --events=10 --db-ps-mode=prepare=lazy; done

A server that does not know a statement that it has prepared, as behind a pooler: plain queries, as with eager preparation.

  $ cat >gone.lua <<'END'
  > function thread_init()
  >   con = sysbench.sql.driver():connect()
  >   stmt = con:prepare("SELECT ?::bigint")
  >   n = stmt:bind_create(sysbench.sql.type.INT)
  >   stmt:bind_param(n)
  >   other = con:prepare("SELECT 7")
  >   k = 0
  > end
  > function event()
  >   k = k + 1
  >   if k == 2 then con:query("DEALLOCATE ALL") end
  >   n:set(k)
  >   print(k, stmt:execute():fetch_row()[1], k > 1 and other:execute():fetch_row()[1])
  > end
  > END
  $ sysbench gone.lua $SB_PGSQL_ARGS --events=3 --db-ps-mode=prepare=lazy run >out; exited $?; grep -E '^([0-9]+	|WARNING|FATAL)' out
  1	1	false
  WARNING: The server does not know a statement that it has prepared, as behind a pooler in transaction mode: clients that meet this send plain queries instead, as with --db-ps-mode=disable.
  2	2	7
  3	3	7
