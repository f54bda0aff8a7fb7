SIGINT and SIGTERM end a run with the full report of what was measured; a second one ends it at once.

  $ . "$TESTDIR/../include/rate.sh"
  $ cat >sleep.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > function event() ffi.C.usleep(10000) end
  > function thread_done() print("thread_done") end
  > function done() print("done") end
  > END
  $ cat >block.lua <<'END'
  > ffi.cdef("unsigned sleep(unsigned)")
  > function event() local left = 60 while left > 0 do left = ffi.C.sleep(left) end end
  > END
  $ begin() { : >out; env --default-signal=INT sysbench "$@" run >out 2>err & pid=$!; wait_for out 'Threads started'; sleep 0.3; }
  $ ended() { wait $pid; exited $?; cat err; }

One of each.

  $ begin sleep.lua --threads=2 --time=60; kill -INT $pid; ended
  exit 130
  $ sed '1,/^Threads started/d' out | mask | brief
  
  thread_done
  thread_done
  Interrupted (SIGINT after N.N s of N s)
  
  
  (General statistics, Latency, Threads fairness)
  
  done
  $ timed 0.2 10 $(figure 'total time')
  $ for o in 'TERM --time=60' 'TERM --rate=100 --time=60' 'INT --warmup-time=30'; do # a warm-up, too
  >   begin sleep.lua ${o#* }; kill -${o%% *} $pid; ended; grep -cE '^General statistics|^done' out
  > done | sed '/^Interrupted/d' | paste -sd ' '
  exit 143 2 exit 143 2 exit 130 1

With a rate the schedule ends at that instant (what was begun may take a while longer).

  $ begin sleep.lua --threads=2 --tx-rate=100 --tx-spin=0 --time=60; kill -INT $pid; ended
  exit 130
  $ accounts
  $ timed -2 20 $(awk -v t=$(figure 'total time') -v n=$(figure offered) 'BEGIN { print t * 100 - n }')
  $ begin sleep.lua --tx-rate=0.01 --tx-spin=0 --time=60; kill -INT $pid; ended
  exit 130
  $ figure offered; timed 1 1 $(figure done)
  1

One wish that arrives twice, as timeout(1) sends it to its child and to its group, is one.

  $ for i in 1 2 3; do begin sleep.lua --time=60; kill -INT $pid $pid; ended; grep -c '^General' out; done |
  >   sed '/^Interrupted/d' | paste -sd ' '
  exit 130 1 exit 130 1 exit 130 1
  $ timeout -s INT 1 sysbench sleep.lua --time=60 run >out 2>&1; echo $?
  124
  $ grep -c '^General' out
  1

A transaction that does not end is left behind after two seconds, the report is not.

  $ begin block.lua --threads=2 --tx-rate=100 --tx-spin=0; kill -INT $pid; ended
  exit 130
  $ accounts
  $ figure done; sed -n -E 's/^ *unfinished: .* ([0-9]+ begun).*/\1/p' out
  0
  2 begun

A second signal ends it at once.

  $ for s in INT TERM; do begin block.lua; kill -$s $pid; sleep 0.5; kill -INT $pid; ended; ! grep '^General' out; done |
  >   sort | uniq -c | tr -s ' '
   2 exit 130
   2 sysbench: second signal, ending at once

Before the run began there is nothing to report.

  $ echo 'ffi.cdef("unsigned sleep(unsigned)") function thread_init() ffi.C.sleep(60) end function event() end' >init.lua
  $ : >out; env --default-signal=INT sysbench init.lua run >out 2>err & pid=$!
  > wait_for out 'Initializing worker'; sleep 0.3; kill -INT $pid; ended
  exit 130
  $ ! grep '^General' out

Those that the parent process ignores stay ignored, as in stock: a shell without job control ignores SIGINT for its
background commands.

  $ : >out; (trap '' INT TERM HUP; exec sysbench cpu --time=2 --at=0.1 --do='kill -INT $$; echo "on"' run) >out 2>err & pid=$!
  $ wait_for out 'Threads started'; kill -INT $pid; kill -TERM $pid; kill -HUP $pid; ended; grep -c -e '^General' -e 'on$' out
  2
