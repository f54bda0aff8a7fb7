The output of old generations, byte for byte but for the figures: --compat=0.4, 0.5 and the dialects that had these
numbers.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ dry() { sysbench oltp_read_write --events=0 --time=2 --report-interval=1 --mysql-dry-run --compat="$@" run; }
  $ limited() { sysbench oltp_read_write --events=10 --mysql-dry-run --compat="$@" run; }

0.4.12 in full.  Standard error is empty.

  $ limited 0.4 2>err | mask; cat err
  sysbench N.N.NN:  multi-threaded system evaluation benchmark
  
  No DB drivers specified, using mysql
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
  

The other generations: what their reports have instead.

  $ for d in 0.4-tx 0.4-drizzle 0.5; do
  >   limited $d 2>err | mask >report; cat err; limited 0.4 | mask | diff -U0 - report | sed 1,2d
  > done
  @@ -1 +1 @@
  -sysbench N.N.NN:  multi-threaded system evaluation benchmark
  +sysbench N.N:  multi-threaded system evaluation benchmark
  @@ -3 +2,0 @@
  -No DB drivers specified, using mysql
  @@ -5,0 +5,2 @@
  +Random number generator seed is N and will be ignored
  +
  @@ -8 +8,0 @@
  -Done.
  @@ -17 +16,0 @@
  -    deadlocks: N (N.NN per sec.)
  @@ -19,0 +19,2 @@
  +    ignored errors: N (N.NN per sec.)
  +    reconnects: N (N.NN per sec.)
  @@ -21 +22 @@
  -Test execution summary:
  +General statistics:
  @@ -24,2 +25,2 @@
  -    total time taken by event execution: N.NNNN
  -    per-request statistics:
  +    total time taken by event execution: N.NNNNs
  +    response time:

Interval lines.

  $ for d in 0.4 0.5; do dry $d | grep '^\[' | sed -E 's/[0-9]+\.[0-9]+/N.NN/g; s/ [0-9]+s\]/ Ns]/' | uniq; done
  [   Ns] threads: 1, tps: N.NN, reads/s: N.NN, writes/s: N.NN response time: N.NNms (95%)
  [   Ns] threads: 1, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (95%), errors: N.NN, reconnects:  N.NN

The header.

  $ header() { sysbench oltp_read_write --mysql-dry-run --events=1 "$@" run 2>err | sed '1,2d; /^Threads started/,$d' |
  >   paste -sd '|' -; cat err; }
  $ header --compat=0.4 --db-driver=mysql --tx-rate=1000 --num-threads=2
  Running the test with following options:|Number of threads: 2|Target transaction rate: 1000/sec, with jitter 0 usec|
  $ header --compat=0.4 --tx-rate=1000 --tx-jitter=500 --report-interval=1 --report-checkpoints=4,2 --seed-rng=3
  No DB drivers specified, using mysql|Running the test with following options:|Number of threads: 1|Target transaction rate: 1000/sec, with jitter 500 usec|Report intermediate results every 1 second(s)|Report checkpoint(s) at 2, 4 seconds|Initializing random number generator from seed (3).||
  $ header --compat=0.5 --rand-init --validate --max-time=5 --forced-shutdown=2
  Running the test with following options:|Number of threads: 1|Additional request validation enabled.||Initializing random number generator from timer.||Random number generator seed is 0 and will be ignored||Forcing shutdown in 7 seconds|
  $ header --compat=0.4 --init-rng --debug --db-driver=mysql | sed 's/DEBUG[^|]*|\{0,1\}//g'
  Running the test with following options:|Number of threads: 1|Debug mode enabled.||Initializing random number generator from timer.|||
  $ sysbench nosuch.lua --compat=0.4 --max-requests=0 --max-time=0 run 2>err | head -n 2
  WARNING: Both max-requests and max-time are 0, running endless test
  sysbench 0.4.12:  multi-threaded system evaluation benchmark

How the load ends: 0.4 says that the time was over, once for all threads, and nothing about the number of requests.

  $ ends() { sysbench oltp_read_write --mysql-dry-run --num-threads=3 "$@" run | sed -n '/^Threads started/,/^OLTP/p' | paste -sd '|' -; }
  $ ends --compat=0.4 --max-requests=0 --max-time=1
  Threads started!|Time limit exceeded, exiting...|(last message repeated 2 times)|Done.||OLTP test statistics:
  $ ends --compat=0.4 --max-requests=5
  Threads started!|Done.||OLTP test statistics:
  $ ends --compat=0.5 --max-requests=0 --max-time=1
  Threads started!||OLTP test statistics:

A script's COMMITs are the transactions of 0.5; those of 0.4 are its events.

  $ cat >two.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    for _, text in ipairs {"BEGIN", "update t set k = 1", "COMMIT", "begin", "SELECT 1", "commit"} do con:query(text) end
  > end
  > END
  $ counts() {
  >   sysbench two.lua --mysql-dry-run --max-requests=10 "$@" run |
  >     sed -n -E '/OLTP|SQL/,/^$/ { s/ +\(.*//; s/^ *([a-z].*): +/\1: /p }; s/^ +(.*events): +/\1: /p' |
  >     paste -sd '|' -
  > }
  $ counts --compat=0.5
  read: 10|write: 10|other: 40|total: 60|transactions: 20|read/write requests: 20|other operations: 40|ignored errors: 0|reconnects: 0|total number of events: 10
  $ counts --compat=0.4 | grep -o 'trans[^|]*'
  transactions: 10
  $ counts --compat=1.0 | grep -o -e 'trans[^|]*' -e 'write:[^|]*' | paste -sd '|' -
  write: 0|transactions: 10

Built-in tests have a final report only; a script without statements has all of it.

  $ sysbench --compat=0.5 --test=cpu --max-time=2 --max-requests=0 --report-interval=1 --report-checkpoints=1 run |
  >   grep -c -e '^\[' -e '^General'
  1
  $ naps 1000 sleep.lua
  $ : >out
  > sysbench --compat=0.5 --test=sleep.lua --max-time=600 --max-requests=0 --report-interval=1 --report-checkpoints=1 \
  >   run >out &
  > pid=$!
  $ wait_for out '^\[.*tps: ' 2; kill $pid; wait $pid # a line that comes late stands for those that it missed
  [143]
  $ grep -e '^\[' -e '^[A-Z]' out | mask | uniq
  Running the test with following options:
  Number of threads: N
  Report intermediate results every N second(s)
  Report checkpoint(s) at N seconds
  Random number generator seed is N and will be ignored
  Threads started!
  [ Ns] threads: N, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (N%), errors: N.NN, reconnects: N.NN
  [ Ns] Checkpoint report:
  OLTP test statistics:
  General statistics:
  Threads fairness:
  [ Ns] threads: N, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (N%), errors: N.NN, reconnects: N.NN
  Interrupted (SIGTERM after N.N s of N s)
  OLTP test statistics:
  General statistics:
  Threads fairness:

Per thread.

  $ sysbench --compat=0.4 --test=sleep.lua --max-requests=4 --debug run | sed -n '/^DEBUG: Verbose/,$p' | mask |
  >   paste -sd '|' -
  DEBUG: Verbose per-thread statistics:||DEBUG:     thread # N: min: N.NNNNs  avg: N.NNNNs  max: N.NNNNs  events: N|DEBUG:                  total time taken by even execution: N.NNNNs|

A rate of old alone adds nothing to the report; further options of ours do.

  $ rate() { sysbench oltp_read_write --mysql-dry-run --compat=0.4 --max-time=1 --max-requests=0 --tx-rate=100 "$@" \
  >   run 2>err | sed -n -e '/^Target/p' -e '/^OLTP/,$p' | grep '^[A-Z]'
  > cat err; }
  $ rates() { rate "$@" | grep -v '^Load gen' | paste -sd '|' -; }
  $ rates; rates --tx-jitter=5; rates --tx-spin=10
  Target transaction rate: 100/sec, with jitter 0 usec|OLTP test statistics:|Test execution summary:|Threads fairness:
  Target transaction rate: 100/sec, with jitter 5 usec|OLTP test statistics:|Test execution summary:|Threads fairness:
  Target transaction rate: 100/sec, with jitter 0 usec|OLTP test statistics:|Test execution summary:|Threads fairness:|Rate:
  $ rate --tx-arrival=poisson | grep -e ^Target -e ^Rate
  Target transaction rate: 100/sec, Poisson arrivals, jitter 0 usec
  Rate:

--batch: each line with the time, and a line of latencies every so many seconds.

  $ : >out; sysbench --compat=0.4 --test=sleep.lua --max-requests=0 --max-time=600 --batch --batch-delay=1 run >out & pid=$!
  $ wait_for out ' min: .* percentile' 2; kill $pid; wait $pid
  [143]
  $ ! grep -v '^\[[0-9]*\] ' out
  $ grep ' min: .* percentile' out | sed -E 's/^\[[0-9]+\]/[T]/' | mask | head -n 2
  [T] min: N.NNNN avg: N.NNNN max: N.NNNN percentile: N.NNNN
  [T] min: N.NNNN avg: N.NNNN max: N.NNNN percentile: N.NNNN
  $ ! grep -e 'Report intermediate' -e 'threads:.*tps' out

A result file has the options of the run and figures of today.

  $ sysbench --compat=0.5 --test=sleep.lua --max-requests=10 --report-file=out.json run >out
  $ python3 -c 'import json; print(json.load(open("out.json"))["run"]["options"]["effective"]["compat"])'
  0.5
