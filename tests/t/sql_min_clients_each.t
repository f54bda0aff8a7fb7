--min-clients: a run that begins with those clients that the server accepts, while the others keep trying.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none -- $([ $DB = pgsql ] && echo --max_connections=150 || echo --max-connections=20)
  $ filled oltp_point_select $args --table-size=100
  $ room() { # PLACES: for so many connections
  >   if [ $DB = pgsql ]; then root "ALTER ROLE $user CONNECTION LIMIT $1"
  >   else until root "SET GLOBAL max_connections = $1" 2>root.err; do sleep 0.05; done; fi; }
  $ few() { clients_are 0; room 20; } # those of the run before have gone
  $ # PostgreSQL's errors of an attempt have no number
  > clients() { unwrap <out | sed -n -E "s/ \(error 1040\)//; s/, [0-9]+ refused/, N refused/; s/^ +clients: +[0-9]+/clients: ${1:-N}/p"; }
  $ run="sysbench oltp_point_select $args --table-size=100 --threads=40"

The others join when there is room for them, and take their share; they never do.

  $ for w in 0 1 s; do for arrival in even aligned; do
  >   few; : >out; $run $(carried $w) --min-clients=30% --tx-rate=200 --tx-arrival=$arrival --tx-spin=0 --time=60 \
  >     --report-interval=1 --report-style=full --report-file=a.json run >out 2>err &
  >   client=$!
  >   wait_for out 'Threads started'; room 100; wait_for out 'thds: 40 '
  >   kill $client; wait $client; exited $?; sed '/^Interrupted (SIG/d' err
  >   accounts; grep -c '^FATAL' out; grep -q 'of 40 connected' out || cat out; clients 40
  >   grep '^WARNING: .* clients are connected' out |
  >     sed -E 's/[0-9]+ were refused/N were refused/; s/^(WARNING: )[0-9]+/\1N/; s/ \(error 1040\)//'
  >   report get a.json summary.connections.clients | sed -E 's/"refused": [0-9]+/"refused": N/; s/"[0-9]+"}|1040}|null}/WITH}/'
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 0
  6 WARNING: N of 40 clients are connected, N were refused: the run begins without them, and they keep trying.
  6 clients: 40 of 40 connected, N refused at first
  6 exit 143
  6 {"threads": 40, "connected": 40, "refused": N, "refused_with": WITH}
  $ few; $run --threads=4 --min-clients=4 --events=10 --report-file=a.json run >out; grep -A 2 '^Connections' out
  > report get a.json summary.connections.clients
  Connections:
      clients:                             4 of 4 connected
  
  {"threads": 4, "connected": 4, "refused": 0, "refused_with": null}
  $ few; $run --threads=4 --events=10 --report-file=a.json run | grep -c '^Connections'; report get a.json summary.connections.clients
  0
  null
  $ for w in 0 1; do
  >   few; $run $(carried $w) --min-clients=5 --time=0 --events=2000 run >out 2>err; exited $?; cat err
  >   figure 'total number of events'; clients; timed 0 20 $(figure 'total time')
  > done | sort -u
  2000
  clients: N of 40 connected, N refused at first

Nobody joins when the run is over and the others leave room.

  $ for w in 0 1; do
  >   few; $run $(carried $w) --min-clients=5 --time=1 run >out 2>err
  >   in_range 5 20 $(sed -n -E 's/^ +clients: +([0-9]+) of 40 connected.*/\1/p' out)
  > done

While some are missing, the interval says so; csv, jsonl and metrics do, too.

  $ few; : >out
  > $run --min-clients=5 --tx-rate=100 --tx-spin=0 --time=60 --report-interval=1 --report-style=full \
  >   --report-file=a.json,a.csv,a.jsonl,a.prom run >out 2>err &
  > client=$!
  $ wait_for out '^\[ [0-9]*s \]'; room 100; wait_for out 'thds: 40 '
  > wait_for out '^\[.*tps: [0-9.]* .*ms: [0-9.]*' $(($(grep -c '^\[' out) + 1)); kill $client; wait $client
  > exited $?; accounts
  exit 143
  $ awk '/^\[/ { split($0, t, "thds: "); n = t[2] + 0; r = match($0, / \| refused [0-9]+/) ? substr($0, RSTART + 11) + 0 : 0
  >   print n + r, (r > 0) == (n < 40) }' out | sort -u
  40 1
  $ python3 -c '
  > import csv, json
  > rows = [[int(r[n]) for n in ("threads_running", "clients_missing", "connections_away")] for r in csv.DictReader(open("a.csv"))]
  > lines = [json.loads(l) for l in open("a.jsonl")]
  > print({(a + b, c) for a, b, c in rows}, {i["threads_running"] + i["clients_missing"] for i in lines if i.get("threads_running")})'
  {(40, 0)} {40}
  $ grep '^sysbench_clients_missing' a.prom | sed 's/{.*}//'
  sysbench_clients_missing 0

Descriptors are needed for those that must connect, and are kept for the rest of the program.

  $ room 120
  $ for w in 0 1; do for n in 10 70; do
  >   clients_are 0
  >   (ulimit -n 64; $run $(carried $w) --threads=100 --min-clients=$n --tx-rate=100 --time=2 \
  >     --report-interval=1 --report-file=a.json,a.csv run >out 2>err)
  >   exited $?; cat err
  >   grep -h -e '^WARNING: .* are connected' -e '^FATAL' -e '    clients:' out |
  >     sed -E 's/[0-9]+ (of 100|were|refused|clients fit)/N \1/g; s/, N refused at first.*/, N refused at/'
  >   [ $n = 70 ] || timed 150 200 $(report get a.json summary.rate.done); rm a.json
  > done; done 2>/dev/null | sort | uniq -c | sed 's/^ *//'
  2     clients:                             N of 100 connected, N refused at
  2 FATAL: --min-clients=70 needs a descriptor for each connection, but this process may open only 64 (ulimit -n): N clients fit
  2 WARNING: N of 100 clients are connected, N were refused (by ulimit -n): the run begins without them, and they keep trying.
  2 exit 1

Progress, once that takes over 2 s.

  $ cat >slow.lua <<'END'
  > ffi.cdef("int usleep(unsigned us);")
  > function thread_init(tid) if tid == 39 then ffi.C.usleep(3500000) end con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT 1") end
  > END
  $ for w in 0 1; do
  >   few; sysbench slow.lua $args --threads=40 $(carried $w) --min-clients=5 --events=200 run >out 2>err
  >   exited $?; grep -c '^connected' out; grep -v '^WARNING: client [0-9]* kept' err | sort -u
  > done
  0
  0

Fewer than that: no run.

  $ for w in 0 1; do
  >   few; $run $(carried $w) --min-clients=30 --time=5 run >out 2>err; exited $?
  >   grep '^FATAL' out | grep -cE 'Too many connections|too many connections for role'; grep '^FATAL: Thread' out
  > done | sort | uniq -c | sed 's/^ *//'
  2 1
  2 FATAL: Thread initialization failed!
  2 exit 1

One that comes late and fails at something else ends the run, as it would have prevented it; the full server is no reason
then.

  $ cat >late.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect(); if io.open("late") then error("no table for a late client") end end
  > function event() con:query("SELECT 1") end
  > END
  $ for w in 0 1 s; do
  >   rm -f late; few; : >out
  >   sysbench ./late.lua $args --threads=40 $(carried $w) --min-clients=12 --tx-rate=100 --time=60 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; touch late; room 100; wait $client; exited $?; cat err
  >   accounts; grep -m 1 '^FATAL' out
  > done | sort | uniq -c | sed 's/^ *//'
  3 FATAL: `thread_init' function failed: ./late.lua:1: no table for a late client
  3 exit 1

SIGTERM while some are missing.

  $ few; : >out; $run --min-clients=5 --time=60 run >out 2>err & client=$!; wait_for out 'Threads started'
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
