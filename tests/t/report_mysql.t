Result files of a database test: the server's figures, and a server that dies.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ files=--report-file=a.json,a.csv,a.summary.csv,a.jsonl,a.hlog
  $ valid_all() { valid a.json a.jsonl || [ $? = 80 ] || echo invalid; }
  $ filled oltp_read_write $SB_MYSQL_ARGS --table-size=1000
  $ sysbench oltp_read_write $SB_MYSQL_ARGS --table-size=1000 --threads=4 --rand-type=uniform --events=100 --time=60 \
  >   --tx-rate=50 --report-interval=0.5 $files \
  >   --raw-log=a.raw run >out 2>err; exited $?; cat err
  $ valid_all; report agree a.json a.csv a.summary.csv a.jsonl; report hlog a.hlog a.json; report raw a.raw a.json; report sums a.json a.raw
  $ report get a.json summary.server.name | sed "s/pid $SB_MYSQL_PID\b/pid PID/"
  "mariadbd (pid PID)"

A transaction that met another one's row is repeated: its reads and its BEGIN count again, and the writes that it had done.

  $ report get a.json summary.rate.total_done summary.errors summary.reads summary.writes summary.other | tr '\n' ' ' |
  >   awk '{ print $1, $3 - 14 * $2, ($4 >= 400 && $4 <= 400 + 3 * $2), $5 - $2 }'
  100 1400 1 200

  $ report get a.json summary.server.cpu_s summary.server.rss_bytes summary.client.cpu_s intervals.0.server.cpu_s |
  >   awk '{ print ($1 > 0) }' | uniq -c
        4 1

The block of the text and the file are the same reading.

  $ report get a.json summary.server.cpu_s_per_transaction summary.server.cpu_user_pct |
  >   awk 'NR == 1 { printf "%.2f ", $1 * 1e6 } NR == 2 { printf "%.2f\n", $1 }' >json
  $ awk '/^Server:/ { on = 1 } on && /whole system/ { u = $8 } on && /per transaction, us/ { print $NF, u; exit }' out | diff json -

A hook sees them too.

  $ cat >hook.lua <<'END'
  > require("oltp_point_select")
  > local events, latencies = 0, 0
  > sysbench.hooks.report_intermediate = function(stat)
  >   local s, before = stat.server, latencies
  >   events, latencies = events + stat.events, latencies + stat.latency.n
  >   -- latencies are read after events: those of all of them, and of none that the next report lacks but the one under way
  >   if stat.kind == "interval" and stat.events == 0 then return end -- the machine stood still: it has no percentiles
  >   print(stat.kind, latencies >= events and before <= events + 1, stat.latency.p50 > 0,
  >     s.interval > 0, s.cpu > 0, s.cpu_per_transaction > 0, s.name:match("^mariadbd"), stat.wall_time > 1.7e9)
  > end
  > END
  $ sysbench ./hook.lua $SB_MYSQL_ARGS --table-size=1000 --server=auto --time=1 --report-interval=0.5 \
  >   --report-file=a.json run |
  >   grep '^interval' | uniq
  interval\ttrue\ttrue\ttrue\ttrue\ttrue\tmariadbd\ttrue (esc)

A server of their own that is killed: the files are complete up to then and say why.

  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ "$SB_DBSERVER" start --dir="$PWD/db" --prefix=own_ >env 2>err || cat err
  $ . ./env
  $ filled oltp_read_write $own_args --table-size=100
  $ rm a.jsonl
  > sysbench oltp_read_write $own_args --table-size=100 --threads=2 --time=30 --report-interval=0.2 --server=auto \
  >   $files run >out 2>err &
  > pid=$!
  $ wait_for a.jsonl '"kind":"interval"' 3; kill -9 $own_pid; wait $pid; echo $?
  1
  $ valid_all; report agree a.json a.csv a.summary.csv a.jsonl; report hlog a.hlog a.json
  $ report get a.json end.status; report get a.json end.error | grep -ci 'server'
  "failed"
  1
  $ "$SB_DBSERVER" stop --dir="$PWD/db" --remove >out 2>&1 || cat out
