The server's own counters: --server-status.
Own server: it stops it, and reads counters of a whole server.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/report.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 "$@" run >out 2>err; exited $?; cat err; }
  $ status() { sed -n "/^Server status:/,/^\$/s/^ *$1: *\([0-9]*\).*/\1/p" out; }

Growth per second in each interval, sums and values per transaction at the end; they are those of the server.

  $ run --events=1000 --time=0 --threads=2 --server-status
  $ unanswered() { unwrap <out | sed -n '/^Server status:/,/^$/p' | grep -q 'the server did not answer within 0.1 s'; }
  $ left=10; while unanswered && [ $left -gt 0 ]
  > do left=$((left - 1)); run --events=1000 --time=0 --threads=2 --server-status | sed '/^exit 0$/d'; done
  $ known() { v=$(status $1); echo ${v:-0}; } # n/a when the answer takes over 100 ms
  $ timed 900 1300 $(known Queries); timed 1 10 $(known Threads_running); timed 3 30 $(known Threads_connected)
  $ timed 120000 3000000 $(known Bytes_sent) # 1,000 rows of 120 bytes, and the answers about the status
  $ run --time=2 --threads=2 --report-interval=1 --report-style=full --server-status
  $ grep '^\[.* thds: ' out |
  >   sed -E \
  >     's/.* \| (Threads_running [0-9]+ Threads_connected [0-9]+ Queries\/s [0-9]+\.[0-9]+ ).*/\1/; s/[0-9.]+/N/g' |
  >   uniq >got
  $ echo 'Threads_running N Threads_connected N Queries/s N ' | timed_diff - got # n/a when an answer takes over 100 ms
  $ grep '^\[.* thds: ' out | sed -n -E 's/.* qps: ([0-9.]+) .* Queries\/s ([0-9.]+) .*/\1 \2/p' |
  >   awk '$1 > 0 { print $2 / $1 }' >ratios
  > while read q; do timed 0.8 1.25 $q; done <ratios

The clients' connections are not touched: they and one more.

  $ before=$(sql "SHOW GLOBAL STATUS LIKE 'Connections'" | cut -f2)
  $ run --events=10 --threads=3 --server-status; after=$(sql "SHOW GLOBAL STATUS LIKE 'Connections'" | cut -f2)
  $ echo $((after - before - 1))
  4

A server that does not answer: n/a for that interval, with the reason, and the run goes on.

  $ : >out
  > sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 --time=60 --report-interval=1 --report-style=full --server-status run >out \
  >   2>err &
  > client=$!
  $ wait_for out 'Queries/s [0-9]'; kill -STOP $SB_MYSQL_PID; wait_for out 'Queries/s n/a'
  > had=$(grep -c 'Queries/s [0-9]' out); kill -CONT $SB_MYSQL_PID
  $ wait_for out 'Queries/s [0-9]' $((had + 1)); kill $client; wait $client; exited $?; cat err
  exit 143

Its connection is no client's: when it is lost there is no figure at the next reading, the run has not failed, and a new
connection takes its place.  What the thread that serves it has used for others before is not for watching.

  $ cat >killer.lua <<'END'
  > local function connect() return sysbench.sql.driver():connect() end
  > function thread_init()
  >    con, seen = connect(), "0"
  >    local hot = {connect(), connect(), connect()} -- their threads serve the next connections
  >    for _, c in ipairs(hot) do c:query("SELECT BENCHMARK(1000000, MD5('a'))") end
  >    for _, c in ipairs(hot) do c:disconnect() end
  > end
  > function event() -- between two readings, each of them once: others, of the run before or for the environment, may take their time to go
  >    events = (events or 0) + 1
  >    local other = events > 20 and events <= 40 and con:query_row("SELECT id FROM information_schema.processlist WHERE " ..
  >       "id <> connection_id() AND user = substring_index(current_user(), '@', 1) AND db = database() " ..
  >       "AND id NOT IN (" .. seen .. ")")
  >    if other then seen = seen .. "," .. other end
  >    con:query(other and "KILL " .. other or "SELECT 1")
  >    killed = killed or other
  > end
  > function thread_done() print("killed", killed ~= nil) end
  > END
  $ : >out
  > sysbench killer.lua $SB_MYSQL_ARGS --tx-rate=100 --time=60 --report-interval=0.5 --report-style=full \
  >   --server-status --report-file=a.json run >out 2>err &
  > client=$!
  $ wait_for out 'Queries/s n/a'; wait_for out 'Queries/s [0-9].*' $(($(grep -c 'Queries/s [0-9]' out) + 1))
  > kill $client; wait $client; exited $?; cat err
  exit 143
  $ grep 'killed\|FATAL' out
  killed\ttrue (esc)
  $ values a.json summary.server.own_cpu_s_per_transaction summary.server.cpu_s_per_transaction | awk '!(0 < $1 && $1 < $2)'

It still connects when the run ends, because the server stands still: the run does not wait for it and frees nothing that
it uses, so the process ends by _exit().

  $ cat >left.lua <<'END'
  > ffi.cdef("int __cxa_atexit(void (*)(void *), void *, void *); void abort(void *);")
  > ffi.C.__cxa_atexit(ffi.C.abort, nil, nil)
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    local others = "FROM information_schema.processlist WHERE id <> connection_id() AND db = database() " ..
  >                   "AND user = substring_index(current_user(), '@', 1)"
  >    local status = con:query_row("SELECT id " .. others .. " ORDER BY id DESC LIMIT 1")
  >    con:query("KILL " .. status)
  >    while con:query_row("SELECT COUNT(*) " .. others .. " AND id = " .. status) ~= "0" do end
  >    os.execute("kill -STOP " .. os.getenv("SB_MYSQL_PID") .. "; sleep 2.5") -- it is lost, and connects from second 2 on
  > end
  > END
  $ (ulimit -c 0; sysbench left.lua $SB_MYSQL_ARGS --mysql-ignore-errors=all --events=1 --time=0 \
  >   --report-interval=1 --server-status run >out; echo "exit $?") >got 2>err
  $ kill -CONT $SB_MYSQL_PID; echo "exit 0" | timed_diff - got # it gives up after 5 s

The same in a script's report hook, beside events and the machine's columns.

  $ cat >hook.lua <<'END'
  > require("oltp_point_select")
  > function sysbench.hooks.report_cumulative(stat)
  >    local e, h = stat.server_events, stat.host
  >    local queries = stat.server_status.Queries
  >    print("hook", queries and queries > 100, math.abs(h.us + h.sy + h.id + h.wa + h.st - 100) < 1,
  >          type(h.interrupts), e["instructions:u"] == nil or e["instructions:u"] > 0, e["nosuch"])
  > end
  > END
  $ sysbench hook.lua $SB_MYSQL_ARGS --table-size=1000 --time=1 --server-status --host-stats \
  >   --server-events=instructions:u,page-faults run |
  >   grep hook >got
  $ printf 'hook\ttrue\ttrue\tnumber\ttrue\tnil\n' | timed_diff - got

Off by default; nothing to ask without a database.

  $ run --events=10; ! grep 'Server status' out
  $ ! sysbench cpu --server-status --events=5 run | grep 'Server status'
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
