--db-ps-mode=prepare=lazy on MySQL: a statement is prepared at its first execution.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/statements.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --port=none -- --max-prepared-stmt-count=30 --innodb-buffer-pool-size=16M
  $ filled oltp_read_write $args --tables=4 --table-size=100
  $ counted() { mariadb --no-defaults --socket=$socket --user=$admin --batch --skip-column-names \
  >   --execute="SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'" | cut -f 2
  > }
  $ # those of the run before count until the server has let its clients go
  > none() { left=600; until [ "$(counted)" = 0 ] || [ $left = 0 ]; do left=$((left - 1)); sleep 0.05; done; }
  $ # a server may be slow to let one in
  > run() { none
  > sysbench "$@" $args --table-size=100 --rand-seed=5 --report-statements --report-file=a.json run >out 2>err
  > exited $?; cat err; grep -E '^(FATAL|WARNING)' out | grep -v 'blocked its worker'; adds_up a.json; }
  $ prepared() { kinds a.json | grep '^prepare '; }

Each kind of statement is executed on one table per transaction: seven statements of a client instead of 22.

  $ run oltp_read_only --tables=4 --events=1; prepared
  prepare 22 0 0 prepare
  $ run oltp_read_only --tables=4 --events=1 --db-ps-mode=prepare=lazy; prepared; sound a.json
  prepare 7 0 0 prepare

What is executed and counted does not change.

  $ for o in eager lazy; do
  >   run oltp_read_only --tables=2 --events=30 --db-ps-mode=prepare=$o
  >   kinds a.json | grep -v -e '^prepare ' -e '^connect ' | sort >kinds.$o
  >   grep -E '(read|write|other|total|queries|transactions):' out | sed 's/(.*//' >counts.$o
  > done
  $ cmp kinds.eager kinds.lazy; cmp counts.eager counts.lazy; figure transactions
  30

So do the scripts that prepare by themselves, and clients on workers, whether they share a Lua state or not.

  $ for t in select_random_points select_random_ranges oltp_point_select oltp_delete oltp_insert oltp_update_index; do
  >   run $t --events=10 --db-ps-mode=prepare=lazy; prepared
  > done
  prepare 1 0 0 prepare
  prepare 1 0 0 prepare
  prepare 1 0 0 prepare
  prepare 1 0 0 prepare
  prepare 1 0 0 prepare
  $ for w in 0 1 s
  > do
  >   run oltp_point_select --tables=4 --threads=4 --events=8 --db-ps-mode=prepare=lazy $(carried $w)
  >   in_range 1 8 $(prepared | cut -d' ' -f2)
  > done

The server accepts 30 statements, which eager preparation exceeds.

  $ run oltp_read_only --tables=4 --threads=2 --events=2
  WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 30)): clients whose statements it refuses send plain queries instead.
  $ run oltp_read_only --tables=4 --threads=2 --events=2 --db-ps-mode=prepare=lazy

Sixteen clients that come to use all four tables exceed it, too: some go on with plain queries.

  $ run oltp_point_select --tables=4 --threads=16 --events=2000 --db-ps-mode=prepare=lazy; figure transactions
  WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 30)): clients whose statements it refuses send plain queries instead.
  2000

After --reconnect, only what is used is prepared again.

  $ run oltp_read_only --events=4 --reconnect=2 --db-ps-mode=prepare=lazy; prepared
  prepare 14 0 0 prepare

A statement that the server refuses is an error of its first execution.

  $ run oltp_point_select --tables=5 --events=1000 --db-ps-mode=prepare=lazy
  exit 1
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  FATAL: mysql_stmt_prepare() returned error 1146 (Table 'sbtest.sbtest5' doesn't exist) for query 'SELECT c FROM sbtest5 WHERE id=?'
  FATAL: `thread_run' function failed: * (glob)
  $ run oltp_point_select --tables=5 --events=100 --db-ps-mode=prepare=lazy --mysql-ignore-errors=1146
  > figure 'ignored errors' | grep -c '^[1-9]'
  1

It needs statements that are prepared.

  $ sysbench oltp_point_select $args --db-ps-mode=prepare=lazy --db-ps-mode=disable run
  FATAL: --db-ps-mode=prepare=lazy cannot be used with --db-ps-mode=disable, which prepares no statement
  [1]
