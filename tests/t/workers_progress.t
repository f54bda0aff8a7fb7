Connecting that takes longer than two seconds says on stderr how far it is; the output itself has nothing of it.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v script >/dev/null || skip 'no script (util-linux, bsdutils)'
  $ cat >slow.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid) if tid == 3 then ffi.C.usleep(3300000) end end
  > function event() end
  > END
  $ cat >shown.lua <<'END' # client 3 gets ready when the others are shown to be, and again a second later
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid)
  >   for i = 1, tid == 3 and 600 or 0 do
  >     ffi.C.usleep(100000)
  >     if select(2, io.open(sysbench.opt.screen):read("*a"):gsub(sysbench.opt.line, "")) >= 2 then return end
  >   end
  > end
  > function event() end
  > sysbench.cmdline.options = {screen = {"a file", ""}, line = {"what it shows", ""}}
  > END

A terminal has one line that is redrawn, and erased in the end.

  $ for w in 0 1; do
  >   : >screen; run="sysbench shown.lua --screen=screen --line='9 of 10' --threads=10 --workers=$w --events=10 run"
  >   script -q -f -c "$run >plain" terminal </dev/null >screen
  >   tr '\r' '\n' <screen | grep -m 1 '9 of' | sed 's/[[:cntrl:]]//g'; tr '\r' '\n' <screen | tail -n 1 | sed 's/[[:cntrl:]]//g'; echo
  >   grep -c ready plain || true
  > done
  9 of 10 clients are ready[K
  [K
  0
  9 of 10 clients are ready[K
  [K
  0

Without a terminal, a line each second for 100 connections or more, else none.

  $ for w in 0 1; do sysbench slow.lua --threads=100 --workers=$w --events=100 run 2>err >plain; cat err; grep -c ready plain; done |
  >   uniq -c
        2 0
  $ for f in slow shown; do sed 's/function thread_init(tid)/& con = sysbench.sql.driver():connect()/' $f.lua >connects.$f.lua; done
  $ for w in 0 1; do
  >   sysbench connects.slow.lua --threads=99 --workers=$w --events=100 --db-driver=mysql --mysql-dry-run run 2>err \
  >     >plain
  >   cat err; grep -c connected plain
  > done | uniq -c
        2 0
  $ for w in 0 1; do
  >   : >err
  >   sysbench connects.shown.lua --screen=err --line=99/100 --threads=100 --workers=$w --events=100 --db-driver=mysql \
  >     --mysql-dry-run run 2>err >plain
  >   grep 99 err | sort -u; grep -c connected plain; timed 2 2 $(wc -l <err)
  > done | sort | uniq -c
        2 0
        2 connected 99/100
