--min-clients: a run that begins with those clients that the server accepts, while the others keep trying.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --port=none -- --max-connections=20 --innodb-buffer-pool-size=16M
  $ filled oltp_point_select $args --table-size=100
  $ root() { tries=400; until mariadb --no-defaults --socket=$socket --user=$admin --execute="$1" 2>root.err
  > do tries=$((tries - 1)); [ $tries -gt 0 ] || { cat root.err; return; }; sleep 0.02; done; }
  $ room() { # PLACES: so many connections, once those of the run before have gone; the server lets go of them later
  >   left=600
  >   until [ "$(root "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '$user'" | tail -n 1)" = 0 ]
  >   do left=$((left - 1)); [ $left -gt 0 ] || { echo "some stay"; return; }; sleep 0.02; done
  >   root "SET GLOBAL max_connections = $1"
  > }
  $ clients() { sed -n '/^    clients: /,/)$/p' out | tr -s '\n ' ' ' | sed -E 's/, [0-9]+ refused/, N refused/; s/^ | $//g'; echo; }
  $ run="sysbench oltp_point_select $args --table-size=100 --threads=40"

The others join when there is room for them, and take their share; they never do.

  $ for w in 0 1 s; do for arrival in even aligned; do
  >   room 20; : >out
  >   $run $(carried $w) --min-clients=12 --tx-rate=200 --tx-arrival=$arrival --tx-spin=0 --time=60 \
  >     --report-interval=1 --report-style=full run >out 2>err &
  >   client=$!
  >   wait_for out 'Threads started'; root "SET GLOBAL max_connections = 100"; wait_for out 'thds: 40 '
  >   kill $client; wait $client; exited $?; sed '/^Interrupted (SIG/d' err
  >   accounts; grep -c '^FATAL' out
  >   grep '^WARNING: .* clients are connected' out |
  >     sed -E 's/[0-9]+ were refused/N were refused/; s/^(WARNING: )[0-9]+/\1N/'
  >   clients
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 0
  6 WARNING: N of 40 clients are connected, N were refused (error 1040): the run begins without them, and they keep trying.
  6 clients: 40 of 40 connected, N refused at first (error 1040)
  6 exit 143
  $ room 20
  $ $run --threads=4 --min-clients=4 --events=10 --report-file=a.json run | grep -A 2 '^Connections'
  > report get a.json summary.connections.clients
  Connections:
      clients:                             4 of 4 connected
  
  {"threads": 4, "connected": 4, "refused": 0, "refused_with": null}
  $ room 20; $run --threads=4 --events=10 --report-file=a.json run | grep -c '^Connections'; report get a.json summary.connections.clients
  0
  null
  $ for w in 0 1
  > do
  >   room 20; $run $(carried $w) --min-clients=5 --time=0 --events=2000 run >out 2>err; exited $?; cat err
  >   figure 'total number of events'; clients | sed 's/: [0-9]* of/: N of/'; timed 0 20 $(figure 'total time')
  > done
  2000
  clients: N of 40 connected, N refused at first (error 1040)
  2000
  clients: N of 40 connected, N refused at first (error 1040)

Nobody joins when the run is over and the others leave room.

  $ for w in 0 1
  > do
  >   room 20; $run $(carried $w) --min-clients=5 --time=1 run >out 2>err; clients | grep -q ' of 40 connected'
  >   in_range 5 20 $(clients | sed -E 's/.* ([0-9]+) of 40 .*/\1/')
  > done

While some are missing, the interval says so; csv, jsonl and metrics do, too.

  $ room 20; : >out
  > $run --min-clients=5 --tx-rate=100 --tx-spin=0 --time=60 --report-interval=1 --report-style=full \
  >   --report-file=a.json,a.csv,a.jsonl,a.prom run >out 2>err &
  > client=$!
  $ wait_for out '^\[ [0-9]*s \]'; root "SET GLOBAL max_connections = 100"; wait_for out 'thds: 40 '
  > wait_for out '^\[.*tps: [0-9.]* .*ms: [0-9.]*' $(($(grep -c '^\[' out) + 1)); kill $client; wait $client
  > exited $?; accounts
  exit 143
  $ awk \
  >   '/^\[/ { split($0, t, "thds: "); n = t[2] + 0; r = 0; if (match($0, / \| refused [0-9]+ \(1040\)$/)) { split(substr($0, '\
  > 'RSTART + 11), w, " "); r = w[1] } print n + r, (r > 0) == (n < 40) }' \
  >   out |
  >   sort -u
  40 1
  $ awk -F, \
  >   'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print ($at["threads_running"] + $at["clients_missing"]), '\
  > '$at["connections_away"] }' \
  >   a.csv |
  >   sort -u
  40 0
  $ python3 -c "
  > import json
  > lines = [json.loads(l) for l in open('a.jsonl')]
  > print({i['threads_running'] + i['clients_missing'] for i in lines if i.get('threads_running')})"
  {40}
  $ grep '^sysbench_clients_missing' a.prom | sed 's/{.*}//'
  sysbench_clients_missing 0

Descriptors are needed for those that must connect, and are kept for the rest of the program.

  $ room 500
  $ for w in 0 1
  > do
  >   for n in 10 70
  >   do
  >     (ulimit -n 64; $run $(carried $w) --threads=200 --min-clients=$n --tx-rate=100 --time=2 \
  >       --report-interval=1 --report-file=a.json,a.csv run >out 2>err)
  >     exited $?; cat err
  >     grep -h -e '^WARNING: .* are connected' -e '^FATAL' -e '    clients:' out |
  >       sed -E 's/[0-9]+ (of 200|were|refused|clients fit)/N \1/g'
  >     [ $n = 70 ] || timed 150 200 $(report get a.json summary.rate.done); rm a.json
  >   done
  > done 2>/dev/null
  WARNING: N of 200 clients are connected, N were refused (by ulimit -n): the run begins without them, and they keep trying.
      clients:                             N of 200 connected, N refused at
  exit 1
  FATAL: --min-clients=70 needs a descriptor for each connection, but this process may open only 64 (ulimit -n): N clients fit
  WARNING: N of 200 clients are connected, N were refused (by ulimit -n): the run begins without them, and they keep trying.
      clients:                             N of 200 connected, N refused at
  exit 1
  FATAL: --min-clients=70 needs a descriptor for each connection, but this process may open only 64 (ulimit -n): N clients fit

Progress, once that takes over 2 s.

  $ cat >slow.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid) if tid == 39 then ffi.C.usleep(3500000) end con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT 1") end
  > END
  $ for w in 0 1
  > do
  >   room 20; sysbench slow.lua $args --threads=40 $(carried $w) --min-clients=5 --events=200 run >out 2>err
  >   exited $?; grep -c '^connected' out; grep -v '^WARNING: client [0-9]* kept' err | sort -u
  > done
  0
  0

Fewer than that: no run.

  $ for w in 0 1
  > do
  >   room 20; $run $(carried $w) --min-clients=30 --time=5 run >out 2>err; exited $?
  >   grep '^FATAL' out | sed -E "s#'/[^']*'#'SOCKET'#; s/[0-9]+ more/N more/"
  > done
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1040: Too many connections
  FATAL: `thread_init' function failed: */oltp_common.lua:*: connection creation failed (glob)
  FATAL: N more clients met error 1040
  FATAL: Thread initialization failed!

One that comes late and fails at something else ends the run, as it would have prevented it; the full server is no reason
then.

  $ cat >late.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect(); if io.open("late") then error("no table for a late client") end end
  > function event() con:query("SELECT 1") end
  > END
  $ for w in 0 1 s; do
  >   room 20; rm -f late; : >out
  >   sysbench ./late.lua $args --threads=40 $(carried $w) --min-clients=12 --tx-rate=100 --time=60 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; touch late; root "SET GLOBAL max_connections = 100"; wait $client; exited $?; cat err
  >   accounts; grep -m 1 '^FATAL' out
  > done
  exit 1
  FATAL: `thread_init' function failed: ./late.lua:1: no table for a late client
  exit 1
  FATAL: `thread_init' function failed: ./late.lua:1: no table for a late client
  exit 1
  FATAL: `thread_init' function failed: ./late.lua:1: no table for a late client

SIGTERM while some are missing.

  $ room 20; : >out; $run --min-clients=5 --time=60 run >out 2>err & client=$!; wait_for out 'Threads started'
  > sleep 0.3; kill $client; wait $client; exited $?; grep -c -e '^FATAL' -e '^General' out
  exit 143
  1

Values.

  $ for v in 0 41 101% x 5%%; do $run --min-clients=$v run 2>&1 | tail -n 1; done
  FATAL: Invalid value for --min-clients: '0' (1 to 1000000, or 1% to 100%)
  FATAL: Invalid value for --min-clients: '41' (there are 40 clients: --threads)
  FATAL: Invalid value for --min-clients: '101%' (1 to 1000000, or 1% to 100%)
  FATAL: Invalid value for --min-clients: 'x' (1 to 1000000, or 1% to 100%)
  FATAL: Invalid value for --min-clients: '5%%' (1 to 1000000, or 1% to 100%)
