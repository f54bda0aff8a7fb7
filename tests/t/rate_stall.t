The schedule continues when the load generator stalls: one that was stopped for a second says so.
Runs alone: it stops the program for a while, and no other reason may make a start late.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'function event() end' >noop.lua
  $ : >out; sysbench noop.lua --tx-rate=1000 --tx-spin=0 --threads=4 --time=3 --report-interval=1 run >out & pid=$!
  $ wait_for out 'Threads started'
  $ sleep 0.5; kill -STOP $pid; sleep 1.1; kill -CONT $pid
  $ wait $pid; echo $?
  0

All that was planned meanwhile is made up for, late, and counted as that.

  $ accounts
  $ figure offered
  3000
  $ timed 2900 3000 $(figure done)
  $ timed 900 3000 $(figure 'late starts \(over 1 ms\)')
  $ timed 1000 2000 $(series response max)
  $ timed 1000 2000 $(series lag max)
  $ timed 1000 2000 $(figure max)
  $ timed 0 100 $(series service p99)
  $ timed 1 1 $(grep -c 'sustained: *yes' out)

Stopped until the run is over, it leaves starts behind that nobody began: no client was busy for that.

  $ : >out; sysbench noop.lua --tx-rate=500 --tx-spin=0 --threads=4 --time=3 run >out & pid=$!
  $ wait_for out 'Threads started'
  $ sleep 1.5; kill -STOP $pid; sleep 2.3; kill -CONT $pid
  $ wait $pid; accounts; timed 1 1000 $(figure unfinished)
  $ verdict() { unwrap <out | grep -cE "^ *sustained: *$1.*(the load generator (woke up late|did not run)|starts were late by up to)"; }
  $ timed 1 1 $(verdict 'no: ')

Stopped over the end of a warm-up, its clients begin what is measured late: they were not busy either.

  $ : >out; sysbench noop.lua --tx-rate=500 --tx-spin=0 --threads=4 --warmup-time=1 --time=2 run >out & pid=$!
  $ wait_for out 'Threads started'
  $ sleep 0.3; kill -STOP $pid; sleep 1.5; kill -CONT $pid
  $ wait $pid; accounts; timed 100 1000 $(figure 'late starts \(over 1 ms\)')
  $ timed 1 1 $(verdict 'yes, (but|after a backlog)')
