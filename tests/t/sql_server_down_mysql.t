A server that is killed, restarted or stands still while it is being measured.

  $ . "$TESTDIR/../include/rate.sh"
  $ own_server --port=none -- --max-connections=20 --innodb-buffer-pool-size=16M
  $ filled oltp_read_write $args --table-size=1000
  $ begin() { : >out; sysbench oltp_read_write $args --table-size=1000 "$@" run >out 2>err & client=$!
  > wait_for out 'Threads started'; sleep 0.5; }
  $ outage() { sed -n '/^Outages/,/^$/p' $1 | awk '/first error/ { e = ($6 > 0) } /success again:/ { s = ($4 > 0) } / are '\
  > 'back:/ { c = $8; gsub(/[()]/, "", c) }
  >   /begin in time:/ { d = ($6 > 0) } END { print "first error " e ", success again " s ", connections " c ", drained " d }'; }
  $ back() { timeout 60 sh -c \
  >   "until [ \$(mariadb --no-defaults --socket=$socket --user=$admin -BNe \"SELECT COUNT(*) FROM "\
  > "information_schema.processlist WHERE user = '$user'\") -ge $1 ]; do sleep 0.1; done"
  > sleep 0.5; }
  $ ended() { wait $client; exited $?; cat err; }

Stopped over the deadline: what was begun is unfinished, and the report says for how long.

  $ begin --tx-rate=25 --tx-spin=0 --time=4 --threads=4 --report-interval=1 --report-style=full --forced-shutdown=1
  $ kill -STOP $pid; ended; kill -CONT $pid
  exit 2
  $ grep '^FATAL' out
  FATAL: The --max-time limit has expired, forcing shutdown...
  $ accounts
  $ figure offered
  100
  $ timed 1 99 $(figure unfinished)
  $ sed -n -E 's/^    (unfinished:) +[0-9]+ \([0-9]+ waiting, [0-4] begun; .*/\1/p; s/^(Number .*shutdown: )[1-4]$/\1N/p' out
  Number of unfinished transactions on forced shutdown: N
  unfinished:

Stopped for a while: it is all made up for.

  $ begin --tx-rate=50 --tx-spin=0 --events=150 --time=60 --threads=4 --report-interval=1 --report-style=full
  $ kill -STOP $pid; sleep 1; kill -CONT $pid; ended
  $ accounts; figure offered; figure unfinished
  150
  0
  $ timed 900 2500 $(series response max)

Killed: the end of the run, with the report of what was measured.

  $ begin --threads=4 --time=30 --report-interval=1; wait_for out '^\[.* tps: [0-9.]*[1-9]'
  $ kill -KILL $pid; ended
  exit 1
  $ grep -c '^FATAL: .* returned error 20[01][0-9] (' out | awk '{ print ($1 >= 1) }'
  1
  $ grep -cE '^(SQL statistics|General statistics|Threads fairness)' out
  3
  $ [ "$(figure transactions)" = "$(figure 'total number of events')" ] || figure transactions; in_range 1 1e7 $(figure transactions)
  $ timed 0.3 10 $(figure 'total time')
  $ revive

Killed and started again, with all errors ignored: every thread comes back, and the schedule has gone on meanwhile.

  $ begin --tx-rate=20 --tx-spin=0 --events=100 --time=120 --threads=4 --report-interval=1 --report-style=full --mysql-ignore-errors=all
  $ kill -KILL $pid; revive; ended
  $ accounts; figure offered; figure done
  100
  100
  $ in_range 4 40 $(figure reconnects); [ $(figure reconnects) -eq $(figure 'replaced after an error') ]
  $ in_range 50 60000 $(series response max)
  $ in_range 100 100 $(figure transactions)
  $ outage out
  first error 1, success again 1, connections 4, drained 1

The same on workers, without a rate: there is no backlog, and the file has what the text has.

  $ begin --threads=6 --workers=1 --time=60 --report-interval=1 --server=auto --mysql-ignore-errors=all \
  >   --report-file=a.json
  > wait_for out '^\[.* tps: [1-9]'
  $ kill -KILL $pid; revive; back 6; wait_for out 'server restarted: '; kill $client; ended
  exit 143
  Interrupted (SIGTERM after * s of 60 s) (glob)
  $ grep -c '^    CPU, % of the whole system:  *at least ' out; grep -c '^    server restarted at ' out
  1
  1
  $ outage out
  first error 1, success again 1, connections 6, drained 
  $ python3 "$TESTDIR/../include/cram_sql_server_down_mysql.py"
  1 0 0 6
  True True None None
  True True
  True None 0
  True True
  True {'connection'}
  $ timed -60 0.5 $(cat before)

Gone for good: the run ends when its time is over, not when the server comes back.

  $ begin --tx-rate=10 --tx-spin=0 --time=4 --threads=4 --mysql-ignore-errors=all --report-file=gone.json
  $ kill -KILL $pid; rm $socket; ended
  exit 1
  $ grep '^FATAL' out | sed "s#'/[^']*'#'SOCKET'#"
  FATAL: 4 connections were lost and not restored when the run ended: error 2002: Can't connect to local server through socket 'SOCKET' (2)
  $ python3 -c 'import json; e = json.load(open("gone.json"))["end"]; print(e["status"], e["error"][:67])'
  failed 4 connections were lost and not restored when the run ended: error 
  $ timed 3.9 20 $(figure 'total time')
  $ accounts; figure offered
  40

Full: more threads than connections.

  $ revive
  $ sysbench oltp_point_select $args --threads=40 --table-size=1000 --time=5 run >out 2>err; status=$?; cat err; echo $status
  1
  $ timed 19 20 $(sed -n -E 's/^FATAL: ([0-9]+) more clients met .*/\1/p' out) # the connection that saw the server start may still count
  $ grep '^FATAL' out | sed -E "s#'/[^']*'#'SOCKET'#; s/^FATAL: [0-9]+ more/FATAL: N more/"
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!
