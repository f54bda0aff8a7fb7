The threads and mutex tests.
Runs alone: it compares how threads contend for a CPU and for a mutex.

  $ . "$TESTDIR/../include/rate.sh"
  $ sysbench threads run --events=30 --threads=4 --verbosity=4 >out 2>err; exited $?; cat err
  $ sed -n '/^Doing/,/^Threads/p' out
  Doing thread subsystem performance test
  Thread yields per test: 1000 Locks used: 8
  Initializing worker threads...
  
  Threads started!
  $ figure 'total number of events'
  30
  $ sed -n '/^Done/,$p' out | mask | brief
  Done.
  
  
  (General statistics, Latency, Threads fairness)
  
  $ sysbench threads run --events=3 --threads=2 | sed -n '/^Initializing random/,/^Threads/p'
  Initializing random number generator from current time
  
  
  Initializing worker threads...
  
  Threads started!

One mutex for all, none of the time in yields.

  $ sysbench threads run --events=1000 --threads=3 --thread-locks=1 --thread-yields=0 >out; figure 'total number of events'
  1000
  $ sysbench threads run --time=1 --report-interval=1 --threads=2 | grep -m 1 '^\[' | mask
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN

mutex: one event per thread, whatever the time.

  $ sysbench mutex run --threads=4 --mutex-locks=1000 --mutex-loops=100 --verbosity=4 >out 2>err; exited $?; cat err
  $ sed -n '/^Doing/,/^Threads/p' out
  Doing mutex performance test
  Initializing worker threads...
  
  Threads started!
  $ figure 'total number of events'
  4
  $ sed -n '/^Done/,$p' out | mask | brief
  Done.
  
  
  (General statistics, Latency, Threads fairness)
  
  $ sysbench mutex run --threads=4 --mutex-locks=1000 --mutex-loops=10 --events=3 >out; figure 'total number of events'
  3
  $ sysbench mutex run --threads=4 --mutex-num=1 --mutex-locks=1000 --mutex-loops=0 --time=0 --events=0 >out
  > figure 'total number of events'
  4
  $ sysbench mutex run --threads=2 --mutex-locks=1000 --mutex-loops=100000 --warmup-time=1 >out
  > timed 2 12 $(figure 'total number of events')

The loops are run: a thousand times as many take longer.

  $ sysbench mutex run --mutex-locks=100 --mutex-loops=1000000 >out; figure avg >many
  $ # the one that nobody disturbed
  > for i in 1 2 3 4 5
  > do sysbench mutex run --mutex-locks=100 --mutex-loops=1000 >out; figure avg; done | sort -n | head -n 1 >few
  $ awk '{ v[FILENAME] = $1 } END { print (v["many"] > 10 && v["many"] > 20 * v["few"]) }' many few
  1

What is refused: stock runs these for hours, or dies.

  $ for o in yields=-1 locks=0 locks=-1 locks=x; do refused threads run --thread-$o; done
  FATAL: Invalid value for thread-yields: -1.
  FATAL: Invalid value for thread-locks: 0.
  FATAL: Invalid value for thread-locks: -1.
  Invalid value for the 'thread_locks' option: 'x' (a whole number, such as 500, 10k or 1M, is needed)
  $ for o in num=0 num=-1 locks=0 locks=-1 loops=-1 num=1.5; do refused mutex run --mutex-$o; done
  FATAL: Invalid value for mutex-num: 0.
  FATAL: Invalid value for mutex-num: -1.
  FATAL: Invalid value for mutex-locks: 0.
  FATAL: Invalid value for mutex-locks: -1.
  FATAL: Invalid value for mutex-loops: -1.
  Invalid value for the 'mutex_num' option: '1.5' (a whole number, such as 500, 10k or 1M, is needed)
