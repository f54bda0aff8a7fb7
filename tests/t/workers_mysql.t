Many clients on few threads, against MariaDB.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --port=none -- --max-connections=450 --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2 --log-output=TABLE

The same statements reach the server, in the same order, from every workload that comes with the program; also from a
copy with one comment more, whose events are all Lua's (l).

  $ filled oltp_read_write $args --table-size=1000
  $ root "CREATE TABLE keep AS SELECT * FROM sbtest1"
  $ root "DELIMITER //
  > CREATE PROCEDURE nobody() REPEAT DO SLEEP(0.01);
  >   UNTIL NOT EXISTS (SELECT * FROM information_schema.processlist WHERE user = '$user') END REPEAT"
  $ nobody() { root "CALL nobody()"; }
  $ logged() { # the server logs the end of a connection when the client has long gone
  >   root "$again TRUNCATE mysql.general_log; SET GLOBAL general_log = 1"
  >   sysbench "$@" run >out.$w; echo "exit $?" >>out.$w
  >   root "CALL nobody(); SET GLOBAL general_log = 0;
  >         SELECT command_type, argument FROM mysql.general_log WHERE user_host LIKE '$user[%'" >sent.$w
  > }
  $ conform() {
  >   cp "$SB_SOURCE/src/lua/$1.lua" copy.lua; echo "-- a copy" >>copy.lua; test=$1; shift
  >   for w in 0 1 s l; do
  >     again="TRUNCATE sbtest1; INSERT INTO sbtest1 SELECT * FROM keep;"
  >     [ $w != l ] || test=./copy.lua
  >     logged $test "$@" $args --rand-seed=11 $(carried $w)
  >   done
  >   cmp sent.0 sent.1; cmp sent.0 sent.s; cmp sent.0 sent.l; alike out.0 out.1; alike out.0 out.s
  >   for w in 1 s l; do
  >     [ "$(counts out.0)" = "$(counts out.$w)" ] || echo "counts: $(counts out.0), $w: $(counts out.$w)"
  >   done
  >   in_range 10 1000 $(grep -c -e '^Execute' -e '^Query' sent.0)
  > }
  $ for t in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_insert oltp_update_index \
  >     oltp_update_non_index oltp_delete select_random_points select_random_ranges; do
  >   for mode in $(short_or_long auto "auto disable"); do
  >     conform $t --table-size=1000 --events=10 --db-ps-mode=$mode
  >   done
  > done
  > conform oltp_read_write --table-size=1000 --events=10 --db-ps-mode=disable
  $ again=; sysbench oltp_read_write $args cleanup >out
  $ sysbench bulk_insert $args --threads=1 prepare >out
  $ for w in 0 1 s
  > do
  >   logged bulk_insert $args --events=100000 $(carried $w); grep -c INSERT sent.$w
  >   root "SELECT COUNT(*), SUM(k) FROM sbtest1; TRUNCATE sbtest1"
  > done | sort | uniq -c
        3 100000\t5000050000 (esc)
        3 3
  $ cmp sent.0 sent.1; cmp sent.0 sent.s; alike out.0 out.1; alike out.0 out.s; sysbench bulk_insert $args cleanup >out

Several results of one text, texts of many packets, two connections of one client.

  $ cat >various.lua <<'END'
  > function thread_init()
  >    a = sysbench.sql.driver():connect()
  >    b = sysbench.sql.driver():connect()
  > end
  > function event(tid)
  >    local id = a:query_row("SELECT CONNECTION_ID()")
  >    assert(b:query_row("SELECT CONNECTION_ID()") ~= id)
  >    a:query("SELECT 1; SELECT 2 UNION SELECT 3; DO 0; SELECT 4")
  >    while a:more_results() do a:next_result() end
  >    local long = string.rep("x", 3000000)
  >    assert(#b:query_row("SELECT '" .. long .. "'") == #long)
  >    local s = b:prepare("SELECT ?, REPEAT('y', 2000000)")
  >    local p = s:bind_create(sysbench.sql.type.VARCHAR, 1000000)
  >    s:bind_param(p)
  >    p:set(string.rep("z", 1000000))
  >    local row = s:execute():fetch_row()
  >    assert(#row[1] == 1000000 and #row[2] == 2000000)
  >    s:close()
  >    a:query("DO SLEEP(0.01)")
  > end
  > END
  $ both various various.lua $args --threads=5 --events=10 --time=0; counts various.1; grep FATAL various.1
  70 0 20 10 0 0
  [1]

Clients that wait for the server do not keep each other waiting.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("DO SLEEP(0.2)") end' >waits.lua
  $ sysbench waits.lua $args --threads=200 --workers=1 --events=800 --time=0 run >out; timed 0.8 40 $(figure 'total time')

Every connection gets its share, and all have their place while they connect.

  $ sysbench oltp_read_write $args --tables=1 --table-size=1000 prepare >out
  $ for w in 1 2; do # two runs have more connections than the server takes
  >   nobody
  >   sysbench oltp_point_select $args --table-size=1000 --threads=400 --workers=$w --tx-rate=1000 --time=2 \
  >     --report-interval=1 --report-style=full run >out
  >   exited $?; grep FATAL out
  >   accounts; figure offered; timed 1000 2000 $(figure done)
  >   timed 2 6 $(figure 'transactions per thread')
  > done | uniq -c
        2 2000

Nobody said how: many clients of a bundled script are carried, and 1.0's lines are all there is; a script of one's own has threads.

  $ threads() { # ARGUMENT...: how many the program has while the run goes on, as few or many
  >   nobody; : >out; sysbench "$@" $args --table-size=1000 --time=100 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; n=$(awk '/^Threads/ { print $2 < 20 ? "few" : "many" }' /proc/$client/status)
  >   kill $client; wait $client; echo $n $(grep -c Carried out); }
  $ threads oltp_point_select --threads=80
  > for s in worker client
  > do
  >   threads oltp_point_select --threads=80 --workers=lua-state=$s --report-file=run.json
  >   python3 -c 'import json; print(json.load(open("run.json"))["run"]["options"]["effective"]["lua-state"])'
  > done; threads oltp_point_select --threads=80 --workers=0
  few 0
  few 0
  worker
  few 0
  client
  many 0

From 8 clients on, one worker for three CPUs and at least two, each with a CPU and four clients or more; --workers=auto counts
them in the same way.

  $ chosen() { # CLIENTS COMMAND...
  >   n=$1; shift; nobody
  >   "$@" oltp_point_select $args --table-size=1000 --threads=$n --events=$n --report-file=run.json run >out
  >   python3 -c 'import json; print(json.load(open("run.json"))["run"]["options"]["effective"]["workers"])'; }
  $ cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
  $ for n in 1 7 8 64 300; do echo $n $(chosen $n taskset -c $cpu sysbench); done | paste -sd ';'
  1 0;7 0;8 1;64 1;300 1
  $ chosen 8 sysbench --mysql-dry-run # which waits for nothing
  0
  $ c=$(nproc); w=$(((c + 2) / 3)); [ $w != 1 ] || [ $c = 1 ] || w=2
  $ for n in 8 300; do
  >   most=$((n / 4)); [ $w -gt $most ] || most=$w
  >   [ "$(chosen $n sysbench)" = $most ] || echo "$n clients on $c CPUs: $(chosen $n sysbench)"
  >   nobody
  >   sysbench oltp_point_select $args --table-size=1000 --threads=$n --events=$n --workers=auto run |
  >     grep -c "^Worker threads: $most\$"
  > done
  1
  1

A bundled script is known by what is in it, not by its place: a copy, one that is found by LUA_PATH, one that is found as from the
root of a checkout.  A changed one is other people's, and so is one whose module was changed.

  $ lua=$SB_SOURCE/src/lua
  $ mkdir own; cp "$lua"/oltp_point_select.lua own; cp own/oltp_point_select.lua own/mine.lua
  $ for t in own/oltp_point_select.lua own/mine.lua; do threads $t --threads=80; done
  > ln -s "$SB_SOURCE/src" src; threads oltp_point_select --threads=80; rm src
  > for path in "$lua/?.lua" "/nowhere/?.lua;;"; do export LUA_PATH="$path"; threads oltp_point_select --threads=80; done; unset LUA_PATH
  > cp "$lua"/oltp_common.lua .; threads oltp_point_select --threads=80
  few 0
  few 0
  few 0
  few 0
  few 0
  few 0
  $ echo "-- changed" >>oltp_common.lua; threads oltp_point_select --threads=80; rm oltp_common.lua
  > echo "-- changed" >>own/oltp_point_select.lua; threads own/oltp_point_select.lua --threads=80
  many 0
  many 0
  $ cp "$lua"/oltp_*.lua own; sed 's/-- SPDX/-- spdx/' "$lua"/oltp_common.lua >own/oltp_common.lua
  $ LUA_PATH="$PWD/own/?.lua"; export LUA_PATH; threads oltp_point_select --threads=80; cp "$lua"/oltp_common.lua own
  > threads oltp_point_select --threads=80; unset LUA_PATH
  many 0
  few 0

Answers that are held back: the report says for how long, the work is the same, few clients are carried too.

  $ held() { sysbench "$@" run >out 2>err; exited $?; grep -hE '^FATAL' out; figure 'total number of events'
  > sed -n -E 's/ [0-9.]+( |$)/ N /g; /^--workers=batch/p' out; }
  $ held oltp_point_select $args --table-size=1000 --threads=4 --events=2000 --workers=batch=200
  2000
  --workers=batch held answers back: N batches of N on average, each answer for up to N us on average and N us at most.
  $ in_range 200 1e9 $(sed -n -E 's/.* ([0-9.]+) us at most.$/\1/p' out)

Result files have the same figures; without the option none of them.

  $ files="--report-file=b.json,b.jsonl,b.summary.csv,b.om"
  $ sysbench oltp_point_select $args --table-size=1000 --threads=4 --events=2000 --workers=batch=200 --report-interval=1 $files run >out
  $ report agree b.json b.jsonl b.summary.csv b.om; b=summary.worker_batch
  $ values b.json $b.batches $b.answers $b.held_mean_s $b.held_max_s | awk '{ printf "%d batches of %.1f on average, " \
  >   "each answer for up to %.1f us on average and %.1f us at most.\n", $1, $2 / $1, $3 * 1e6, $4 * 1e6 }' >said
  $ sed -n 's/^--workers=batch held answers back: //p' out | diff said -
  $ sysbench oltp_point_select $args --table-size=1000 --threads=4 --events=20 --workers=1 $files run >out
  > ! grep -l worker_batch b.json b.jsonl b.summary.csv b.om

Those of the warm-up and of connecting are not among them: there are no more than transactions.  After a signal the line is there, too.

  $ sysbench oltp_point_select $args --table-size=1000 --threads=8 --workers=batch=50 --warmup-time=1 --time=1 run >out
  $ in_range 1 $(($(figure 'total number of events') + 16)) \
  >   $(sed -n -E 's/^--workers=batch.*: ([0-9]+) batches of ([0-9.]+) .*/\1 \2/p' out | awk '{ print $1 * ($2 - 0.05) }')
  $ : >out; sysbench oltp_point_select $args --table-size=1000 --threads=8 --workers=batch=50 --time=60 run >out & client=$!
  $ wait_for out 'Threads started'; sleep 0.5; kill $client; wait $client; grep -c '^--workers=batch held answers back' out
  1
  $ held oltp_read_write $args --tables=1 --table-size=1000 --threads=80 --workers=2 --events=160 --time=0 \
  >   --workers=batch=50 --mysql-ignore-errors=all
  160
  --workers=batch held answers back: N batches of N on average, each answer for up to N us on average and N us at most.
  $ held oltp_point_select $args --table-size=1000 --threads=4 --events=10
  > held waits.lua $args --threads=4 --workers=batch=50; held oltp_point_select $args --workers=batch=50 --tx-rate=10
  10
  exit 1
  FATAL: --workers=batch=50 needs --workers=N: without it, only the bundled scripts use workers
  exit 1
  FATAL: --workers=batch=50 cannot be combined with a rate: it delays the answers whose latency a rate measures
