Transactions that do not end: --forced-shutdown, and threads that do not get ready.

  $ . "$TESTDIR/../include/rate.sh"
  $ cat >block.lua <<'END'
  > ffi.cdef("int usleep(unsigned); unsigned sleep(unsigned);")
  > function event(tid) if tid == 0 then ffi.C.usleep(2000) else ffi.C.sleep(60) end end
  > function done() print("done") end
  > END

After the deadline and the grace: FATAL, the report with what was left, exit status 2, no done().

  $ sysbench block.lua --threads=3 --time=1 --forced-shutdown=1 run >out 2>err; echo $?; cat err
  2
  $ sed -n '/^Forcing/p; /^FATAL/,/^General/p; /^done/p' out
  Forcing shutdown in 2 seconds
  FATAL: The --max-time limit has expired, forcing shutdown...
  
  Number of unfinished transactions on forced shutdown: 2
  
  General statistics:
  $ timed 10 500 $(figure 'total number of events')
  $ timed 1.9 20 $(figure 'total time')

With a rate they are unfinished, and the accounts hold.

  $ sysbench block.lua --threads=3 --tx-rate=50 --tx-spin=0 --time=1 --forced-shutdown=0 --report-interval=1 run >out; echo $?
  2
  $ accounts
  $ figure offered
  50
  $ timed 40 48 $(figure done)
  $ sed -n -E 's/^ *unfinished: .* ([0-9]+ begun); .*/\1/p; /^Number of u/p' out
  Number of unfinished transactions on forced shutdown: 2
  2 begun

The SQL report.

  $ naps 60000000 sql.lua; echo 'function thread_init() sysbench.sql.driver() end' >>sql.lua
  $ sysbench sql.lua --mysql-dry-run --time=1 --forced-shutdown=0 run >out; echo $?
  2
  $ sed -n '/reconnects:/,/General/p' out
      reconnects:                          0      (0.00 per sec.)
  
  Number of unfinished transactions on forced shutdown: 1
  
  General statistics:

Without it a run waits for what it began.

  $ naps 1600000 late.lua
  $ sysbench late.lua --time=1 run >out; exited $?
  $ timed 1.6 20 $(figure 'total time')
  $ figure 'total number of events'
  1

Threads that do not get ready in time.

  $ echo 'ffi.cdef("unsigned sleep(unsigned)") function thread_init(t) ffi.C.sleep(t * 60) end function event() end' >init.lua
  $ sysbench init.lua --threads=2 --thread-init-timeout=1 run >out 2>err; echo $?; mask <err
  2
  Ready within --thread-init-timeout=N: N of N clients; in thread_init(): N.
  $ tail -n 3 out
  Initializing worker threads...
  
  FATAL: Worker threads failed to initialize within 1 seconds!

Waiting for them takes no CPU, with or without a terminal: 4 s more cost next to nothing.

  $ cpu() { python3 -c \
  >   'import resource as r, subprocess as s, sys; s.run(sys.argv[1:], stdout=s.DEVNULL, stderr=s.DEVNULL); u = '\
  > 'r.getrusage(r.RUSAGE_CHILDREN); print(u.ru_utime + u.ru_stime)' \
  >   "$@"
  > }
  $ took=$(cpu sysbench init.lua --threads=2 --thread-init-timeout=1 run)
  $ in_range -1 0.5 $(echo "$(cpu sysbench init.lua --threads=2 --thread-init-timeout=5 run) $took" | awk '{ print $1 - $2 }')
