What a run of a database workload prints, byte for byte but for the figures, without a server.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ dry() { sysbench "$@" --mysql-dry-run run; }

What is around its block, figures masked.

  $ dry oltp_read_write --events=10 >out 2>err; exited $?; cat err; sed '1,/^Threads/d; /^SQL/,/reconnects/d' out | mask | brief
  
  
  (General statistics, Latency, Threads fairness)
  

Its block: a dry run counts every statement as "other"; all counters begin in one column.

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

The SQL block is printed as soon as a script asks for a driver, and only then.

  $ echo 'function thread_init() sysbench.sql.driver() end function event() end' >driver.lua
  $ dry driver.lua --events=3 | grep -c '^SQL statistics'
  1
  $ echo 'function event() end' >noop.lua
  $ ! dry noop.lua --events=3 | grep '^SQL statistics'
