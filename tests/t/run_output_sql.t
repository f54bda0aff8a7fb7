What a run of a database workload prints, byte for byte but for the figures, without a server.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ dry() { sysbench "$@" --mysql-dry-run run; }

The whole of it, figures masked.

  $ dry oltp_read_write --events=10 >out 2>err; echo $?; cat err; sed 1d out | mask
  0
  
  Running the test with following options:
  Number of threads: N
  Initializing random number generator from current time
  
  
  Initializing worker threads...
  
  Threads started!
  
  SQL statistics:
      queries performed:
          read: N
          write: N
          other: N
          total: N
      transactions: N (N.NN per sec.)
      queries: N (N.NN per sec.)
      ignored errors: N (N.NN per sec.)
      reconnects: N (N.NN per sec.)
  
  General statistics:
      total time: N.NNNNs
      total number of events: N
  
  Latency (ms):
           min: N.NN
           avg: N.NN
           max: N.NN
   Nth percentile: N.NN
           sum: N.NN
  
  Threads fairness:
      events (avg/stddev): N.NNNN/N.NN
      execution time (avg/stddev): N.NNNN/N.NN
  

A dry run counts every statement as "other"; all counters begin in one column.

  $ sed -n '/SQL/,/reconnects/p' out | sed -E 's/\([0-9.]+ per/(N per/'
  SQL statistics:
      queries performed:
          read:                            0
          write:                           0
          other:                           200
          total:                           200
      transactions:                        10     (N per sec.)
      queries:                             200    (N per sec.)
      ignored errors:                      0      (N per sec.)
      reconnects:                          0      (N per sec.)

The figures of the block agree with each other and with the time.

  $ dry oltp_read_only --time=1 >out
  $ awk '/transactions:/ { n = $2; rate = substr($3, 2) } /queries:/ { q = $2; qrate = substr($3, 2) }
  >   /total time:/ { t = $3 } /number of events:/ { e = $5 }
  >   function near(a, b) { return a > 0.99 * b && a < 1.01 * b }
  >   END { print near(n / t, rate), near(q / t, qrate), q == 16 * n, e == n }' out
  1 1 1 1

Statements of an event, and options that change their number.

  $ other() { sed -n -E 's/^ *other: *//p'; }
  $ for t in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_insert oltp_delete \
  >     oltp_update_index oltp_update_non_index select_random_points select_random_ranges; do
  >   echo $t $(dry $t --events=100 | other) $(dry $t --events=100 --db-ps-mode=disable | other)
  > done
  oltp_read_only 1600 1600
  oltp_read_write 2000 2000
  oltp_write_only 600 600
  oltp_point_select 100 100
  oltp_insert 100 100
  oltp_delete 100 100
  oltp_update_index 100 100
  oltp_update_non_index 100 100
  select_random_points 100 100
  select_random_ranges 100 100
  $ for o in skip-trx range-selects=off point-selects=0 delete-inserts=5 index-updates=0 non-index-updates=3; do
  >   echo $o $(dry oltp_read_write --events=100 --$o | other)
  > done
  skip-trx 1800
  range-selects=off 1600
  point-selects=0 1000
  delete-inserts=5 2800
  index-updates=0 1900
  non-index-updates=3 2200

The SQL block is printed as soon as a script asks for a driver, and only then.

  $ echo 'function thread_init() sysbench.sql.driver() end function event() end' >driver.lua
  $ dry driver.lua --events=3 | grep -c '^SQL statistics'
  1
  $ echo 'function event() end' >noop.lua
  $ dry noop.lua --events=3 | grep -c '^SQL statistics'
  0
  [1]

prepare and cleanup.

  $ sysbench oltp_read_write --mysql-dry-run --tables=2 --table-size=10 prepare | tail -n +2
  
  Creating table 'sbtest1'...
  Inserting 10 records into 'sbtest1'
  Creating a secondary index on 'sbtest1'...
  Creating table 'sbtest2'...
  Inserting 10 records into 'sbtest2'
  Creating a secondary index on 'sbtest2'...
  $ sysbench oltp_read_write --mysql-dry-run --tables=2 cleanup | tail -n +2
  
  Dropping table 'sbtest1'...
  Dropping table 'sbtest2'...
  $ sysbench oltp_read_write --mysql-dry-run --tables=3 --threads=2 --table-size=0 prepare | sed -n '2,4p'
  
  Initializing worker threads...
  
