A server that is restarted while it is watched: found again, with the figures of both lives.

  $ . "$TESTDIR/../include/rate.sh"
  $ own_server -- --innodb-buffer-pool-size=16M
  $ tcp="--db-driver=mysql --mysql-host=$host --mysql-port=$port --mysql-user=$user --mysql-db=$db"
  $ filled oltp_point_select $args --table-size=1000
  $ begin() { : >out; rm -f a.json
  > sysbench oltp_point_select --table-size=1000 --threads=2 --tx-rate=50 --tx-spin=0 --report-interval=1 --report-style=full \
  >   --mysql-ignore-errors=all --report-file=a.json "$@" run >out 2>err &
  > client=$!; wait_for out '^\[ ' 2; }
  $ restart() { old=$pid; kill -KILL $pid; revive; new=$pid; }
  $ back() { # PATTERN: until three lines with the new server's figures follow the restart, then the end
  >   n=0; until [ $(sed -n '/server restarted: /,$p' out | grep -c -e "$1") -ge 3 ] || [ $n -ge 900 ]
  >   do n=$((n + 1)); sleep 0.1; done; kill $client; }
  $ ended() { wait $client; exited $?; cat err; }
  $ pids() { sed -E "s/\b$old\b/OLD/g; s/\b$new\b/NEW/g; s/[0-9.]+ ?s\b/N s/g"; }
  $ block() { sed -n "/^$1:/,/^\$/p" out; }
  $ check() { python3 "$TESTDIR/../include/cram_server_restart.py" "$@"; timed -100 0.1 $(cat late); }

Killed and started again: over the socket, by the clients' new connections.  The monitor's own connection comes back as
well, and decides nothing.

  $ begin $args --time=200 --server-status --server-events=context-switches; restart; back 'srv-usr [0-9].* Queries/s [0-9]'; ended
  exit 143
  $ accounts; check server_status/Queries server_events/context-switches
  $ grep -h 'server restarted' out | pids
  [ N s ] server restarted: pid OLD -> NEW
      server restarted at N s: pid OLD -> NEW
  $ grep '^Server:' out | pids
  Server: mariadbd (pid NEW)
  $ block Server | unwrap | pids | sed -n 's/: *at least .*/ at least/p; s/ *lower bounds because: */because /p'
      CPU, % of the whole system at least
      CPU per transaction, us at least
      context switches at least
      waited for a CPU at least
  because the server was restarted, what it did between a last reading and its end is not known
  $ block 'Server status' | unwrap | grep -E '^ *(Queries|lower bounds)' | sed -E 's/at least [0-9].*/at least N/; s/  +/ /g'
   Queries: at least N
   lower bounds because: the server was restarted

Over TCP; and named by its process id, which the clients' connections lead to.

  $ for how in tcp pid; do case $how in tcp) set -- $tcp;; pid) set -- $args --server=$pid;; esac
  >   begin "$@" --time=200; restart; back 'srv-usr [0-9]'; ended; accounts; check; grep '^Server:' out | pids; done
  exit 143
  Server: mariadbd (pid NEW)
  exit 143
  Server: mariadbd (pid NEW)

On another host: pstime finds it there by its address.

  $ printf '#!/bin/sh\nexec "$@"\n' >there; chmod +x there
  $ begin $tcp --time=200 --server-via=./there; restart; back 'srv-usr [0-9]'; ended
  exit 143
  $ accounts; grep -c 'server restarted' out
  2
  $ check >wrong 2>&1; timed_diff /dev/null wrong # the last answer may come too late
  $ grep '^Server:' out | unwrap | pids | sed 's/ on .*//'
  Server: mariadbd (pid NEW)

Its processes' ids are those of the new server in commands that begin later.

  $ : >seen; printf '#!/bin/sh\necho "$SB_SERVER_PIDS" >>seen\n' >see; chmod +x see
  $ begin $args --time=200 $(for at in 0 5 7 9 12 15 20 30 45 60 90; do echo "--at=$at --do=./see"; done); restart
  > wait_for seen "^$new\$"; kill $client; ended
  exit 143
  $ [ "$(sort -u seen)" = "$(printf '%s\n' $old $new | sort)" ] || cat seen

Killed for good: what was read before is in the report, and the rest is n/a with the reason.

  $ begin $args --time=6 --server-status; old=$pid; kill -KILL $pid; ended >how; head -n 1 how
  exit 1
  $ grep '^\[.* thds:' out | tail -n 1 | sed 's/.*| srv-usr/srv-usr/; s/ Threads_connected.*//' | mask
  srv-usr n/a srv-sys n/a cs/tx n/a thr n/a rss n/a | cli-cpu N.NN% | waits n/a | Threads_running n/a
  $ block Server | unwrap | pids | sed -n 's/: *at least .*/ at least/p; s/ *lower bounds because: */because /p; s/^ *n.a: */missing /p'
      CPU, % of the whole system at least
      CPU per transaction, us at least
      context switches at least
      waited for a CPU at least
  because mariadbd (pid OLD) has ended
  missing threads, RSS (mariadbd (pid OLD) has ended)
  missing other sessions at the end, waited for locks (the connection that watches the server was lost)
  $ ! grep 'server restarted' out
  $ revive

It stands still: the intervals come on time, the figures of its processes go on, and the metrics are answered with them.

  $ begin $args --time=200 --server-status --metrics-listen=0; kill -STOP $pid; seen=$(grep -c '^\[.* thds:' out)
  > wait_for out '^\[.* thds:' $((seen + 2))
  $ if url=$(sed -n 's/^Metrics: //p' out) && [ -n "$url" ]; then python3 - $url <<'END'
  > import sys, time, urllib.request
  > begin = time.monotonic(); text = urllib.request.urlopen(sys.argv[1], timeout=20).read().decode()
  > print("slow" if time.monotonic() - begin > 5 else "", end="")
  > assert "\nsysbench_run_active" in text and "sysbench_server_cpu_seconds_total" in text, text
  > END
  > fi
  $ wait_for out '^\[.* thds:' $((seen + 3)); kill -CONT $pid; kill $client; ended
  exit 143
  $ accounts; timed 0 0 $(grep '^\[.* thds:' out | awk '{ at = $2 + 0 } END { print at - NR }')
  $ grep '^\[.* thds:' out | sed -n $((seen + 2))p | sed 's/.*| srv-usr/srv-usr/; s/ Threads_connected.*//; s/ cs.tx .* thr/ thr/' | mask
  srv-usr N.NN% srv-sys N.NN% thr N rss N.NM | cli-cpu N.NN% | waits n/a | Threads_running n/a
  $ sysbench oltp_point_select $args cleanup >out
