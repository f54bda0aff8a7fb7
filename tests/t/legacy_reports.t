The output of old generations, byte for byte but for the figures: --compat=0.4, 0.5 and the dialects that had these
numbers.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ dry() { sysbench oltp_read_write --events=0 --time=2 --report-interval=1 --mysql-dry-run --compat="$@" run; }
  $ limited() { sysbench oltp_read_write --events=10 --mysql-dry-run --compat="$@" run; }

0.4.12 and 0.5 in full.  Standard error is empty.

  $ limited 0.4.12 2>err | mask; cat err
  sysbench N.N.NN:  multi-threaded system evaluation benchmark
  
  Running the test with following options:
  Number of threads: N
  
  Threads started!
  Done.
  
  OLTP test statistics:
      queries performed:
          read: N
          write: N
          other: N
          total: N
      transactions: N (N.NN per sec.)
      deadlocks: N (N.NN per sec.)
      read/write requests: N (N.NN per sec.)
      other operations: N (N.NN per sec.)
  
  Test execution summary:
      total time: N.NNNNs
      total number of events: N
      total time taken by event execution: N.NNNN
      per-request statistics:
           min: N.NNms
           avg: N.NNms
           max: N.NNms
           approx. N percentile: N.NNms
  
  Threads fairness:
      events (avg/stddev): N.NNNN/N.NN
      execution time (avg/stddev): N.NNNN/N.NN
  

  $ limited 0.5 2>err | mask; cat err
  sysbench N.N:  multi-threaded system evaluation benchmark
  
  Running the test with following options:
  Number of threads: N
  Random number generator seed is N and will be ignored
  
  
  Threads started!
  
  OLTP test statistics:
      queries performed:
          read: N
          write: N
          other: N
          total: N
      transactions: N (N.NN per sec.)
      read/write requests: N (N.NN per sec.)
      other operations: N (N.NN per sec.)
      ignored errors: N (N.NN per sec.)
      reconnects: N (N.NN per sec.)
  
  General statistics:
      total time: N.NNNNs
      total number of events: N
      total time taken by event execution: N.NNNNs
      response time:
           min: N.NNms
           avg: N.NNms
           max: N.NNms
           approx. N percentile: N.NNms
  
  Threads fairness:
      events (avg/stddev): N.NNNN/N.NN
      execution time (avg/stddev): N.NNNN/N.NN
  

The other dialects: what their reports have instead.

  $ for d in 0.4 L0-D L1 L2 M0; do
  >   limited $d | mask >report; limited 0.4.12 | mask | diff - report | sed -n 's/^[<>]/&/p' | sed "s/^/$d /"
  > done
  L1 > Random number generator seed is N and will be ignored
  L1 > 
  L1 < Test execution summary:
  L1 > General statistics:
  L1 <     per-request statistics:
  L1 >     response time:
  L2 < sysbench N.N.NN:  multi-threaded system evaluation benchmark
  L2 > sysbench N.N.NN.N:  multi-threaded system evaluation benchmark
  L2 > Random number generator seed is N and will be ignored
  L2 > 
  L2 < Test execution summary:
  L2 > General statistics:
  L2 <     per-request statistics:
  L2 >     response time:
  M0 < sysbench N.N.NN:  multi-threaded system evaluation benchmark
  M0 > sysbench N.N:  multi-threaded system evaluation benchmark
  M0 > Random number generator seed is N and will be ignored
  M0 > 
  M0 < Done.
  M0 < Test execution summary:
  M0 > General statistics:
  M0 <     total time taken by event execution: N.NNNN
  M0 <     per-request statistics:
  M0 >     total time taken by event execution: N.NNNNs
  M0 >     response time:

Interval lines.

  $ for d in 0.4 L1 L2 M0 0.5; do dry $d | grep '^\[' | sed -E 's/[0-9]+\.[0-9]+/N.NN/g'; done
  [   1s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   2s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   1s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   2s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   1s] Intermediate results: 1 threads, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   2s] Intermediate results: 1 threads, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   1s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN, response time: N.NNms (95%)
  [   2s] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN, response time: N.NNms (95%)
  [   1s] threads: 1, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (95%), errors: N.NN, reconnects:  N.NN
  [   2s] threads: 1, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (95%), errors: N.NN, reconnects:  N.NN
