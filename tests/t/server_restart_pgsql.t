A PostgreSQL server that is restarted while it is watched: found again, with the figures of both lives.

  $ . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --engine=postgresql -- --fsync=off
  $ filled oltp_point_select $args --table-size=1000
  $ begin() { : >out
  > sysbench oltp_point_select --table-size=1000 --threads=2 --tx-rate=50 --tx-spin=0 --report-interval=1 --report-style=full \
  >   --pgsql-ignore-errors=connection --report-file=a.json "$@" run >out 2>err &
  > client=$!; wait_for out '^\[ ' 2; }
  $ back() { # PATTERN: until three lines with the new server's figures follow the restart, then the end
  >   n=0; until [ $(sed -n '/server restarted: /,$p' out | grep -c -e "$1") -ge 3 ] || [ $n -ge 900 ]
  >   do n=$((n + 1)); sleep 0.1; done; kill $client; }
  $ ended() { wait $client; exited $?; cat err; }
  $ pids() { sed -E "s/\b$old\b/OLD/g; s/\b$new\b/NEW/g; s/[0-9.]+ ?s\b/N s/g"; }

Its postmaster and the processes below it are those of the new server; the saved counters go on.

  $ begin $args --time=200 --server-status --server-syscalls=3; old=$pid; server stop; server start >env || cat env
  $ . ./env; new=$pid; back 'srv-usr [0-9].* xact_commit/s [0-9]'; ended
  exit 143
  $ accounts; grep -h 'server restarted' out | pids
  [ N s ] server restarted: pid OLD -> NEW
      server restarted at N s: pid OLD -> NEW
  $ grep '^Server:' out | pids
  Server: postgres (pid NEW and its children)
  $ python3 "$TESTDIR/../include/cram_server_restart.py" server_status/xact_commit
  $ calls=$(report get a.json summary.server_syscalls.count 2>err) || calls=101; in_range 101 1e9 $calls
  $ sysbench oltp_point_select $args cleanup >out
