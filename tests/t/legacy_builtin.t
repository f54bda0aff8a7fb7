The built-in tests and the rate of old generations: --compat=0.4, 0.4-tx, 0.4-drizzle, 0.5.

  $ . "$TESTDIR/../include/rate.sh"
  $ said() { sed -n '/^Doing/,/^Done/p' out | paste -sd '|' -; }
  $ own() { sed -e '1,/^Threads started/d' -e '/^Done\./d' -e '/^\(Test exec\|General\)/,$d' "$@" | sed '/./!d'; }
  $ events() { figure 'total number of events'; }

cpu: what each dialect says about the limit; the rest of the output is that of all tests.

  $ for c in 0.4 0.4-tx 0.4-drizzle 0.5 1.0; do
  >   sysbench --compat=$c --test=cpu --cpu-max-prime=500 --max-requests=20 run 2>/dev/null | sed -n "/Prime\|prime/p"
  > done | uniq -c
        3 Maximum prime number checked in CPU test: 500
        2 Prime numbers limit: 500
  $ sysbench --compat=0.4 --test=cpu --max-requests=5 run 2>err | sed -n '/^Number/,/^Test/p' | paste -sd '|' -; cat err
  Number of threads: 1||Doing CPU performance benchmark||Threads started!|Done.||Maximum prime number checked in CPU test: 10000|||Test execution summary:
  $ sysbench --compat=0.5 --test=cpu --max-requests=5 run | sed -n '/^Prime/,/^Gen/p' | paste -sd '|' -
  Prime numbers limit: 10000||Threads started!|||General statistics:

10000 events by default, no time limit.  0 is no limit in 0.5 only.

  $ sysbench --compat=0.4 --test=cpu --cpu-max-prime=10 --num-threads=3 run >out; events
  10000
  $ sysbench --compat=0.4 --test=cpu --max-requests=0 --max-time=60 run >out; events
  NOTE: with --compat=0.4 this test runs no event when --max-requests is 0, as it did
  0
  $ sysbench --compat=0.4-tx --test=threads --max-requests=0 --max-time=60 run >out 2>&1; events; grep -c NOTE out
  0
  1
  $ sysbench --compat=0.5 --test=cpu --max-requests=0 --max-time=1 run >out; timed 50 10000 $(events)

Neither intervals nor checkpoints; the counts are those of the whole run.

  $ sysbench --compat=0.4 --test=cpu --max-requests=30 --tx-rate=20 --report-interval=1 run >out; grep -c '^\[' out; events
  0
  30

threads and mutex; mutex runs one event per thread, whatever the limit.

  $ sysbench --compat=0.4 --test=threads --num-threads=2 --max-requests=50 run >out; said; events
  Doing thread subsystem performance test|Thread yields per test: 1000 Locks used: 8|Threads started!|Done.
  50
  $ sysbench --compat=0.4 --test=mutex --num-threads=4 --mutex-locks=50 --max-requests=1 run >out; said; events
  Doing mutex performance test|Threads started!|Done.
  4
  $ sysbench --compat=0.5 --test=mutex --num-threads=4 --mutex-locks=50 --max-requests=1 run >out; grep -c Doing out; events
  0
  4

memory: one quota for all threads, ints, any block size; MB.

  $ sysbench --compat=0.4 --test=memory --memory-total-size=1M --num-threads=3 --max-requests=5 run >out; said
  Doing memory operations speed test|Memory block size: 1K||Memory transfer size: 1M||Memory operations type: write|Memory scope type: global|Threads started!|Done.
  $ own out | mask; events
  Operations performed: N (N.NN ops/sec)
  N.NN MB transferred (N.NN MB/sec)
  1024
  $ sysbench --compat=0.5 --test=memory --memory-total-size=3000 --memory-block-size=1000 --memory-oper=none run >out
  > sed '1,/^Threads/d' out | head -n 5 | mask | paste -sd '|' -; events
  |Operations performed: N (N.NN ops/sec)|||General statistics:
  3
  $ sysbench --compat=0.4 --test=memory --memory-access-mode=rnd --memory-total-size=4K --memory-scope=local run >out; events
  4
  $ sysbench --compat=0.4 --test=memory --memory-block-size=3 run | tail -n +3
  FATAL: Invalid value for memory-block-size: 3
  $ sysbench --compat=0.5 --test=memory --max-time=2 --memory-total-size=0 --report-interval=1 run | grep '^\[' |
  >   sed -E 's/[0-9]+\.[0-9]+/N.NN/; s/ [0-9]+s\]/ Ns]/' | sort -u
  [   Ns] N.NN MB/sec,

fileio: prepare.

  $ some='--test=fileio --file-num=4 --file-total-size=2M'
  $ sysbench --compat=0.4 $some prepare
  sysbench 0.4.12:  multi-threaded system evaluation benchmark
  
  4 files, 512Kb each, 2Mb total
  Creating files for the test...
  $ rm test_file.3; truncate -s 100K test_file.2
  $ sysbench --compat=0.4 $some --file-extra-flags=sync prepare | tail -n +3 | sed -E 's/[0-9.]+ (seconds|MB)/N \1/g'
  4 files, 512Kb each, 2Mb total
  Creating files for the test...
  $ sysbench --compat=0.5 $some --file-extra-flags=sync prepare | sed -n '/^Extra/p;/^No/p'
  Extra file open flags: 101000
  No bytes written.

Fsyncs are no events.  A round of 4 after 100 requests, and one at the end; after exactly 200 requests there is nothing
left to be written; however many threads.

  $ run() { sysbench --compat=$1 $some --file-test-mode=$2 --max-requests=$3 --num-threads=$4 run >out; grep ^Operations out; events; }
  $ sysbench --compat=0.4 $some --file-test-mode=rndwr --max-requests=150 run >out
  > sed -n '/^Extra/,/^Test/p' out | sed "/^Read [0-9]/,/sec exec/d"; events
  Extra file open flags: 0
  4 files, 512Kb each
  2Mb total file size
  Block size 16Kb
  Number of random requests for random IO: 150
  Read/Write ratio for combined random IO test: 1.50
  Periodic FSYNC enabled, calling fsync() each 100 requests.
  Calling fsync() at the end of test, Enabled.
  Using synchronous I/O mode
  Doing random write test
  Threads started!
  Done.
  
  Operations performed:  0 Read, 150 Write, 8 Other = 158 Total
  
  Test execution summary:
  150
  $ grep -o '^Read.*(' out; grep -c '^ *[0-9.]* Requests/sec executed$' out
  Read 0b  Written 2.3438Mb  Total transferred 2.3438Mb  (
  1
  $ run 0.5 rndwr 200 4
  Operations performed:  0 reads, 200 writes, 8 Other = 208 Total
  200
  $ run 0.5 rndrd 300 2
  Operations performed:  300 reads, 0 writes, 0 Other = 300 Total
  300
  $ run 0.4 rndrw 10000 8
  Operations performed:  6000 Read, 4000 Write, 400 Other = 10400 Total
  10000

Ended by its time: no fsyncs at the end.

  $ sysbench --compat=0.4 $some --file-test-mode=rndwr --file-fsync-freq=0 --max-requests=0 --max-time=1 run >out
  > sed -n 's/.*Write, //p' out | cut -d ' ' -f 1,2
  0 Other

Sequential modes of 0.4: once over all files, with fsyncs at the end only.  Those of 0.5 have a limit.

  $ run 0.4 seqrewr 5 3
  Operations performed:  0 Read, 128 Write, 4 Other = 132 Total
  128
  $ run 0.4-tx seqrd 5 1
  Operations performed:  128 Read, 0 Write, 0 Other = 128 Total
  128
  $ run 0.5 seqrd 300 1
  Operations performed:  300 reads, 0 writes, 0 Other = 300 Total
  300
  $ run 0.4 seqwr 5 1
  Operations performed:  0 Read, 128 Write, 4 Other = 132 Total
  128

Intervals, in MB.

  $ for c in 0.4 0.5; do
  >   sysbench --compat=$c $some --file-test-mode=rndrd --max-requests=0 --max-time=1 --report-interval=1 --rate=500 run | grep '^\['
  > done | sed -E 's/[0-9]+\.[0-9]{3}ms/N.NNNms/; s/[0-9]+\.[0-9]{2}/N.NN/g; s/ [0-9]+s\]/ Ns]/'
  [   Ns] reads: N.NN MB/s writes: N.NN MB/s fsyncs: N.NN/s response time: N.NNms (95%)
  [   Ns] reads: N.NN MB/s writes: N.NN MB/s fsyncs: N.NN/s response time: N.NNNms (95%)
  $ sysbench --compat=0.4 $some cleanup | tail -n 1; ls test_file.* 2>/dev/null
  Removing test files...
  [2]

The rate of 2009: 4 threads at 20 a second have a period of 200 ms.  The first round is staggered, then all begin
together.  In the reports nothing is new; one more option of ours, and the rate has its blocks.

  $ echo 'function event() end' >noop.lua
  $ sysbench --compat=0.4 --test=cpu --num-threads=4 --tx-rate=20 --max-time=1 run >out 2>err; cat err; grep ^Target out
  > timed 20 24 $(events)
  Target transaction rate: 20/sec, with jitter 0 usec
  $ ! grep 'Rate\|sustained\|NOTE' out
  $ sysbench --compat=0.4 --test=cpu --num-threads=4 --tx-rate=20 --max-time=1 --tx-strict=50 run >out; accounts
  > timed 20 24 $(figure offered)
  $ sysbench --compat=0.4 --test=cpu --num-threads=2 --tx-rate=40 --tx-jitter=5000 --max-time=1 run | grep ^Target
  Target transaction rate: 40/sec, with jitter 5000 usec

0.5: the queue of --rate.

  $ sysbench --compat=0.5 --test=cpu --tx-rate=100 --tx-jitter=5 --max-time=1 run >out 2>err; cat err; grep ^Target out
  > timed 50 150 $(events)
  Target transaction rate: 100/sec
  $ sysbench --compat=0.5 --test=cpu --cpu-max-prime=300000 --max-requests=0 --tx-rate=9000000 --max-time=60 run >out
  > echo $?; grep FATAL out
  1
  FATAL: Event queue is full.

Without --compat the pace is even, and 1.0's output has the rate's blocks.

  $ sysbench --test=cpu --num-threads=4 --tx-rate=20 --max-time=1 run >out 2>/dev/null
  > grep -c '^Target transaction rate: 20/sec, even arrivals' out; accounts; figure offered
  1
  20
