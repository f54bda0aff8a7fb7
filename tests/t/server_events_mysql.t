Counters of the server's threads: --server-events.
Own server: it counts events of a whole server.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select --table-size=1000 $SB_MYSQL_ARGS --verbosity=4 "$@" run >out 2>err; exited $?; cat err; }
  $ block() { sed -n '/^Server events:/,/^$/p' out; }
  $ event() { block | sed -n "s/^ *$1: *//p"; }

The columns depend on the option alone; what this machine cannot count is n/a with its reason.

  $ run --server-events=default,syscalls --threads=4 --time=2 --report-interval=1 --report-style=full
  $ grep '^\[.* thds: ' out | sed -E 's/.*(cli-cpu)/\1/; s/[0-9]+(\.[0-9]+)?%?/N/g; s/ n\/a/ N/g; s/LN-/L1-/g' | uniq
  cli-cpu N | ipc N icache/ins N itlb/ins N br-miss N tx/Gcyc N | instructions:u/tx N cycles:u/tx N L1-icache-load-misses:u/tx N iTLB-load-misses:u/tx N branch-misses:u/tx N branches:u/tx N context-switches/tx N cpu-migrations/tx N page-faults/tx N syscalls/tx N
  $ block |
  >   grep -vE \
  >     '^Server events:|^ .*: +(n/a( \([^)].*\))?|[0-9.]+%?( \([0-9.]+ per transaction\))?(, counted [0-9.]+% of the time and '\
  > 'scaled)?|[0-9.]+ ms)$'
  
  $ ! block | grep ':u: *0 '

It is the server's own: the kernel's other count of context switches agrees, and a lookup is a few system calls.

  $ if event context-switches | grep -q n/a; then echo agree; else
  >   other=$(sed -n '/^Server:/,/^$/s/.*voluntary \([0-9]*\) involuntary \([0-9]*\) .*/\1 \2/p' out | awk '{ print $1 + $2 }')
  >   timed $(awk "BEGIN { print int($other * 0.99) - 100, int($other * 1.01) + 100 }") \
  >     $(event context-switches | cut -d' ' -f1)
  >   echo agree
  > fi
  agree
  $ if event syscalls | grep -q n/a; then echo few; else in_range 2 20 $(event syscalls | sed 's/.*(\([0-9.]*\) per.*/\1/'); echo few; fi
  few

The server is looked for without --server; without a server there is nothing to count.

  $ run --server-events=page-faults --events=10; grep -cE '^Server( events)?:' out
  2
  $ run --server-events=page-faults --server=off --events=10; block
  Server events:
      page-faults:                         n/a (the server's processes are not known)
  

All CPUs instead of the server: the switches are those that the machine's own counter has, and no server is needed.

  $ run --server-events=system:context-switches,page-faults,instructions:u,cycles:u --threads=2 --time=2 --host-stats \
  >   --report-interval=1 --report-style=full
  $ all() { sed -n '/^System events:/,/^$/p' out; }; of() { all | sed -n "s/^ *$1: *//p"; }
  $ all |
  >   grep -vE \
  >     '^System events:( of the whole system, [0-9]+ CPUs)?$|^ .*: +(n/a( \([^)].*\))?|[0-9.]+%?( \([0-9.]+ per '\
  > 'transaction\))?(, counted [0-9.]+% of the time and scaled)?|[0-9.]+ ms)$'
  
  $ if of context-switches | grep -q n/a; then echo agree; else
  >   host=$(sed -n 's/^    per transaction: .* cs \([0-9.]*\)$/\1/p' out)
  >   timed $(awk "BEGIN { print $host * 0.9, $host * 1.1 }") $(of context-switches | sed 's/.*(\([0-9.]*\) per.*/\1/'); echo agree
  > fi
  agree
  $ timed 2 2 $(grep -c '^\[.*context-switches/tx' out)
  $ sysbench cpu --server-events=system:page-faults --events=100 run | grep -cE '^(System events|Server:)'
  1
  $ sysbench cpu --events-of=system --events=100 run | grep FATAL
  NOTE: --events-of is part of --server-events now: --server-events=system:EVENTS
  FATAL: --events-of=system needs --server-events
  $ sysbench cpu --events-of=host --events=100 run | grep FATAL
  FATAL: Invalid value for --events-of: 'host' (allowed: server, system)

Names are checked before anything runs (more: src/telemetry/perf_names_test.c).

  $ for v in '' cycles,contxt-switches:k; do run --server-events="$v"; grep FATAL out; done
  exit 1
  FATAL: --server-events needs a value
  exit 1
  FATAL: Invalid value for --server-events: unknown event 'contxt-switches'

A server that ends: its counters are n/a, not 0.

  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(1000) end' >idle.lua
  $ sleep 600 & short=$!; wait_for /proc/$short/stat '(sleep) S'
  $ : >out
  > sysbench idle.lua --server=$short --server-events=context-switches --time=60 --report-interval=1 --verbosity=4 run \
  >   >out 2>err &
  > pid=$!
  $ wait_for out '^\[ '; kill $short; wait_for out 'context-switches/tx n/a'; kill $pid; wait $pid; echo $?
  143
  $ grep '^\[.* thds: ' out | sed -n '$s/.*| context/context/p'
  context-switches/tx n/a
  $ event context-switches | sed 's/[0-9.][0-9.]*/N/g' # it may have had one before it slept
  at least N (N per transaction)

By default the report has no line for what could not be counted, and names it with the reason.

  $ sleep 600 & short=$!; wait_for /proc/$short/stat '(sleep) S'
  $ : >raw; sysbench idle.lua --server=$short --server-events=page-faults,context-switches --time=60 run >raw 2>err & pid=$!
  $ wait_for raw '^Threads started'; sleep 0.5; kill $short; { wait $short; } 2>/dev/null; kill $pid; wait $pid
  > unwrap <raw >out; block | sed -n 's|^    n/a: *||p'
  page-faults, context-switches (a process of the server has ended)
