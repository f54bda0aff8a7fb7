--db-ps-mode=prepare=lazy: a statement is prepared at its first execution, with the types of its parameters.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/statements.sh"
  $ filled oltp_read_write $SB_ARGS --tables=4 --table-size=100
  $ run() { sysbench "$@" $SB_ARGS --table-size=100 --rand-seed=5 --report-statements --report-file=a.json run >out 2>err
  > exited $?; cat err; grep -E '^(FATAL|WARNING)' out | grep -v 'blocked its worker'; adds_up a.json; }
  $ prepared() { kinds a.json | grep '^prepare '; }

Each kind of statement is executed on one table per transaction: seven statements of a client instead of 22.

  $ run oltp_read_only --tables=4 --events=1; prepared
  prepare 22 0 0 prepare
  $ run oltp_read_only --tables=4 --events=1 --db-ps-mode=prepare=lazy; prepared; sound a.json
  prepare 7 0 0 prepare

What is executed and counted does not change (PostgreSQL's names of statements take draws, so that rows do).

  $ for o in eager lazy; do
  >   run oltp_read_only --tables=2 --events=30 --db-ps-mode=prepare=$o
  >   kinds a.json | grep -v -e '^prepare ' -e '^connect ' | cut -d' ' -f 1-3,5- | sort >kinds.$o
  >   grep -E '(read|write|other|total|queries|transactions):' out | sed 's/(.*//' >counts.$o
  > done
  $ cmp kinds.eager kinds.lazy; cmp counts.eager counts.lazy; figure transactions
  30

So do the scripts that prepare by themselves, and clients on workers, whether they share a Lua state or not.

  $ for t in select_random_points select_random_ranges oltp_point_select oltp_delete oltp_insert oltp_update_index; do
  >   run $t --events=10 --db-ps-mode=prepare=lazy; prepared
  > done | uniq -c
        5 prepare 1 0 0 prepare
  $ for w in 0 1 s; do
  >   run oltp_read_write --tables=4 --threads=4 --events=40 --db-ps-mode=prepare=lazy --$DB-ignore-errors=all $(carried $w)
  >   figure transactions
  >   run oltp_point_select --tables=4 --threads=4 --events=8 --db-ps-mode=prepare=lazy $(carried $w)
  >   in_range 1 8 $(prepared | cut -d' ' -f2)
  > done
  40
  40
  40

After --reconnect, only what is used is prepared again.

  $ run oltp_read_only --events=4 --reconnect=2 --db-ps-mode=prepare=lazy; prepared
  prepare 14 0 0 prepare

A statement that the server refuses is an error of its first execution.

  $ run oltp_point_select --tables=5 --events=1000 --db-ps-mode=prepare=lazy |
  >   sed -E 's/^FATAL: (mysql_stmt_|PQ)prepare\(\).*sbtest5.*/FATAL: REFUSED/'
  exit 1
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  FATAL: REFUSED
  FATAL: `thread_run' function failed: * (glob)
  $ run oltp_point_select --tables=5 --events=100 --db-ps-mode=prepare=lazy --$DB-ignore-errors=all
  > figure 'ignored errors' | grep -c '^[1-9]'
  1

It needs statements that are prepared.

  $ sysbench oltp_point_select $SB_ARGS --db-ps-mode=prepare=lazy --db-ps-mode=disable run
  FATAL: --db-ps-mode=prepare=lazy cannot be used with --db-ps-mode=disable, which prepares no statement
  [1]
