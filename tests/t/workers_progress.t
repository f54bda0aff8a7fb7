Connecting that takes longer than two seconds says on stderr how far it is; the output itself has nothing of it.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v script >/dev/null || exit 80
  $ cat >slow.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid) if tid == 3 then ffi.C.usleep(3300000) end end
  > function event() end
  > END

A terminal has one line that is redrawn, and erased in the end.

  $ for w in 0 1; do
  >   run="sysbench slow.lua --threads=10 --workers=$w --events=10 run"
  >   script -q -f -c "$run >plain" terminal </dev/null >screen
  >   tr '\r' '\n' <screen | grep -m 1 ready | sed 's/[[:cntrl:]]//g'; tr '\r' '\n' <screen | tail -n 1 | sed 's/[[:cntrl:]]//g'; echo
  >   grep -c ready plain || true
  > done
  9 of 10 clients are ready[K
  [K
  0
  9 of 10 clients are ready[K
  [K
  0

Without a terminal, a line each second for 100 connections or more, else none.

  $ for w in 0 1; do sysbench slow.lua --threads=100 --workers=$w --events=100 run 2>err >plain; cat err; grep -c ready plain; done; true
  0
  0
  $ sed 's/function thread_init(tid)/& con = sysbench.sql.driver():connect()/' slow.lua >connects.lua
  $ for n in 99 100; do for w in 0 1; do
  >   sysbench connects.lua --threads=$n --workers=$w --events=100 --db-driver=mysql --mysql-dry-run run 2>err >plain
  >   sort -u err; grep -c connected plain; [ $n = 99 ] || timed 2 2 $(wc -l <err)
  > done; done
  0
  0
  connected 99/100
  0
  connected 99/100
  0
