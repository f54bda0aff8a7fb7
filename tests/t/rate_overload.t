More is offered than can be done: nothing is lost from the accounts, whatever the policy.

  $ . "$TESTDIR/../include/rate.sh"
  $ naps 20000 slow.lua
  $ over() { sysbench slow.lua --tx-rate=200 --tx-spin=0 --time=2 --report-interval=1 "$@" run >out; echo $?; accounts; figure offered; }

Queue, the default: everything waits for its turn; what the deadline overtakes is unfinished.

  $ over
  0
  400
  $ figure dropped
  0
  $ timed 10 100 $(figure done)
  $ unwrap <out |
  >   sed -n -E \
  >     's/^    (unfinished:) +[0-9]+ \([0-9]+ waiting, [0-9]+ begun; the oldest for [0-9.]+ s: percentiles are lower bounds\)$/\1/p'
  unfinished:
  $ timed 2 2 $(grep -cE '^\[.* unfinished [0-9]+ \(oldest [0-9.]+s\) late [0-9]+ \|' out)
  $ timed 1000 2500 $(series response max)

Each limit drops what is over it.

  $ over --tx-burst=5
  0
  400
  $ timed 250 395 $(figure dropped)
  $ timed 0 7 $(figure unfinished)
  $ over --tx-max-lag=50
  0
  400
  $ timed 250 395 $(figure dropped)
  $ timed 20 1000 $(series lag max)
  $ over --tx-burst=1000 --tx-max-lag=1e6 --time=1
  0
  200
  $ figure dropped
  0
  $ over --time=1 --threads=3 --tx-burst=1 --tx-jitter=1000 --tx-arrival=even | sed -n 1p
  0
  $ over --time=1 --threads=3 --tx-burst=2 --tx-arrival=poisson | sed -n 1p
  0

Aborting ends the run with its report.

  $ sysbench slow.lua --tx-rate=200 --time=30 --tx-burst=10 --tx-overload=abort --report-interval=1 run >out; echo $?
  1
  $ grep FATAL out
  FATAL: the rate could not be held: more transactions were overdue than --tx-burst or --tx-max-lag allow
  $ accounts
  $ timed 11 40 $(figure unfinished)
  $ timed 0.05 5 $(figure 'total time')
  $ sysbench slow.lua --tx-rate=200 --time=30 --tx-max-lag=100 --tx-overload=abort run >out; echo $?
  1
  $ grep -c FATAL out
  1
  $ accounts
  $ timed 0.1 5 $(figure 'total time')

At once, also when no thread comes back to ask for more; what is in flight gets two seconds.

  $ echo 'ffi.cdef("unsigned sleep(unsigned)") function event() ffi.C.sleep(600) end' >stuck.lua
  $ for w in 0 1
  > do
  >   sysbench stuck.lua --threads=2 --workers=$w --tx-rate=100 --time=300 --tx-overload=abort --tx-max-lag=200 run >out
  >   echo $?; accounts
  > done
  1
  1
  $ grep FATAL out; timed 2.2 60 $(figure 'total time')
  FATAL: the rate could not be held: more transactions were overdue than --tx-burst or --tx-max-lag allow

The verdict names what was the limit; --tx-strict makes it the exit status.

  $ sysbench slow.lua --tx-rate=200 --time=1 --threads=2 --tx-strict run >out; echo $?
  3
  $ verdict() { unwrap | sed -n -E 's/[0-9.,]+/N/g; s/^ *sustained: *//p' >got
  > echo "$1" | timed_diff - got; }
  $ verdict <out 'no: N clients do N/s at most at N ms a transaction; N are needed for N/s'
  $ sysbench slow.lua --tx-rate=200 --time=1 --threads=2 --think-time=20 run | unwrap >out
  > limit=$(sed -n 's|.*think time do ||; s|/s at most.*||p' out); timed 10 50 ${limit:-0}
  $ verdict <out 'no: N clients with N ms of think time do N/s at most; N are needed for N/s'
  $ ! grep '^FATAL' out
  $ sysbench slow.lua --tx-rate=200 --tx-spin=0 --time=1 --threads=2 run >out; exited $?
  $ sysbench slow.lua --tx-rate=200 --time=1 --threads=2 --tx-strict=95 run >out; timed 0 0 $?
  $ sysbench slow.lua --tx-rate=10 --time=1 --threads=2 --tx-strict=20 run >out; timed 0 0 $?
  $ figure offered; timed 1 1 $(grep -c 'sustained: *yes' out)
  10

A transaction that fails is failed, one that its script withdraws is no transaction.

  $ cat >fails.lua <<'END'
  > n = 0
  > function event() n = n + 1 if n == 5 then error("the fifth") end end
  > END
  $ sysbench fails.lua --tx-rate=100 --tx-spin=0 --events=5 --time=60 run >out; echo $?
  1
  $ accounts; figure offered; figure done; figure failed
  5
  4
  1
  $ cat >stops.lua <<'END'
  > n = 0
  > function event() n = n + 1 return n == 5 end
  > END
  $ sysbench stops.lua --tx-rate=100 --tx-spin=0 --time=1 run >out; exited $?
  $ accounts
