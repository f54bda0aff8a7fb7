A PostgreSQL server that is stopped, restarted or stays away while it is being measured.

  $ . "$TESTDIR/../include/rate.sh"
  $ own_server --engine=postgresql --port=none -- --fsync=off
  $ filled oltp_read_write $args --table-size=1000
  $ begin() { : >out; sysbench oltp_read_write $args --table-size=1000 "$@" run >out 2>err & client=$!
  > wait_for out 'Threads started'; sleep 0.5; }
  $ ended() { wait $client; exited $?; cat err; }

Stopped: the end of the run, with the report of what was measured.

  $ begin --threads=4 --time=30 --report-interval=1; wait_for out '^\[.* tps: [0-9.]*[1-9]'
  $ server stop; ended
  exit 1
  $ grep -cE '^FATAL: PQ(exec|execPrepared)\(\) failed: 7 ' out | awk '{ print ($1 >= 1) }'
  1
  $ grep -cE '^(SQL statistics|General statistics|Threads fairness)' out
  3
  $ [ "$(figure transactions)" = "$(figure 'total number of events')" ] || figure transactions; in_range 1 1e7 $(figure transactions)
  $ server start >env || cat env

Stopped and started again, with lost connections ignored: every thread comes back, and the schedule has gone on meanwhile.

  $ begin --tx-rate=20 --events=100 --time=120 --threads=4 --report-interval=1 --report-style=full \
  >   --pgsql-ignore-errors=40P01,40001,23505,connection
  $ server stop; server start >env || cat env
  $ ended
  $ accounts; figure offered; figure done
  100
  100
  $ in_range 1 40 $(figure reconnects)
  $ in_range 50 60000 $(series response max)

Gone for good: the run ends when its time is over, not when the server comes back, and says so in one sentence.

  $ . ./env; begin --tx-rate=10 --time=4 --threads=4 --pgsql-ignore-errors=connection
  $ kill -INT $pid; ended
  exit 1
  $ grep '^FATAL' out | sed -E 's/(on socket).*( failed: ).*/\1 SOCKET\2REASON/'
  FATAL: 4 connections were lost and not restored when the run ended: connection to server on socket SOCKET failed: REASON
  $ timed 3.9 20 $(figure 'total time')
  $ accounts; figure offered
  40
