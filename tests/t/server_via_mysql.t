The server's host is another one: --server-via runs pstime there.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/sshd.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select --table-size=1000 "$@" run >out 2>err; exited $?; cat err; }
  $ name() { sed -n 's/^Server: //p' out | sed -E \
  >   "s/pid $SB_MYSQL_PID\b/pid PID/; s/ on [^ ,]+/ on HOST/; s/clock [-+][0-9.]+ ms \(\+- [0-9.]+\)/clock N/"
  > }

Any command that runs another one will do; the server is found by the address of the connections.

  $ cat >there <<'END'
  > #!/bin/sh
  > exec "$@"
  > END
  $ chmod +x there
  $ run $SB_MYSQL_TCP_ARGS --server-via=./there --time=2 --threads=4 --report-interval=1
  $ name
  mariadbd (pid PID) on HOST, clock N
  $ grep '^\[.* thds: ' out | sed 's/.*| srv-usr/srv-usr/' | mask | uniq
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN thr N rss N.NM | cli-cpu N.NN%

On one host the clocks agree, and so do the figures of both ways, with both running beside each other.

  $ sed -n 's/^Server: .* clock \([-+][0-9.]*\) ms (+- \([0-9.]*\))/\1 \2/p' out | awk '{ d = $1 < 0 ? -$1 : $1; print (d <= $2 + 20) }'
  1
  $ cpu() { sed -n '/^Server/,/^$/s/^ *CPU, % of one CPU: .* total \([0-9.]*\)$/\1/p' $1; }
  $ sysbench oltp_point_select --table-size=1000 $SB_MYSQL_TCP_ARGS --tx-rate=500 --time=3 --server=$SB_MYSQL_PID --verbosity=4 run >near &
  $ run $SB_MYSQL_TCP_ARGS --tx-rate=500 --time=3 --server-via=./there --verbosity=4; wait
  $ echo $(cpu near) $(cpu out) >both; { read near via; timed $(awk "BEGIN { print 0.85 * $near - 1, 1.15 * $near + 1 }") $via; } <both

Events and the machine's columns are that host's too.

  $ run $SB_MYSQL_TCP_ARGS --server-via=./there --server-events=context-switches --host-stats --events=100
  > grep -cE '^(Server events|Host): ' out
  2
  $ run $SB_MYSQL_TCP_ARGS --server-via=./there --server-events=contxt-switches --events=100; grep FATAL out
  exit 1
  FATAL: Invalid value for --server-events: unknown event 'contxt-switches'

  $ cat /proc/diskstats >before; run $SB_MYSQL_TCP_ARGS --server-via=./there --host-stats --time=1 --report-file=a.json
  > cat /proc/diskstats >after; python3 "$TESTDIR/../include/cram_disks.py"
  data True
  log True

By number or name; a unix socket has no address to go by.

  $ run $SB_MYSQL_ARGS --server-via=./there --server=$SB_MYSQL_PID --events=100; name
  mariadbd (pid PID) on HOST, clock N
  $ cp "$(command -v sleep)" only_here; ./only_here 1000 >sleep.out 2>&1 & named=$!
  $ until grep -q only_here /proc/$named/comm; do sleep 0.01; done
  $ run $SB_MYSQL_ARGS --server-via=./there --server=only_here --events=100 --verbosity=4; kill $named
  > sed -n '/^Server: /p' out | grep -c "only_here (pid $named)"
  1
  $ run $SB_MYSQL_ARGS --server-via=./there --events=100; grep '^Server: n/a' out
  Server: n/a (--server-via finds it by the address of a TCP connection, and there is none; name it with --server=PID or --server=NAME)
  $ sed -n '/^Server: s/,/^$/p' out | tr -s ' \n' ' ' | sed 's/ on [^ ]*/ on HOST/; s/ *$//'
  Server: server on HOST n/a: CPU, context switches, threads, RSS, waited for a CPU, CPU before the load (no reading from ./there: the server is not known; name it with --server=PID or --server=NAME) (no-eol)

What does not work is said once, its figures are n/a, and the run goes on.

  $ run $SB_MYSQL_TCP_ARGS --server-via=false --events=100; grep '^Server: n/a' out; grep -c 'CPU, % of the whole system' out
  Server: n/a (false: the command ended without a word of pstime), retrying
  1
  $ run $SB_MYSQL_TCP_ARGS --server-via=./there --server=no_such_process --events=100; grep '^Server: n/a' out
  Server: n/a (./there: no process is named no_such_process), retrying

Commands that are no pstime: one that never ends a line, one that says something else, an older pstime, one that is silent.

  $ stranger() { printf '#!/bin/sh\n%s\n' "$1" >stranger; chmod +x stranger
  > run $SB_MYSQL_TCP_ARGS --server-via=./stranger --events=100; grep '^Server: n/a' out; }
  $ stranger "exec tr '\\0' x </dev/zero"
  Server: n/a (./stranger: the command sent a line of more than 64 KiB, which pstime does not), retrying
  $ stranger "echo 'permission denied'"
  Server: n/a (./stranger: the command answers, but not as pstime does: 'permission denied'), retrying
  $ stranger "echo 'pstime-stream 0 cpus=2'; exec sleep 30"
  Server: n/a (./stranger: pstime there speaks version 0 of the stream, this program version 1), retrying
  $ begin=$(date +%s); stranger "exec sleep 30"; timed 9 15 $(($(date +%s) - begin))
  Waiting up to 9 s for the answer of './stranger' (--server-via)...
  Server: n/a (./stranger: the command has not answered within 10 s), retrying

A signal ends the waiting at once, before the run and when the server is looked for.

  $ : >err; begin=$(date +%s)
  > sysbench oltp_point_select $SB_MYSQL_TCP_ARGS --server-via=./stranger --events=100 run >out 2>err & run=$!
  > wait_for err Waiting; kill $run; wait $run 2>wait; echo $?; timed 0 6 $(($(date +%s) - begin))
  143
  $ printf '#!/bin/sh\necho "pstime-stream 1 cpus=2 host=x governor=n/a"; exec sleep 30\n' >stranger
  $ : >err; begin=$(date +%s)
  > sysbench oltp_point_select $SB_MYSQL_TCP_ARGS --server-via=./stranger --time=30 run >out 2>err & run=$!
  > wait_for err Waiting; kill $run; wait $run 2>wait; echo $?; timed 0 6 $(($(date +%s) - begin))
  143

A stream that is dropped: n/a from then on, said once, tried again; figures are back when it is.

  $ cat >there <<'END'
  > #!/bin/sh
  > echo $$ >>pids
  > exec "$@"
  > END
  $ rm -f pids; : >out
  > sysbench oltp_point_select --table-size=1000 $SB_MYSQL_TCP_ARGS --server-via=./there --time=200 \
  >   --report-interval=1 run >out 2>err &
  > client=$!
  $ wait_for out 'srv-usr [0-9]'; kill $(tail -n 1 pids); wait_for out "^Server: the stream of './there' is up"
  $ n=0; until [ $(sed -n '/is up$/,$p' out | grep -c 'srv-usr [0-9]') -ge 2 ] || [ $n -ge 900 ]
  > do n=$((n + 1)); sleep 0.1; done; kill $client; wait $client; exited $?; sed "s/after [0-9.]*/after N/" err
  exit 143
  Interrupted (SIGTERM after N s of 200 s)
  $ grep -c 'Server: n/a from here on (./there: the stream ended), retrying' out; grep -c "Server: the stream of './there' is up" out
  1
  1
  $ wc -l <pids | tr -d ' '
  2
  $ grep '^\[.*| srv-usr' out | sed 's/.*| srv-usr/srv-usr/; s/thr.*//' | mask | uniq
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN 
  srv-usr n/a srv-sys n/a cs/tx n/a 
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN 

Ended by a signal, a run has that host's figures up to its end.

  $ : >out
  > sysbench oltp_point_select --table-size=1000 $SB_MYSQL_TCP_ARGS --server-via=./there --time=200 \
  >   --report-interval=1 run >out 2>err &
  > client=$!
  $ wait_for out 'srv-usr [0-9]'; kill $client; wait $client; exited $?; sed "s/after [0-9.]*/after N/" err
  exit 143
  Interrupted (SIGTERM after N s of 200 s)
  $ timed 1 1 $(sed -n '/^Server: /,/^$/p' out | grep -c '^    CPU, % of the whole system:  *usr [0-9]')

Nothing is left behind.

  $ for p in $(cat pids); do kill -0 $p 2>/dev/null && echo "$p is still there"; done; true

Through a real SSH server on loopback, where there is one.

  $ if start_sshd; then
  >   # a login may take over a second
  >   run $SB_MYSQL_TCP_ARGS --server-via="$ssh_command env PATH=$PATH" --time=2 --report-interval=1 |
  >     sed '/^Waiting up to /d'
  >   name; stop_sshd
  > else
  >   run $SB_MYSQL_TCP_ARGS --server-via="sh -c 'exec \"\$@\"' sh" --time=2 --report-interval=1; name; fi 2>/dev/null
  mariadbd (pid PID) on HOST, clock N
  $ grep '^\[.* thds: ' out | sed 's/.*| srv-usr/srv-usr/' | mask | uniq
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN thr N rss N.NM | cli-cpu N.NN%
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
