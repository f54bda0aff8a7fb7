Scripts that compute without end: --forced-shutdown ends the run, as it ends any that waits for a client.
Runs alone: it counts what a thread has computed, and bounds times.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ cat >loop.lua <<'END'
  > ffi.cdef("int usleep(unsigned);")
  > function event(tid)
  >    if tid == 0 then
  >       while true do pcall(string.rep, "x", 3) end
  >    end
  >    ffi.C.usleep(1000)
  > end
  > END
  $ sed '1i jit.off()' loop.lua >interpreted.lua
  $ warn() { [ $1 = 0 ] || echo --workers=warn=20; }
  $ endless() { timeout 100 sysbench $2.lua --threads=3 $(carried $1) --time=1 --forced-shutdown=1 --tx-rate=100 \
  >   --tx-spin=0 $(warn $1) --report-file=$2.$1.json run >$2.$1
  > echo "exit $?" >>$2.$1; }
  $ for w in 0 1 s; do endless $w interpreted & endless $w loop & done; wait
  $ for f in interpreted.0 interpreted.1 interpreted.s loop.0 loop.1 loop.s; do
  >   echo $(grep -E '^(FATAL|exit)' $f; accounts $f; report get $f.json end.status)
  >   in_range 1 3 $(sed -n -E 's/^ *unfinished: .* ([0-9]+) begun.*/\1/p' $f)
  > done | uniq
  FATAL: The --max-time limit has expired, forcing shutdown... exit 2 "forced"

On a worker the others are kept waiting meanwhile, which is said before the end.

  $ for f in interpreted.1 interpreted.s loop.1 loop.s
  > do sed -n -E 's/^(WARNING: client .*) for [0-9]+ ms(.*), and goes on: .*/\1\2/p' $f; done >warned
  $ timed_diff - warned <<'END'
  > WARNING: client 0 has blocked its worker at interpreted.lua:5
  > WARNING: client 0 has blocked its worker at interpreted.lua:5
  > WARNING: client 0 has blocked its worker
  > WARNING: client 0 has blocked its worker
  > END

A machine without CPU time to give is not a script that computes for long.  (The control group needs version 1, and root.)

  $ group=/sys/fs/cgroup/cpu/sysbench-test-$$
  $ cat >short.lua <<'END'
  > ffi.cdef("int usleep(unsigned);")
  > local n = 0
  > function event() for i = 1, 100000 do n = (n * 31 + i) % 1000003 end ffi.C.usleep(100) end
  > END
  $ if mkdir "$group" 2>/dev/null && echo 100000 2>/dev/null >"$group/cpu.cfs_period_us" &&
  >   echo 10000 2>/dev/null >"$group/cpu.cfs_quota_us"
  > then
  >   sh -c 'echo $$ >"$1/cgroup.procs"; exec sysbench short.lua --threads=4 --workers=1 --workers=warn=80 --time=2 run' sh "$group" >short
  >   grep -c 'blocked its worker' short; grep -c General short; sleep 0.2
  > else
  >   printf '0\n1\n'
  > fi; rmdir "$group" 2>/dev/null; true
  0
  1
