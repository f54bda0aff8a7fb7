The memory test.

  $ . "$TESTDIR/../include/rate.sh"
  $ sysbench memory run --memory-total-size=64M >out 2>err; exited $?; cat err; sed 1d out | mask | brief
  
  Running the test with following options:
  Number of threads: N
  Initializing random number generator from current time
  
  
  Running memory speed test with the following options:
    block size: NKiB
    total size: NMiB
    operation: write
    scope: global
  
  Initializing worker threads...
  
  Threads started!
  
  Total operations: N (N.NN per second)
  
  N.NN MiB transferred (N.NN MiB/sec)
  
  
  (General statistics, Latency, Threads fairness)
  
  $ sed -n '/^Total/,/^General/p' out | mask >whole; figure 'Total operations'
  65536
  $ grep -o '^64.00 MiB transferred' out
  64.00 MiB transferred

The quota is that of all threads, whole blocks for each; --events does not apply.

  $ sysbench memory run --memory-total-size=1M --threads=3 --events=5 >out; figure 'Total operations'
  1023
  $ grep -o '^[0-9.]* MiB transferred' out
  1.00 MiB transferred
  $ sysbench memory run --memory-total-size=1K --memory-block-size=1M >out; figure 'Total operations'
  0
  $ sysbench memory run --memory-total-size=1M --memory-block-size=64K --tx-rate=10000 --tx-spin=0 --events=3 >out
  > figure 'Total operations'; accounts
  16

Without a total size the time is the limit.

  $ sysbench memory run --memory-total-size=0 --memory-block-size=1M --time=1 >out; timed 0.9 5 $(figure 'total time')
  $ timed 20 10000000 $(figure 'Total operations')

Every operation, mode and scope, block sizes from one word up.

  $ for oper in read write none; do for mode in seq rnd; do for scope in global local; do
  >   for block in 8 128 64K; do
  >     sysbench memory run --threads=2 --memory-oper=$oper --memory-access-mode=$mode --memory-scope=$scope \
  >       --memory-block-size=$block --memory-total-size=256K >>all || echo "$oper $mode $scope $block: exit $?"
  >   done; done; done; done
  $ grep '^Total operations' all | cut -d ' ' -f 3 | sort -n | uniq -c | awk '{ print $1, $2 }'
  12 4
  12 2048
  12 32768
  $ grep -c 'transferred' all
  24
  $ sysbench memory run --memory-oper=none --memory-scope=local --memory-block-size=512 --memory-total-size=1M >out
  > sed -n '/^  [a-z]/p; /^Total/,/^General/p' out | mask
    block size: NKiB
    total size: NMiB
    operation: none
    scope: local
  Total operations: N (N.NN per second)
  
  
  General statistics:

Intervals and a checkpoint.  An interval line that comes late stands for those that it missed, so the run goes on until there are two.

  $ : >out; sysbench memory run --memory-total-size=0 --time=600 --report-interval=1 --report-checkpoints=1 --rate=1000 >out & pid=$!
  $ wait_for out 'MiB/sec$' 2; kill $pid; wait $pid
  [143]
  $ grep -E '^\[' out | mask | head -n 3
  [ Ns ] N.NN MiB/sec
  [ Ns ] Checkpoint report:
  [ Ns ] N.NN MiB/sec
  $ sed -n '/Checkpoint/,/^General/p' out | mask | sed 1d | diff - whole

A pass does touch the block: sixteen times the size takes longer, by the quickest pass of each, which nobody disturbed.

  $ sysbench memory run --memory-block-size=1M --memory-total-size=256M >out; figure min >small
  $ sysbench memory run --memory-block-size=16M --memory-total-size=256M >out; figure min >large
  $ awk '{ v[FILENAME] = $1 } END { print (v["large"] > 4 * v["small"]) }' small large
  1

What is refused.

  $ for o in block-size=7 block-size=4 block-size=24 block-size=0 block-size=-1 block-size=5X block-size= scope=x \
  >   scope= oper=x oper=Read access-mode=x
  > do
  >   sysbench memory run --memory-$o | tail -n +3; done
  FATAL: Invalid value for memory-block-size: 7
  FATAL: Invalid value for memory-block-size: 4
  FATAL: Invalid value for memory-block-size: 24
  FATAL: Invalid value for memory-block-size: 0
  FATAL: Invalid value for memory-block-size: -1
  FATAL: Invalid value for memory-block-size: 5X
  FATAL: Invalid value for memory-block-size: 
  FATAL: Invalid value for memory-scope: x (allowed: global, local)
  FATAL: Invalid value for memory-scope:  (allowed: global, local)
  FATAL: Invalid value for memory-oper: x (allowed: read, write, none)
  FATAL: Invalid value for memory-oper: Read (allowed: read, write, none); did you mean read?
  FATAL: Invalid value for memory-access-mode: x (allowed: seq, rnd)
  $ refused memory run --memory-total-size=5X
  Invalid value for the 'memory_total_size' option: '5X' (a size, such as 4096, 16K or 2G, is needed)
  $ refused memory run --memory-hugetlb --memory-block-size=1G --memory-scope=local --threads=1000 | mask
  FATAL: Failed to allocate N bytes from HugeTLB memory. errno = N (Cannot allocate memory)
  FATAL: Failed to allocate buffer!

After a warm-up the quota is whole; what was in flight, or begun while the figures were read, counts too.

  $ sysbench memory run --warmup-time=1 --memory-block-size=4M --memory-total-size=1G >out; timed 256 400 $(figure 'Total operations')
