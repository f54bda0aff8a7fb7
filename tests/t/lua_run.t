A script runs: callbacks, restarts, hooks, loops of its own.

  $ . "$TESTDIR/../include/common.sh"
  $ cp "$TESTDIR"/../data/lua/*.lua .
  $ quiet() { sysbench --verbosity=0 "$@"; exited $?; }
  $ events() { sed -n 's/.*total number of events: *//p'; }

The order of the callbacks, and in which state they run.

  $ quiet phases.lua --events=3 run | tr '\t' ' ' | paste -sd '|'
  top level 0|init 0|top level 0|thread_init 0|thread_done 0|done 0
  $ quiet phases.lua --events=3 --threads=2 --report-interval=1 run | sort | tr '\t' ' ' | paste -sd '|'
  done 0|init 0|thread_done 0|thread_done 1|thread_init 0|thread_init 1|top level 0|top level 0|top level 1|top level 2

An error in any of them is an error of the program.

  $ for f in init thread_init event thread_done done; do
  >   quiet phases.lua --events=3 --fail=$f run | grep -v '^top level' | tr '\t' ' ' | paste -sd '|'
  > done
  init 0|FATAL: `init' function failed: phases.lua:12: init fails|exit 1
  init 0|thread_init 0|FATAL: `thread_init' function failed: phases.lua:12: thread_init fails|FATAL: Thread initialization failed!|exit 1
  init 0|thread_init 0|FATAL: `thread_run' function failed: phases.lua:12: event fails|done 0|exit 1
  init 0|thread_init 0|thread_done 0|FATAL: `thread_done' function failed: phases.lua:12: thread_done fails|done 0|exit 1
  init 0|thread_init 0|thread_done 0|done 0|FATAL: `done' function failed: phases.lua:12: done fails|exit 1

An event that returns a true value ends its thread and is not counted.

  $ sysbench phases.lua --fail=stop --threads=2 run | events
  0

Restarted events are one event; a restart asks the limits first.

  $ quiet restart.lua --events=10 --time=0 run
  restarts: 20
  $ sysbench restart.lua --events=10 --time=0 run | events
  10
  $ sysbench restart.lua --fails=-1 --time=1 --threads=2 run >out; exited $?
  $ events <out
  0
  $ timed 1 5 $(sed -n 's/.*total time: *\([0-9.]*\)s/\1/p' out)

A loop of the script's own.

  $ sysbench own_loop.lua --events=10 run | events
  5

Reports through hooks.

  $ hooks() { sysbench hooks.lua --events=1000 --time=0 "$@" run | sed -e '1,/Threads started/d'; }
  $ hooks --format=fields
  
  errors events latency_avg latency_max latency_min latency_pct latency_sum other reads reconnects threads_running time_interval time_total writes
  $ for f in csv default json; do hooks --format=$f | mask | sed -n 2,4p; done
  N,N,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s N.NN reconn/s: N.NN
  [
    {
      "time": N,
  $ sysbench hooks.lua --format=fields --time=2 --report-interval=1 run | grep -q queue_length; exited $?
  $ hooks --format=error
  
  FATAL: `report_cumulative' function failed: hooks.lua:19: no report today
  $ sysbench hooks.lua --events=1 --format=error run >out
  [1]

Two workloads that need no server.

  $ sysbench empty-test.lua --events=100 run | sed -n '/{/,/latency_avg/p' | mask
  {
      "errors": N,
      "events": N,
      "latency_avg": N.NNNNN,
  $ quiet prime-test.lua --events=2 --cpu-max-prime=100 run | grep primes
  primes: 24

Lines of a script before the run, and an error that it has printed itself.

  $ cat >header.lua <<'END'
  > function sysbench.hooks.print_header() print("of the script") end
  > function event() print("FATAL: no more") error({reported = true}) end
  > END
  $ sysbench header.lua --rand-seed=1 run >out; exited $?; tail -n +5 out | grep .
  exit 1
  Initializing random number generator from seed (1).
  of the script
  Initializing worker threads...
  Threads started!
  FATAL: no more
  $ for w in 0 1; do sysbench header.lua --workers=$w run >out; exited $?; grep -c FATAL out; done | sort | uniq -c
        2 1
        2 exit 1
  $ echo 'function prepare() print("FATAL: none") error({reported = true}) end' >prepare.lua
  $ sysbench prepare.lua prepare | tail -n +3
  FATAL: none
  $ echo 'function sysbench.hooks.print_header() error("no header") end function event() return true end' >broken.lua
  $ sysbench broken.lua run >out; exited $?; grep FATAL out
  exit 1
  FATAL: `sysbench.hooks.print_header' function failed: broken.lua:1: no header
