A warm-up that ends when the load is steady: --warmup-until.

  $ . "$TESTDIR/../include/report.sh"; needs_mysql
  $ naps 10000 sleep.lua
  $ said() { sed -E 's/ (after|within) [0-9.]+ s/ \1 N s/; s/: [-+][0-9.]+% \+- [0-9.]+%/: N% +- N%/' "$@"; }

A bound of 100% is met as soon as there are ten readings; the limits count from there.

  $ sysbench sleep.lua --threads=2 --time=2 --warmup-time=60 --warmup-until=steady:100% --report-interval=1 \
  >   run >out 2>err & flat=$!
  $ sysbench sleep.lua --threads=4 --tx-rate=100 --time=2 --warmup-time=60 --warmup-until=steady:100% --report-interval=1 \
  >   --report-file=a.json,a.jsonl,a.csv,a.txt run >rate 2>rate.err & rate=$!
  $ sysbench sleep.lua --threads=1 --tx-rate=200 --time=1 --warmup-time=15 --warmup-until=steady:2% --report-file=b.json \
  >   run >over 2>over.err & over=$!
  $ wait $flat; exited $?; said err >got
  $ echo 'Warm-up: steady after N s (transactions per second: N% +- N% in 10 s, bound 100%)' | timed_diff - got
  $ sed -n -e '/^Warmup/p' -e '/^Warming/p' out
  Warmup until steady (100%), at most 60s
  Warming up until steady, for at most 60 seconds...
  $ grep -o '^\[ [0-9]s' out >got; printf '[ 1s\n[ 2s\n' | timed_diff - got; timed 10 10 $(grep -c '^Warm-up \[' out)
  $ unwrap <out | sed -n '/^Warm-up:/,/^$/p' | said >got; timed_diff - got <<'END'
  > Warm-up:
  >     until steady:                        steady after N s (transactions per second: N% +- N% in 10 s, bound 100%)
  > 
  > END
  $ timed 10 20 $(sed -n 's/.*steady after \([0-9.]*\) s.*/\1/p' err)

With a rate: what is offered is that of --time, and nothing of the warm-up is late.

  $ wait $rate; exited $?; said rate.err | grep Warm-up >got
  $ echo 'Warm-up: steady after N s (mean response time: N% +- N% in 10 s, bound 100%)' | timed_diff - got
  $ grep -o '^\[ [0-9]*s' rate >got; printf '[ 1s\n[ 2s\n' | timed_diff - got; sed -n 's|^ *offered: *||p' rate
  200
  $ report sums a.json; report agree a.json a.csv
  > report get a.json summary.rate.total_offered summary.warmup.figure summary.warmup.bound_pct
  200
  "response_mean_s"
  100
  $ report get a.json summary.warmup.steady >got; grep -o '"warmup":{"steady":true' a.jsonl >>got
  > printf 'true\n"warmup":{"steady":true\n' | timed_diff - got

A rate that the clients cannot reach is never steady; measuring begins after --warmup-time, without what waits in line.

  $ wait $over; exited $?; said over.err | grep Warm-up
  Warm-up: not steady within N s (mean response time: N% +- N% in 10 s, bound 2%)
  $ report get b.json summary.warmup.steady summary.warmup.lasted_s summary.rate.total_offered
  false
  15
  200
  $ timed 0 1.5 $(report get b.json summary.rate.lag_max_s)

It needs a limit.

  $ sysbench sleep.lua --warmup-until=steady run >out; exited $?; tail -n 1 out
  exit 1
  FATAL: --warmup-until=steady needs a limit: --warmup-time=N, at least 15 seconds
  $ sysbench sleep.lua --warmup-until=flat --warmup-time=20 --report-file=c.json run >out; exited $?; tail -n 1 out; ls c.json
  exit 1
  FATAL: Invalid value for --warmup-until: 'flat' (steady, or steady:PCT with a percentage above 0, at most 100)
  ls: cannot access 'c.json': No such file or directory
  [2]
