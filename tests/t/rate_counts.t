The steady rate without a server: how many transactions, when, and by whom.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'function event() end' >noop.lua
  $ counts() { echo $(figure offered) $(figure done); }
  $ run() { sysbench noop.lua --tx-spin=0 "$@" run >out; s=$?; [ $s -eq 0 ] || echo "exit $s"; accounts; }

Offered is what the schedule holds: k-th start at k/R, so R in a second, and one at the very beginning.

  $ for rate in 0.5 1 2.5 10 100 1000 7777 20000; do
  >   run --tx-rate=$rate --time=1 --threads=3
  >   echo "$rate: $(figure offered)"
  >   timed $(echo $rate | awk '{ print 0.5 * $1 }') $(figure offered) $(figure done)
  > done | paste -sd ' '
  0.5: 1 1: 1 2.5: 3 10: 10 100: 100 1000: 1000 7777: 7777 20000: 20000
  $ run --tx-rate=0.1 --time=1; counts
  1 1

A run with --time lasts that long, also when the next start would lie behind it.

  $ timed 1 5 $(figure 'total time')

As many as --events says, in as long as the schedule takes for them.

  $ run --tx-rate=100 --events=50 --time=0; counts
  50 50
  $ timed 0.5 3 $(figure 'total time')
  $ run --tx-rate=20000 --events=12345 --threads=4; counts
  12345 12345
  $ run --tx-rate=5 --events=1 --time=0; counts
  1 1
  $ timed 0.2 3 $(figure 'total time')
  $ run --tx-rate=10 --events=1000 --time=1; figure offered
  10

The idle threads serve in turn.

  $ run --tx-rate=500 --time=1 --threads=10
  $ sed -n -E 's/^ *transactions per thread: *([0-9]+) to ([0-9]+)$/\1 \2/p' out | while read least most; do
  >   timed 25 50 $least; timed 50 125 $most
  > done

More threads than transactions, and many of both.

  $ run --tx-rate=20 --events=20 --time=60 --threads=100; counts
  20 20
  $ run --tx-rate=5000 --time=1 --threads=200; figure offered
  5000

Poisson arrivals: the rate on average; the same schedule from the same seed.

  $ run --tx-rate=1000 --tx-arrival=poisson --time=1 --threads=2 --rand-seed=5; in_range 800 1200 $(figure offered)
  $ first=$(figure offered); run --tx-rate=1000 --tx-arrival=poisson --time=1 --rand-seed=5; [ $(figure offered) = $first ]
  $ for seed in 6 7 8; do
  >   run --tx-rate=1000 --tx-arrival=poisson --time=1 --rand-seed=$seed; figure offered
  > done | sort -u | awk 'END { print (NR > 1) }'
  1

A jitter moves starts, not their number.  Aligned threads have no starts between their first and their third period, and
each runs one after the time limit, on threads and on workers.

  $ run --tx-rate=100 --tx-jitter=5000 --time=1 --threads=2; in_range 100 101 $(figure offered)
  $ for w in 0 2; do
  >   run --tx-rate=100 --tx-arrival=aligned --time=1 --threads=4 --workers=$w; in_range 96 104 $(figure offered)
  > done

With --events the schedule ends after them, and so does the jitter: nothing is planned behind the end.

  $ for seed in 3 4 5 6 8; do
  >   run --tx-rate=50 --events=50 --time=0 --threads=4 --tx-jitter=100000 --rand-seed=$seed
  >   figure done; grep -o 'sustained: *[a-z]*' out >>verdicts
  > done | sort | uniq -c | tr -s ' '
   5 50
  $ timed 5 5 $(grep -c yes verdicts)

Spinning before the start instead of sleeping costs CPU, here nine tenths of the time of one.

  $ cpu() { sed -n 's/^ *CPU, % of the whole system: .* total //p' out; }
  $ run --tx-rate=10 --time=1; plain=$(cpu)
  $ run --tx-rate=10 --tx-spin=90000 --time=1; figure offered
  10
  $ timed 2 100 $(cpu); timed 2 100000 $(echo $plain $(cpu) | awk '{ print $2 / ($1 + 0.001) }')

With a warm-up, what was offered and ended during it does not count.

  $ run --tx-rate=100 --warmup-time=1 --time=1 --report-interval=1; timed 90 101 $(figure offered)
  $ grep -c '^\[.* offered ' out
  1

Without a rate there is neither block.

  $ for r in '' --tx-rate=0; do ! sysbench noop.lua --events=10 $r run | grep -E '^(Rate|Load generator):'; done
