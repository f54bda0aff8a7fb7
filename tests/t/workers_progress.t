Connecting that takes longer than a second says on a terminal how far it is; the output itself has nothing of it.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v script >/dev/null || exit 80
  $ cat >slow.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid) if tid == 3 then ffi.C.usleep(1700000) end end
  > function event() end
  > END
  $ run="sysbench slow.lua --threads=10 --workers=1 --events=10 run"
  $ script -q -f -c "$run >plain" terminal </dev/null >screen
  $ tr '\r' '\n' <screen | grep -m 1 ready | sed 's/[[:cntrl:]]//g'
  9 of 10 clients are ready[K
  $ tr '\r' '\n' <screen | tail -n 1 | sed 's/[[:cntrl:]]//g'; echo
  [K
  $ grep -c ready plain
  0
  [1]
  $ script -q -f -c "sysbench slow.lua --threads=10 --workers=0 --events=10 run >plain" terminal </dev/null | grep -c ready
  0
  [1]
  $ $run 2>&1 >plain | wc -c | tr -d ' '
  0
