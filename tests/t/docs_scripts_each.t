docs/scripts.md: the workload that it writes runs after each step, on MariaDB and PostgreSQL.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/statements.sh"; . "$TESTDIR/../include/workers.sh"
  $ code() { awk -v last="$2" '/^# C names/ { exit } /^```lua$/ { on = ++n <= last; next } /^```$/ { on = 0 } on' \
  >   "$SB_SOURCE/docs/$1"; }
  $ shop() { sysbench orders.lua $SB_ARGS --orders=500 --time=0 --rand-seed=1 "$@" >out 2>err || { exited $?; cat out err; }; }

A table and its rows.

  $ code scripts.md 1 >orders.lua; shop help; sed -n '/^orders.lua options/,$p' out
  orders.lua options:
    --orders=N           Orders that prepare makes [10000]
    --weights=[LIST,...] How often an order is looked at, shipped, placed [70,20,10]
  
  $ shop prepare; sql "SELECT COUNT(*), MIN(placed), MAX(placed) FROM orders"
  500\t2026-01-01 00:01:00\t2026-01-01 08:20:00 (esc)

A prepared statement, or its text.

  $ code scripts.md 2 >orders.lua
  $ for mode in auto disable; do shop --db-ps-mode=$mode --events=40 --threads=2 run; counts; done
  40 0 2 40 0 0
  40 0 2 40 0 0

A mix: as often as the weights say, each transaction whole, in the report by name.

  $ code scripts.md 3 >orders.lua
  $ shop --events=1000 --report-statements --report-file=a.json run; kinds a.json | cut -d' ' -f1,5- | grep -v query | sort
  connect connect
  prepare prepare
  prepared add
  prepared lock
  prepared order
  prepared set state
  transaction BEGIN
  transaction COMMIT
  $ ran() { kinds a.json | awk -v name="$1" '{ kind = $5 " " $6 } kind == name " " { print $2 }'; }
  $ in_range 640 760 $(ran order); in_range 160 240 $(ran lock); in_range 70 130 $(ran add)
  $ echo $(($(ran order) + $(ran lock) + $(ran add))) $(($(ran BEGIN) - $(ran lock))) $(($(ran COMMIT) - $(ran lock)))
  1000 0 0
  $ sql "SELECT COUNT(*) FROM orders" | sed "s/^$((500 + $(ran add)))$/as many as were added/"
  as many as were added
  $ for w in 0 client worker; do for mode in auto disable; do
  >   shop --events=50 --weights=0,0,1 --threads=4 --db-ps-mode=$mode $(carried $w) run; counts; done; done | uniq -c
        6 0 50 4 50 0 0
  $ for w in 70,20 70,20,x; do shop --weights=$w --events=1 run | grep -o 'orders.lua.*'; done
  orders.lua:114: weight 3 is 'nil': a number from 0 on is needed
  orders.lua:114: weight 3 is 'x': a number from 0 on is needed

A row that another client has locked for too long: the transaction runs again, as the kind that was drawn.  The script's
own interval report.

  $ code scripts.md 4 >orders.lua; cat >>orders.lua <<'END'
  > function sysbench.hooks.before_restart_event(err) print("again: " .. err.sql_state) io.stdout:flush() end
  > END
  $ cat >hold.lua <<'END'
  > function event()
  >    local con = sysbench.sql.driver():connect()
  >    con:query("BEGIN")
  >    con:query("SELECT id FROM orders FOR UPDATE")
  >    io.open("held", "w"):close()
  >    while not io.open("release") do os.execute("sleep 0.05") end
  >    con:query("ROLLBACK")
  >    return true
  > end
  > END
  $ sysbench hold.lua $SB_ARGS --time=0 run >hold.out 2>&1 &
  > until [ -e held ]; do sleep 0.05; done
  $ shop --events=1 --weights=0,1,0 run &
  > wait_for out '^again'; touch release; wait
  $ grep -x -e 'again: HY000' -e 'again: 55P03' out | sort -u | wc -l; figure 'total number of events'
  1
  1
  $ shop --time=2 --report-interval=1 run; grep ' orders' out | mask | sort -u
  N s: N orders/s, pN N.N ms
  $ shop cleanup; tables

docs/from-pgbench.md: pgbench's TPC-B-like test in Lua, over tables like pgbench's.

  $ code from-pgbench.md 1 >tpcb.lua
  $ sql "CREATE TABLE pgbench_accounts (aid INT PRIMARY KEY, bid INT, abalance INT, filler CHAR(84))"
  > sql "CREATE TABLE pgbench_tellers (tid INT PRIMARY KEY, bid INT, tbalance INT)"
  > sql "CREATE TABLE pgbench_branches (bid INT PRIMARY KEY, bbalance INT)"
  > sql "CREATE TABLE pgbench_history (tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP, filler CHAR(22))"
  $ sysbench tpcb.lua $SB_ARGS --events=20 --time=0 --threads=2 --scale=1 run >out; counts
  20 20 100 20 0 0
  $ sql "SELECT COUNT(*) FROM pgbench_history WHERE tid BETWEEN 1 AND 10 AND bid = 1 AND delta BETWEEN -5000 AND 5000"
  20
