More is offered than can be done: nothing is lost from the accounts, whatever the policy.

  $ . "$TESTDIR/../include/rate.sh"
  $ naps 20000 slow.lua
  $ over() { sysbench slow.lua --tx-rate=200 --tx-spin=0 --time=2 --report-interval=1 "$@" run >out; s=$?
  > accounts; echo $s $(figure offered); }

Queue, the default: everything waits for its turn; what the deadline overtakes is unfinished.  A client does 50 a second
at most on any machine, and the last one of the first 100 starts ends behind the limit.

  $ over; figure dropped
  0 400
  0
  $ in_range 1 101 $(figure done)
  $ unwrap <out |
  >   sed -n -E \
  >     's/^    (unfinished:) +[0-9]+ \([0-9]+ waiting, [0-9]+ begun; the oldest for [0-9.]+ s: percentiles are lower bounds\)$/\1/p'
  unfinished:
  $ in_range 1 2 $(grep -cE '^\[.* unfinished [0-9]+ \(oldest [0-9.]+s\) late [0-9]+ \|' out)
  $ in_range 1400 1e9 $(series response max)

Each limit drops what is over it: half of the starts are not much later than it lets them be.

  $ kept() { in_range 298 399 $(($(figure dropped) + $(figure unfinished))); in_range 1 399 $(figure dropped)
  > in_range $1 200 $(series lag p50); }
  $ over --tx-burst=5; kept 5; over --tx-max-lag=50; kept 20
  0 400
  0 400
  $ over --tx-burst=1000 --tx-max-lag=1e6 --time=1; figure dropped
  0 200
  0
  $ for o in '1 --tx-jitter=1000 --tx-arrival=even' '2 --tx-arrival=poisson'
  > do over --time=1 --threads=3 --tx-burst=$o | cut -d' ' -f1; done | uniq
  0

Aborting ends the run with its report, long before its time.

  $ aborted() { sysbench "$@" --tx-spin=0 --time=300 --tx-overload=abort run >out; echo $?; grep FATAL out; accounts; }
  $ aborted slow.lua --tx-rate=200 --tx-burst=10 --report-interval=1
  1
  FATAL: the rate could not be held: more transactions were overdue than --tx-burst or --tx-max-lag allow
  $ in_range 11 50000 $(figure unfinished); in_range 0.05 290 $(figure 'total time')
  $ aborted slow.lua --tx-rate=200 --tx-max-lag=100 | wc -l; in_range 0.1 290 $(figure 'total time')
  2

At once, also when no thread comes back to ask for more; what is in flight gets two seconds.

  $ echo 'ffi.cdef("unsigned sleep(unsigned)") function event() ffi.C.sleep(600) end' >stuck.lua
  $ for w in 0 1; do
  >   aborted stuck.lua --threads=2 --workers=$w --tx-rate=100 --tx-max-lag=200 | wc -l; in_range 2.2 290 $(figure 'total time')
  > done | uniq
  2

The verdict names what was the limit; --tx-strict makes it the exit status.  With 200 ms each, no delay of a machine's matters.

  $ naps 200000 slower.lua
  $ verdict() { sysbench slower.lua --tx-rate=40 --time=2 --threads=2 "$@" run >out; echo $?
  > unwrap <out | sed -n -E 's/[0-9.,]+/N/g; s/^ *sustained: *//p'; ! grep '^FATAL' out; }
  $ verdict --tx-strict
  3
  no: N clients do N/s at most at N ms a transaction; N are needed for N/s
  $ verdict --think-time=200; in_range 1 6 $(unwrap <out | sed -n 's|.*think time do ||; s|/s at most.*||p')
  0
  no: N clients with N ms of think time do N/s at most; N are needed for N/s
  $ sysbench slow.lua --tx-rate=200 --tx-spin=0 --time=1 --threads=2 --tx-strict=100 run >out; exited $?
  $ sysbench slow.lua --tx-rate=2 --time=3 --threads=2 --tx-strict=20 run >out; exited $?
  $ figure offered; grep -c 'sustained: *yes' out
  6
  1

A transaction that fails is failed, one that its script withdraws is no transaction.

  $ echo 'n = 0 function event() n = n + 1 if n == 5 then error("the fifth") end end' >fails.lua
  $ sysbench fails.lua --tx-rate=100 --tx-spin=0 --events=5 --time=60 run >out; echo $?
  1
  $ accounts; echo $(figure offered) $(figure done) $(figure failed)
  5 4 1
  $ echo 'n = 0 function event() n = n + 1 return n == 5 end' >stops.lua
  $ sysbench stops.lua --tx-rate=100 --tx-spin=0 --time=1 run >out; exited $?
  $ accounts
