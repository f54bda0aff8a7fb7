The schedule continues when the load generator stalls: one that was stopped for a second says so.
Runs alone: it stops the program for a while, and no other reason may make a start late.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'function event() end' >noop.lua

The first is stopped for a second in the middle, the second until its run is over, the third over the end of a warm-up.

  $ run() { : >$1; name=$1; shift; sysbench noop.lua --tx-spin=0 --threads=4 "$@" run >$name & }
  $ run out --tx-rate=1000 --time=3 --report-interval=1; middle=$!
  $ run over --tx-rate=500 --time=3; over=$!
  $ run warm --tx-rate=500 --warmup-time=1 --time=2; warm=$!
  $ for f in out over warm; do wait_for $f 'Threads started'; done
  $ sleep 0.4; kill -STOP $middle $warm; sleep 1.1; kill -CONT $middle; kill -STOP $over; sleep 0.4; kill -CONT $warm
  $ sleep 1.9; kill -CONT $over
  $ wait $middle; echo $?; wait $over; wait $warm
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

  $ accounts over; timed 1 1000 $(figure unfinished over)
  $ verdict() { unwrap <$1 | grep -cE "^ *sustained: *$2.*(the load generator (woke up late|did not run)|starts were late by up to)"; }
  $ timed 1 1 $(verdict over 'no: ')

Stopped over the end of a warm-up, its clients begin what is measured late: they were not busy either.

  $ accounts warm; timed 100 1000 $(figure 'late starts \(over 1 ms\)' warm)
  $ timed 1 1 $(verdict warm 'yes, (but|after .* of up to)')
