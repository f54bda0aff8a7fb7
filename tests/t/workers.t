Many clients on few threads.

  $ . "$TESTDIR/../include/workers.sh"; needs_mysql
  $ told() { sysbench "$@" >out 2>err; exited $?; grep -E '^(FATAL|WARNING)' out; cat err; }

How many.

  $ for w in -1 1.5 x 1025 '' auto1; do told nothing.lua --workers=$w run; done
  exit 1
  FATAL: Invalid value for --workers: '-1' (default, auto, or 0 to 1024)
  exit 1
  FATAL: Invalid value for --workers: '1.5' (default, auto, or 0 to 1024)
  exit 1
  FATAL: Invalid value for --workers: 'x' (default, auto, or 0 to 1024)
  exit 1
  FATAL: Invalid value for --workers: '1025' (default, auto, or 0 to 1024)
  exit 1
  FATAL: --workers needs a value
  exit 1
  FATAL: Invalid value for --workers: 'auto1' (default, auto, or 0 to 1024); did you mean auto?
  $ told cpu --workers=1 run
  exit 1
  FATAL: --workers is for scripts, whose clients wait for a server: the 'cpu' test keeps its threads busy
  $ echo 'function event() end' >nothing.lua
  $ for w in 0 1 3 9 auto
  > do sysbench nothing.lua --workers=$w --threads=4 --events=10 run | grep -E 'threads|worker|number of events'; done
  Number of threads: 4
  Initializing worker threads...
      total number of events:              10
  Number of threads: 4
  Worker threads: 1
  Initializing worker threads...
      total number of events:              10
  Number of threads: 4
  Worker threads: 3
  Initializing worker threads...
      total number of events:              10
  Number of threads: 4
  Worker threads: 4
  Initializing worker threads...
      total number of events:              10
  Number of threads: 4
  Worker threads: [0-9]+ (re)
  Initializing worker threads...
      total number of events:              10

A script cannot tell: hooks, globals, modules, random numbers, tid, counters.

  $ echo 'loaded = (loaded or 0) + 1; local m = {n = 0}; return m' >mod.lua
  $ cat >tell.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > local m = require("mod")
  > local texts = {}
  > mine = 0
  > function say(...) texts[#texts + 1] = table.concat({...}, " ") end
  > function thread_init(tid) say("init", tid, sysbench.tid, loaded, m.n) end
  > function event(tid)
  >    mine = mine + 1
  >    m.n = m.n + 1
  >    say("event", tid, sysbench.tid, mine, m.n, sysbench.rand.uniform(1, 1000000), sysbench.rand.string("@@@###"))
  >    ffi.C.usleep(100)
  >    string.gsub("abc", ".", function(c) ffi.C.usleep(10) say(c) end)
  >    coroutine.wrap(function() ffi.C.usleep(10) coroutine.yield() end)()
  >    table.sort({3, 1, 2}, function(a, b) ffi.C.usleep(10) return a < b end)
  >    sysbench.tid = sysbench.tid
  >    return mine == 5
  > end
  > function thread_done(tid)
  >    say("done", tid, mine)
  >    print(table.concat(texts, "\n" .. tid .. ": "))
  > end
  > END
  $ for w in 0 1 2 3
  > do
  >   sysbench tell.lua --threads=6 --rand-seed=5 --workers=$w run >tell.$w
  >   grep -E '^[0-9]: ' tell.$w | sort -s -k1,1 >said.$w
  > done
  $ wc -l <said.0; grep -c '^init' tell.0; for w in 1 2 3; do cmp said.0 said.$w; done
  126
  6

The same with an event that never blocks, and none is favoured.

  $ cat >spin.lua <<'END'
  > n = 0
  > function event() n = n + 1 end
  > function thread_done(tid) print(string.format("did %d", n)) end
  > END
  $ sysbench spin.lua --threads=8 --workers=1 --time=1 run >out
  $ grep -c '^did' out
  8
  $ timed 0 5 $(sed -n 's/ *events (avg.*): *\([0-9.]*\)\/\([0-9.]*\)/\1 \2/p' out | awk '{ print 100 * $2 / $1 }')

Sleeping clients do not keep each other waiting.

  $ cat >sleepy.lua <<'END'
  > ffi.cdef("int usleep(unsigned us); int poll(void *fds, unsigned long n, int ms); unsigned sleep(unsigned s);")
  > function event(tid) if tid % 2 == 0 then ffi.C.usleep(50000) else ffi.C.poll(nil, 0, 50) end end
  > END
  $ sysbench sleepy.lua --threads=100 --workers=1 --events=1000 --time=0 run >out
  $ timed 0.49 20 $(figure 'total time'); figure 'total number of events'
  1000

A script that keeps its worker from the others is named, once per place.

  $ cat >holds.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function event(tid)
  >    if tid == 3 then
  >       local till = os.clock() + 0.2
  >       while os.clock() < till do
  >          string.rep("x", 100)
  >       end
  >    end
  >    ffi.C.usleep(1000)
  > end
  > END
  $ # ThreadSanitizer holds signals back until the place is over
  $ place() { if ldd "$(command -v sysbench)" | grep -q libtsan; then sed 's/N ms:/N ms at holds.lua:N:/'; else cat; fi; }
  $ sysbench holds.lua --threads=5 --workers=1 --events=20 --workers=warn=50 run >out
  > grep '^WARNING: client 3 blocked' out | sed -E 's/[0-9]+ ms/N ms/; s/lua:([4-9]|10):/lua:N:/' | place | sort -u >got
  $ warns="WARNING: client 3 blocked its worker for more than N ms at holds.lua:N: the other clients of the worker had to wait. "\
  > "A script must not compute or block for so long with --workers."
  $ # who looks for the place may come when it is over
  > grep -x "$warns" got >at || :; test -s at || cp got at; echo "$warns" | timed_diff - at
  $ timed 0 0 $(grep -c '^WARNING: client [^3]' out)
  $ for o in --workers=warn=0 --workers=warn=5000; do sysbench holds.lua --threads=5 --workers=1 --events=8 $o run | grep '^WARNING'; done
  [1]
  $ sysbench holds.lua --threads=5 --workers=0 --events=20 run | grep '^WARNING'
  [1]

Errors: in the event, in each hook, in some clients only.

  $ for where in thread_init event thread_done; do
  >   echo \
  >     "ffi.cdef('int usleep(unsigned us);') function event() ffi.C.usleep(1000) end function $where(tid) ffi.C.usleep(1000) "\
  > "if tid == 2 then error('no ' .. tid) end end" \
  >     >fails.lua
  >   n=2000; [ $where != event ] || n=200000 # client 2 may come late
  >   both $where fails.lua --threads=4 --events=$n
  >   grep -E '^(FATAL|exit)' $where.1
  > done
  FATAL: `thread_init' function failed: fails.lua:1: no 2
  FATAL: Thread initialization failed!
  exit 1
  FATAL: `thread_run' function failed: fails.lua:1: no 2
  exit 1
  FATAL: `thread_done' function failed: fails.lua:1: no 2
  exit 1

Restarts, withdrawals, events of a loop of one's own, warm-up, checkpoints.

  $ cat >again.lua <<'END'
  > function event(tid)
  >    tries = (tries or 0) + 1
  >    if tries % 3 ~= 0 then error({errcode = sysbench.error.RESTART_EVENT}) end
  >    sysbench.opt.threads = sysbench.opt.threads
  > end
  > END
  $ both again again.lua --threads=3 --events=30; figure 'total number of events' again.1
  30
  $ echo \
  >   'function event() end function thread_run(tid) for i = 1, 5 do if ffi.C.sb_more_events(tid) then '\
  > 'ffi.C.sb_event_start(tid) ffi.C.sb_event_stop(tid) end end end' \
  >   >own.lua
  $ both own own.lua --threads=4; figure 'total number of events' own.1
  20
  $ both warm sleepy.lua --threads=20 --warmup-time=1 --time=1 --report-checkpoints=1 --histogram=off

The accounts of a rate, and the spread over clients.

  $ for w in 1 2; do
  >   sysbench sleepy.lua --threads=300 --tx-rate=1000 --time=2 --report-interval=1 --workers=$w run >out; exited $?
  >   accounts; figure offered; figure failed; figure dropped; timed 1000 2000 $(figure done)
  >   sed -n -E 's/.*transactions per thread: +([0-9]+) to ([0-9]+)/\1 \2/p' out >spread; read least most <spread
  >   timed 6 7 $least; timed 6 7 $most
  > done
  2000
  0
  0
  2000
  0
  0
  $ sysbench sleepy.lua --threads=3 --tx-rate=200 --tx-arrival=poisson --tx-burst=5 --time=2 --report-interval=1 \
  >   --workers=1 run >out
  > accounts
  $ timed 50 400 $(figure dropped)
  $ sysbench nothing.lua --threads=30 --tx-rate=500 --tx-spin=100 --time=1 --workers=1 run >out; accounts; figure offered
  500

Think time: a pause after each transaction, in both modes.

  $ for w in 0 1
  > do
  >   sysbench nothing.lua --threads=10 --time=1 --think-time=100 --workers=$w run >out
  >   timed 60 110 $(figure 'total number of events'); grep Think out
  > done
  Think time: 100 ms
  Think time: 100 ms
  $ sysbench nothing.lua --threads=50 --time=1 --think-time=100:exp --workers=1 run >out
  > timed 250 700 $(figure 'total number of events'); grep Think out
  Think time: 100 ms on average, exponential
  $ for t in x -1 1:x 1:exp2 : nan 99999999999; do told nothing.lua --think-time=$t run; done
  exit 1
  FATAL: Invalid value for --think-time: 'x' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: '-1' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: '1:x' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: '1:exp2' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: ':' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: 'nan' (MS or MS:exp, at most a day)
  exit 1
  FATAL: Invalid value for --think-time: '99999999999' (MS or MS:exp, at most a day)

Signals: a report of what was measured, from sleeping and from busy clients.

  $ for s in sleepy spin; do
  >   : >out; sysbench $s.lua --threads=50 --workers=2 --time=60 run >out & client=$!
  >   wait_for out 'Threads started'; sleep 0.3; kill $client; wait $client; exited $?
  >   timed 0.2 5 $(figure 'total time'); grep -c fairness out
  > done
  exit 143
  1
  exit 143
  1
  $ : >out; sysbench sleepy.lua --threads=50 --workers=2 --tx-rate=20 --time=60 run >out & client=$!
  $ wait_for out 'Threads started'; sleep 0.5; kill -TERM $client; wait $client; exited $?; accounts
  exit 143

Clients that do not come back: forced shutdown, and a start that takes too long.

  $ echo 'ffi.cdef("unsigned sleep(unsigned s); int pause(void);") function event(tid) if tid == 1 then ffi.C.sleep(60) end end' >stuck.lua
  $ both stuck stuck.lua --threads=3 --time=1 --forced-shutdown=1; grep -E '^(FATAL|exit|Number of unf)' stuck.1
  FATAL: The --max-time limit has expired, forcing shutdown...
  Number of unfinished transactions on forced shutdown: 1
  exit 2
  $ echo \
  >   'ffi.cdef("unsigned sleep(unsigned s);") function event() end function thread_init(tid) if tid == 1 then ffi.C.sleep(60) end end' \
  >   >slow.lua
  $ both slow slow.lua --threads=3 --thread-init-timeout=1 | mask; grep -E '^(FATAL|exit)' slow.1
  Ready within --thread-init-timeout=N: N of N clients; in thread_init(): N.
  Ready within --thread-init-timeout=N: N of N clients; in thread_init(): N.
  Ready within --thread-init-timeout=N: N of N clients; in thread_init(): N.
  FATAL: Worker threads failed to initialize within 1 seconds!
  exit 2

What does not fit is said with how many would.  (Some checking tools need more memory than that for themselves.)

  $ fits() { (ulimit -v 3000000; sysbench nothing.lua --threads=100000 --workers=1 --events=1 run 2>&1) | grep \
  >   '^FATAL' | sed -E 's/[0-9]+/N/g'
  > }
  $ if sh -c '(ulimit -v 3000000; sysbench --version); exit $?' >out 2>&1
  > then
  >   fits
  > else
  >   echo \
  >     "FATAL: only N of N clients fit (vm.max_map_count, of which each stack takes N before Linux N.N, or ulimit -v): "\
  > "cannot map a stack of N KiB: Cannot allocate memory"
  > fi
  FATAL: only N of N clients fit (vm.max_map_count, of which each stack takes N before Linux N.N, or ulimit -v): cannot map a stack of N KiB: Cannot allocate memory

The same with threads, of which each allocates when it begins.

  $ fits() { (ulimit -v 500000; sysbench nothing.lua --threads=5000 --workers=0 --events=1 run 2>&1) | grep -o 'ulimit -v'; }
  $ if sh -c '(ulimit -v 500000; sysbench --version); exit $?' >out 2>&1
  > then for i in 1 2; do fits; done | sort -u; else echo 'ulimit -v'; fi
  ulimit -v

Without a database, the SQL layer answers by itself.

  $ both dry oltp_read_write --mysql-dry-run --db-driver=mysql --threads=10 --events=200 --db-ps-mode=disable
  $ counts dry.0; counts dry.1
  0 0 4000 200 0 0
  0 0 4000 200 0 0
