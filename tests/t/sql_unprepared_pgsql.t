A server that does not know a statement that it has prepared, as behind a pooler: DEALLOCATE ALL does the same.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/pgsql.sh"
  $ cat >gone.lua <<'END'
  > sysbench.cmdline.options = {inside = {"in a transaction", false}}
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
  >   if sysbench.opt.inside then con:query("BEGIN") end
  >   if k == 2 then con:query("DEALLOCATE ALL") end
  >   n:set(k)
  >   local a, b = stmt:execute():fetch_row()[1], k > 1 and other:execute():fetch_row()[1]
  >   if sysbench.opt.inside then con:query("COMMIT") end
  >   print(k, a, b)
  > end
  > END
  $ run="sysbench gone.lua $SB_PGSQL_ARGS --events=3"
  $ for when in eager lazy; do
  >   $run --db-ps-mode=prepare=$when run >out; exited $?; grep -E '^([0-9]+	|WARNING|FATAL)' out; figure 'ignored errors'
  > done | sort | uniq -c | sed 's/^ *//'
  2 0
  2 1	1	false
  2 2	2	7
  2 3	3	7
  2 WARNING: The server does not know a statement that it has prepared, as behind a pooler in transaction mode: clients that meet this send plain queries instead, as with --db-ps-mode=disable.
  $ $run --inside --on-error=other:fatal run >out; exited $?; grep -E '^([0-9]+	|WARNING|FATAL)' out
  > figure 'ignored errors'; figure 'plain queries'
  1	1	false
  WARNING: The server does not know a statement that it has prepared, as behind a pooler in transaction mode: clients that meet this send plain queries instead, as with --db-ps-mode=disable.
  3	3	7
  4	4	7
  1
  1
