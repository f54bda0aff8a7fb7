The server's own figures beside the transactions.
Own server: it measures the CPU time and context switches of a whole server.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select --table-size=1000 "$@" run >out 2>err; exited $?; cat err; }
  $ pid_masked() { sed "s/pid $SB_MYSQL_PID\b/pid PID/"; }

auto asks the connection: here the peer of the unix socket, and the owner of the TCP connection.

  $ run $SB_MYSQL_ARGS --server=auto --time=2 --threads=4 --report-interval=1
  $ grep '^\[.* thds: ' out | mask | uniq
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s: N.NN reconn/s: N.NN | srv-usr N.NN% srv-sys N.NN% cs/tx N.NN thr N rss N.NM | cli-cpu N.NN%
  $ sed -n '/^Threads fairness/,$p' out | sed '/^Incidents:/,/^$/d' | grep -v '^    WARNING: ' | pid_masked | mask
  Threads fairness:
      events (avg/stddev): N.NNNN/N.NN
      execution time (avg/stddev): N.NNNN/N.NN
  
  Server: mariadbd (pid PID)
      CPU, % of the whole system:          usr N.NN sys N.NN total N.NN
      CPU per transaction, us:             usr N.NN sys N.NN total N.NN
      context switches: N (N.NN per transaction)
      threads: N
      RSS: N.N MiB
      waited for a CPU: N.NNN s, N.N% of runnable time
      CPU before the load: N.NN% of one CPU
  
  Load generator: sysbench
      CPU, % of the whole system:          usr N.NN sys N.NN total N.NN
      CPU per transaction, us:             usr N.NN sys N.NN total N.NN
  
  $ run $SB_MYSQL_TCP_ARGS --server=auto --events=100
  $ grep '^Server' out | pid_masked
  Server: mariadbd (pid PID)

Figures that can be known: it worked, it has a thread for each connection, and nobody uses more than there is.

  $ cpu() { sed -n "/^$1/,/^\$/s/^ *CPU, % of $2: *usr \([0-9.]*\) sys \([0-9.]*\) total \([0-9.]*\)/\1 \2 \3/p" out; }
  $ run $SB_MYSQL_ARGS --server=auto --time=1 --threads=4 --verbosity=4
  $ cpu Server 'the whole system' | awk '{ d = $1 + $2 - $3; print ($3 > 0 && $3 <= 100.5), (d * d < 0.001) }'
  1 1
  $ cpu 'Load generator' 'one CPU' | awk '{ print ($3 > 0) }'
  1
  $ (cpu Server 'the whole system'; cpu Server 'one CPU'; getconf _NPROCESSORS_ONLN) |
  >   awk '{ v[NR] = $NF } END { d = v[2] - v[1] * v[3]; print (d * d <= (0.0051 * (v[3] + 1)) ^ 2) }'
  1
  $ in_range 5 2000 $(sed -n '/^Server/,/^$/s/^ *threads: *//p' out)
  $ in_range 20 4000 $(sed -n '/^Server/,/^$/s/^ *RSS: *\([0-9.]*\) MiB/\1/p' out)
  $ in_range 0.2 20 $(sed -n '/^Server/,/^$/s/.*involuntary [0-9]* (\([0-9.]*\) per transaction)/\1/p' out)

With a steady rate it is the default, without one it is off; both can be said.

  $ run $SB_MYSQL_ARGS --tx-rate=50 --tx-spin=0 --time=1 --report-interval=1 --report-style=full
  $ grep -c '^\[.* | offered .* | srv-usr .* | cli-cpu ' out; grep '^Server' out | pid_masked
  1
  Server: mariadbd (pid PID)
  $ run $SB_MYSQL_ARGS --tx-rate=50 --events=10 --server=off; ! grep '^Server' out
  $ run $SB_MYSQL_ARGS --events=10; ! grep -E '^(Server|Load generator)' out
  $ run $SB_MYSQL_ARGS --rate=50 --time=1 --server=auto --report-interval=1; grep -c '^\[.* | srv-usr ' out
  1

By process id: one, several, and without a database at all.

  $ run $SB_MYSQL_ARGS --server=$SB_MYSQL_PID --events=10; grep '^Server' out | pid_masked
  Server: mariadbd (pid PID)
  $ run $SB_MYSQL_ARGS --server=$SB_MYSQL_PID,$$ --events=10; grep '^Server' out | pid_masked | sed -E 's/pid [0-9]+/pid OTHER/'
  Server: mariadbd (pid PID), sh (pid OTHER)
  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(1000) end' >idle.lua
  $ sysbench idle.lua --server=$SB_MYSQL_PID --events=10 run | grep '^Server' | pid_masked
  Server: mariadbd (pid PID)
  $ sysbench idle.lua --server=auto --events=10 run | grep '^Server'
  [1]

The same figures in a script's report hook.

  $ cat >hook.lua <<'END'
  > require("oltp_point_select")
  > function sysbench.hooks.report_cumulative(stat)
  >    print("hook", type(stat.server), type(stat.client))
  > end
  > END
  $ sysbench hook.lua $SB_MYSQL_ARGS --table-size=1000 --server=auto --events=10 run | grep hook
  hook\ttable\ttable (esc)

Values that are none (more: src/telemetry/discover_test.c).

  $ for v in 0 '' auto,off; do sysbench idle.lua --events=10 --server="$v" run >out 2>err; exited $?; grep FATAL out; cat err; done
  exit 1
  FATAL: Invalid value for --server: '0': "0" is not a process id (a number from 1 to 4194304)
  exit 1
  FATAL: --server needs a value
  exit 1
  FATAL: Invalid value for --server: 'auto,off': "auto" is not a process id (a number from 1 to 4194304)
  $ (:) & gone=$!; wait $gone
  $ sysbench idle.lua --server=$gone --time=1 run >out; echo $?; grep FATAL out | sed "s/$gone/PID/g"
  1
  FATAL: Invalid value for --server: 'PID': no process PID that this user can see

A process that ends during the run: n/a from then on, with the reason; at the end what was read before.

  $ sleep 600 & short=$!; wait_for /proc/$short/stat '(sleep) S'
  $ : >out; sysbench idle.lua --server=$short --time=60 --report-interval=1 run >out & pid=$!
  $ wait_for out '^\[ '; kill $short; wait_for out 'rss n/a'; kill $pid; wait $pid; echo $?
  143
  $ grep '^\[.* thds: ' out | sed -n '$s/.*| srv-usr/srv-usr/p' | mask
  srv-usr n/a srv-sys n/a cs/tx n/a thr n/a rss n/a | cli-cpu N.NN%
  $ unwrap <out | sed -n '/^Server/,/^$/p' | sed "s/$short/PID/g"
  Server: sleep (pid PID)
      CPU, % of the whole system:          at least usr 0.00 sys 0.00 total 0.00
      CPU per transaction, us:             at least usr 0.00 sys 0.00 total 0.00
      context switches:                    at least 0 (0.00 per transaction)
      waited for a CPU:                    at least 0.000 s
      CPU before the load:                 0.00% of one CPU
      lower bounds because:                sleep (pid PID) has ended
      n/a:                                 threads, RSS (sleep (pid PID) has ended)
  
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
