--reconnect=N of the oltp scripts: after every N events of a client it connects and prepares anew, and `reconnects` counts that.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/report.sh"
  $ filled oltp_read_write $SB_ARGS --table-size=1000
  $ counts() { echo \
  >   "$1: exit $2, $(figure transactions) transactions, $(figure reconnects) reconnects, $(figure 'ignored errors') errors"
  > grep '^FATAL' out || true; }
  $ for t in $(bundled_tests | grep '^oltp_' | sort)
  > do
  >   sysbench $t $SB_ARGS --table-size=1000 --events=10 --reconnect=3 --report-file=a.json run >out; counts $t $?
  >   in_range 0 0 $(report get a.json summary.connections.reconnect.samples)
  > done | sort
  oltp_delete: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_insert: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_point_select: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_read_only: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_read_write: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_update_index: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_update_non_index: exit 0, 10 transactions, 3 reconnects, 0 errors
  oltp_write_only: exit 0, 10 transactions, 3 reconnects, 0 errors
  $ for w in 0 1 s
  > do
  >   sysbench oltp_point_select $SB_ARGS --table-size=1000 --threads=4 --events=40 $(carried $w) --reconnect=1 \
  >     run >out
  >   counts "w $w" $?
  > done
  w 0: exit 0, 40 transactions, 40 reconnects, 0 errors
  w 1: exit 0, 40 transactions, 40 reconnects, 0 errors
  w s: exit 0, 40 transactions, 40 reconnects, 0 errors
