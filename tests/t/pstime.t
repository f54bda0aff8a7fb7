pstime: CPU use of processes over an interval.

  $ . "$TESTDIR/../include/common.sh"
The columns, and a process of known use: one thread that computes uses one CPU, all of it user time.

  $ sysbench cpu --threads=1 --time=600 run >cpu.out & pid=$!
  $ wait_for cpu.out 'Threads started'; pstime -c 1 1 $pid >out; cat out | sed -E 's/^[^ ]+ +[0-9]+ +[0-9.]+ +[0-9.]+ /USER PID N N /'
  UID          PID   %USR   %SYS COMMAND
  USER PID N N sysbench cpu --threads=1 --time=600 run
  $ cpus=$(getconf _NPROCESSORS_ONLN)
  $ timed $((2 / cpus)) $((101 / cpus + 1)) $(awk 'NR == 2 { print $3 }' out); timed 0 10 $(awk 'NR == 2 { print $4 }' out)
  $ pstime -p $pid 0.5 >out; timed $((2 / cpus)) $((101 / cpus + 1)) $(awk 'NR == 2 { print $3 }' out)
  $ kill -KILL $pid; wait $pid 2>/dev/null
  [137]

Everything that is there at both samples but the threads of the kernel, of which flags in /proc/PID/stat tell; each row has four
figures and a command.

  $ pstime 0.2 >out; in_range 3 100000 $(wc -l <out)
  $ awk 'NR > 1 { print $2 }' out | while read -r p; do
  >   sed 's/.*) //' /proc/$p/stat 2>/dev/null | awk '{ exit int($7 / 2097152) % 2 }' || echo "process $p"; done
  $ grep -vE '^(UID +PID +%USR +%SYS COMMAND|[^ ]+ +[0-9]+ +[0-9]+(\.[0-9]+)? +[0-9]+(\.[0-9]+)? .*)$' out
  [1]
  $ LC_ALL=C tr -d '\200-\277' <out | awk '{ print length($0) }' | sort -n | tail -n 1 | awk '{ print ($1 <= 80) }'
  1

Repeated, with a blank line between, on a schedule that does not drift.

  $ pstime 0.1 5 sh >out; grep -c '^UID' out; grep -c '^$' out
  5
  4

A process that ends is told; when it was the only one, there is nothing more to do.

  $ sleep 600 & pid=$!; wait_for /proc/$pid/cmdline 600
  $ : >out; pstime -p $pid 0.1 100000 >out 2>err & ps=$!
  $ wait_for out ' sleep 600'; kill $pid; wait $ps; exited $?; sed "s/ $pid / PID /" err; wait
  pstime: process PID has ended

A signal ends the interval, and what it measured is printed.

  $ catches() { wait_for /proc/$1/comm pstime; wait_for /proc/$1/status '^SigCgt:.*[4-7c-f][0-9a-f]\{3\}$'; sleep 0.3; } # SIGTERM
  $ : >out; pstime -p $$ 60 >out & catches $!; kill $!; wait $!; echo $?; wc -l <out | tr -d ' '
  0
  2

Questions and answers, as sysbench --server-via asks them.

  $ sleep 60 & wait_for /proc/$!/comm sleep
  > printf 'open %s\nread 7\nopen no_such_name\nevents nosuch\nfoo\n' $! | pstime --stream >out; echo $?; kill $!
  > sed -E 's/[0-9]+/N/g; s/ (host|governor)=[^ ]*//g; s/ N=.*//; s/=.*//' out | grep -v '^reason'
  0
  pstime-stream N cpus
  server N sleep (pid N)
  sample N mono
  process at
  host at
  disk N the server works in no data directory of MariaDB, MySQL or PostgreSQL
  disk N the server works in no data directory of MariaDB, MySQL or PostgreSQL
  end N mono
  error no process is named no_such_name
  error unknown event 'nosuch'
  error not a question: events LIST, open TARGET..., read N, environment N

What cannot be (command lines: src/ps/pstime_test.c).

  $ for args in '' '1 -p 4194304' '1 1 no_such_name' '--nosuch 1'; do pstime $args; exited $?; done 2>&1 | uniq
  pstime: how many seconds? (pstime --help)
  exit 1
  pstime: no process 4194304 that this user can see
  exit 1
  pstime: no process is named no_such_name
  exit 1
  pstime: unrecognized option '--nosuch'
  pstime: pstime --help tells what it takes
  exit 1
  $ pstime --version | sed 's/ [0-9.]*$/ VERSION/'
  pstime (sysbench-tx) VERSION
  $ pstime --help | head -n 1
  Usage: pstime [OPTION]... SECONDS [COUNT] [PID|NAME]...

Called as its forerunner was: numbers behind SECONDS are the processes that have them. A count above that is -c, or comes before
processes as a small number (tests of the rule, whatever runs here: src/ps/pstime_test.c).

  $ sleep 600 & one=$!; sleep 601 & two=$!; for p in $one $two; do wait_for /proc/$p/cmdline 60; done
  $ watched() { pstime "$@" >out 2>err; echo "exit $?, $(grep -c '^UID' out) times, $(grep -c ' sleep 60[01]$' out) rows"; }
  $ if [ $one -gt 300 ]; then watched 0.1 $one $two; else watched -p $one,$two 0.1; fi
  exit 0, 1 times, 2 rows
  $ watched -c 3 0.1 $one $two
  exit 0, 3 times, 6 rows
  $ watched 0.1 2 $one $two; ! grep -v 'give the count with -c$' err
  exit 0, 2 times, 4 rows
  $ kill $one $two; wait $one $two 2>/dev/null
  [143]

Processes that have ended do not keep the others from being shown. 4194304 is beyond every process id.

  $ pstime 0.1 4194304 $$ 2>&1 >out; exited $?; wc -l <out | tr -d ' '
  pstime: no process 4194304 that this user can see
  2
