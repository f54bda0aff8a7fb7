The server's system calls by name: --server-syscalls.
Own server: it counts system calls of a whole server.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select --table-size=1000 $SB_MYSQL_ARGS "$@" run >out 2>err; exited $?; cat err; }
  $ block() { sed -n '/^System calls of the server:/,/^$/p' out; }

The most frequent ones first, then all others; where they cannot be counted, the reason.

  $ run --server-syscalls=3 --server-events=syscalls --threads=4 --time=2 --report-interval=1 --report-file=a.json,a.jsonl
  $ if block | grep -q 'n/a:'
  > then
  >   echo 'not here'
  > else
  >   block | sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; s/ [a-z_]+$/ NAME/; 2s/.*/HEAD/'
  > fi >shape
  $ [ "$(cat shape)" = 'not here' ] && cp shape want || cat >want <<'END'
  > System calls of the server: N of N NAME
  > HEAD
  >  N N N N N NAME
  >  N N N N N NAME
  >  N N N N N NAME
  >  N N N N N (all others)
  > 
  > END
  $ diff want shape; block | awk 'length($0) > 80'

Sums agree, and so does the counter of --server-events, which counts where a call begins, too.

  $ valid a.json a.jsonl || [ $? = 80 ] || echo invalid
  $ check() { report machine a.json; python3 "$TESTDIR/../include/cram_server_syscalls_mysql.py"; }
  $ check
  True

In hooks; without a value the ten most frequent ones.

  $ cat >hook.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > function event() ffi.C.usleep(1000) end
  > sysbench.hooks.report_cumulative = function(stat)
  >    local l = stat.server_syscalls
  >    print(l and #l <= 10 and (#l == 0 or l[1].count >= l[#l].count) or l == nil)
  > end
  > END
  $ sysbench hook.lua --server=$SB_MYSQL_PID --server-syscalls --time=1 run | grep -x true
  true

A server that ends has no list, and neither has one that was not found.

  $ sed -i '/^sysbench.hooks/,$d' hook.lua
  $ sleep 600 & short=$!; wait_for /proc/$short/stat '(sleep) S'
  $ : >raw; sysbench hook.lua --server=$short --server-syscalls --time=60 run >raw & pid=$!
  $ wait_for raw '^Threads started'; sleep 0.5; kill $short; { wait $short; } 2>/dev/null; kill $pid; wait $pid
  > unwrap <raw >out
  > block | sed -n 's|^    n/a: *||p' | sed 's/(counting system calls needs .*)/(a process of the server has ended)/'
  system calls (a process of the server has ended)
  $ run --server-syscalls --server=off --events=10; block | unwrap | sed -n 's|^    n/a: *||p'
  system calls (the server's processes are not known)

On another host the list is that of its pstime.

  $ printf '#!/bin/sh\nexec "$@"\n' >there; chmod +x there
  $ run --server-syscalls=3 --threads=4 --time=1 --server-via=./there --server=$SB_MYSQL_PID --report-file=a.json
  $ check
  True

Off by default; what is no number of calls is refused before anything runs.

  $ run --events=10; block
  $ run --server-syscalls=0 --events=10; grep FATAL out
  exit 1
  FATAL: Invalid value for --server-syscalls: '0' (allowed: on, off, 1 to 100)
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
