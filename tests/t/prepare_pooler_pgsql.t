prepare through PgBouncer: each way of sending rows, with fewer connections to the server than threads.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/pooler.sh"
  $ sb() { sysbench oltp_read_write $SB_PGSQL_ARGS --rand-seed=7 --tables=3 --table-size=30000 --threads=6 "$@" >out \
  >   2>err
  > exited $?; }
  $ through() { sb --pgsql-host=$place --pgsql-port=6432 "$@"; grep -v ' rows/s' err; }
  $ sums() { for t in sbtest1 sbtest2 sbtest3
  > do sql "SELECT COUNT(*), md5(string_agg(concat_ws(',', id, k, c, pad), ' ' ORDER BY id)) FROM $t"; done; }
  $ sb prepare; sums >whole; sb cleanup

In transaction mode, threads take turns.  In session mode, PgBouncer's default, those that come late get a connection when
others have left, and those do not wait for them.

  $ for mode in transaction session; do
  >   pooler $mode 2
  >   for method in copy insert; do
  >     through --prepare-method=$method prepare; sums | cmp - whole
  >     sql "DELETE FROM sbtest2 WHERE id > 26000"; through --prepare-method=resume prepare; sums | cmp - whole; sb cleanup
  >   done
  >   pooler_end
  > done
