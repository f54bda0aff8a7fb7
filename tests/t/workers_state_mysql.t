Clients that share a Lua state, against MariaDB: statements in callbacks, in metamethods, in coroutines; statements and
connections that get lost; finalizers that query; failures.  Each client gets the answers that it gets alone.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"; cp "$TESTDIR/../data/lua-state/sql_stress.lua" .
  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=100 prepare >out; sql 'CREATE TABLE few (a INT)'
  $ for w in client worker workers
  > do
  >   sysbench sql_stress.lua $SB_MYSQL_ARGS $(carried $w) --threads=12 --time=0 run >st.$w; exited $?
  >   grep '^tid' st.$w | sort >sums.$w; grep -v nowhere st.$w | grep -E 'FATAL|ALERT'
  >   sql 'SELECT COUNT(*) FROM few; TRUNCATE few'
  > done | sort | uniq -c
        3 905
        3 FATAL: 11 more clients met error 1146
  $ wc -l <sums.client; for w in worker workers; do diff sums.client sums.$w; done
  12

Connections end with their clients.

  $ cat >ends.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() if sysbench.tid == 0 then watch = sysbench.sql.driver():connect() end end
  > function event(tid)
  >    con:query("SELECT 1")
  >    if tid > 0 then return true end
  >    return tonumber((watch:query_row("SELECT COUNT(*) FROM information_schema.processlist " ..
  >      "WHERE command <> 'Killed' AND db = DATABASE()"))) == 2
  > end
  > END
  $ echo 'thread_done = function(tid) if tid > 0 then con:disconnect() end end' >>ends.lua
  $ sysbench ends.lua $SB_MYSQL_ARGS $(carried worker) --threads=5 --time=0 --events=1000000 run >out; exited $?
  > grep -E 'FATAL|ALERT' out
  [1]

Hooks are a client's own; a hook that lets an error pass for one client does not for another.

  $ cat >hooks.lua <<'END'
  > sysbench.cmdline.options = {bad = {"Whose", 2}}
  > function thread_init(tid)
  >    con = sysbench.sql.driver():connect()
  >    sysbench.hooks.sql_error_ignorable = function(err) seen = (seen or 0) + 1 assert(sysbench.tid == tid and err.sql_errno ==
  >      1146) return tid ~= sysbench.opt.bad or n < 3 end
  >    sysbench.hooks.before_restart_event = function() again = (again or 0) + 1 end
  > end
  > n = 0
  > function event(tid)
  >    n = n + 1
  >    if n < 4 then con:query("SELECT 1 FROM nowhere") end
  >    return n > 5
  > end
  > function thread_done(tid) print(string.format("tid %d: %d %d", tid, seen, again)) end
  > END
  $ for w in client worker
  > do
  >   sysbench hooks.lua $SB_MYSQL_ARGS $(carried $w) --threads=4 --time=0 --events=1000 --bad=9 run >out.$w
  >   exited $?; grep ^tid out.$w
  > done | sort | uniq -c
        2 tid 0: 3 3
        2 tid 1: 3 3
        2 tid 2: 3 3
        2 tid 3: 3 3
  $ # in words once, whichever client fails first
  $ for w in client worker
  > do
  >   sysbench hooks.lua $SB_MYSQL_ARGS $(carried $w) --threads=4 --time=0 --events=1000 run >out.$w; exited $?
  >   grep -c "^FATAL: .*error 1146 (Table '.*nowhere' doesn't exist)" out.$w
  > done | sort | uniq -c
        2 1
        2 exit 1

The 0.5 generation's functions have a connection per client.

  $ cat >old.lua <<'END'
  > function thread_init(thread_id) db_connect() db_query("SET @mine = " .. thread_id) stmt = db_prepare("SELECT ? + @mine")
  >   params = {0} db_bind_param(stmt, params) end
  > function event(thread_id) params[1] = thread_id local rs = db_execute(stmt) db_store_results(rs)
  >   assert(tonumber(rs:fetch_row()[1]) == 2 * thread_id) db_free_results(rs) end
  > function thread_done() db_disconnect() end
  > END
  $ sysbench old.lua $SB_MYSQL_ARGS $(carried worker) --threads=6 --events=300 run >out; exited $?
  > figure 'total number of events'; grep FATAL out
  300
  [1]
