Workloads as other people write them, against MariaDB and PostgreSQL.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/others.sh"; args=$SB_ARGS; lua=$SB_SOURCE/tests/sidebyside/lua

Ten tables, a parallel prepare, counters of its own, commands of its own: whatever carries the clients.

  $ for w in 0 client worker workers; do wholesale $w $args; tables; done | uniq -c
        4 21 conditions, 0 wrong
  $ sysbench "$lua/wholesale.lua" $args --sets=2 --threads=2 prepare >out; tables | wc -l
  20
  $ for w in 0 client worker; do
  >   sysbench "$lua/wholesale.lua" $args --events=300 --time=0 --rand-seed=2 $(carried $w) run >run.$w; figure 'ignored errors' run.$w
  > done | uniq -c
        3 6

The check is one: it finds what is missing.

  $ sql "DELETE FROM history1"; sysbench "$lua/wholesale.lua" $args check >out; exited $?
  > grep -o 'set 1: payments by district and in the history' out; tail -n 1 out
  exit 1
  set 1: payments by district and in the history
  7 conditions, 1 wrong

Rows in buffers that a script binds to a statement.

  $ cat >bound.lua <<'END'
  > local C, T = ffi.C, sysbench.sql.type
  > local function bound()
  >    local drv = sysbench.sql.driver()
  >    local con = drv:connect()
  >    local stmt = con:prepare("SELECT id, d, s FROM bound WHERE id >= ? ORDER BY id")
  >    local from = stmt:bind_create(T.INT)
  >    stmt:bind_param(from)
  >    from:set(0)
  >    local binds, i, d, s = ffi.new("sql_bind[3]"), ffi.new("int64_t[1]"), ffi.new("double[1]"), ffi.new("char[8]")
  >    local len, null = ffi.new("unsigned long[3]"), ffi.new("char[3]")
  >    for k, b in ipairs{{T.BIGINT, i, 8}, {T.DOUBLE, d, 8}, {T.VARCHAR, s, 8}} do
  >       binds[k - 1].type, binds[k - 1].buffer, binds[k - 1].max_len = b[1], b[2], b[3]
  >       binds[k - 1].data_len, binds[k - 1].is_null = len + (k - 1), null + (k - 1)
  >    end
  >    local said = {C.db_bind_result(stmt, binds, 3)}
  >    local rs = stmt:execute()
  >    while rs:fetch_row() do
  >       said[#said + 1] = string.format("%d %s %s%s%s", tonumber(i[0]), d[0], ffi.string(s, math.min(8, tonumber(len[2]))),
  >                                       null[2] == 1 and "NULL" or "", tonumber(len[2]))
  >    end
  >    said[#said + 1] = "two: " .. C.db_bind_result(stmt, binds, 2)
  >    rs = stmt:execute()
  >    i[0] = 99
  >    rs:fetch_row()
  >    said[#said + 1] = "left alone: " .. tonumber(i[0])
  >    said[#said + 1] = "none: " .. C.db_bind_result(stmt, binds, 0)
  >    stmt:close()
  >    said[#said + 1] = "closed: " .. C.db_bind_result(stmt, binds, 3)
  >    said[#said + 1] = "destroy: " .. C.db_destroy(drv) .. " " .. C.db_destroy(drv)
  >    said[#said + 1] = "still there: " .. con:query_row("SELECT 7") .. sysbench.sql.driver():connect():query_row("SELECT 8")
  >    print(table.concat(said, ", "))
  > end
  > prepare = bound
  > function event() bound() return true end
  > END
  $ sql "CREATE TABLE bound (id INT, d FLOAT, s VARCHAR(20))"
  > sql "INSERT INTO bound VALUES (7, 2.5, 'seven'), (8, -3.5, NULL), (9, 4.5, 'a longer text')"
  $ for mode in auto disable; do sysbench bound.lua $args --db-ps-mode=$mode prepare | tail -n +3; done | sort | uniq -c
        2 0, 7 2.5 seven5, 8 -3.5 NULL0, 9 4.5 a longer13, two: 0, left alone: 99, none: 0, closed: 1, destroy: 0 0, still there: 78
        2 ALERT: 2 result buffers are bound to a statement whose rows have 3 columns
        2 ALERT: attempt to bind results to a closed statement
  $ for w in 0 client worker; do sysbench bound.lua $args $(carried $w) --threads=3 --verbosity=0 run; done | uniq -c
        9 0, 7 2.5 seven5, 8 -3.5 NULL0, 9 4.5 a longer13, two: 0, left alone: 99, none: 0, closed: 1, destroy: 0 0, still there: 78

A result that is freed twice: the script and the line; the old API lets it pass.

  $ twice() { sysbench "$lua/free_twice.lua" $args $(carried $1) --events=1 run | sed -n '/free/{s,[^ ]*/lua/,,; p}'; }; each_way twice
  ALERT: attempt to free an invalid result set
  free_twice.lua:16: db_free_results() failed
  db_free_results() failed
  free_twice.lua:23: db_free_results() failed
  ALERT: attempt to free an invalid result set
  FATAL: `thread_run' function failed: free_twice.lua:27: db_free_results() failed
  $ printf \
  >   'function cleanup()\n  local rs = db_execute(db_prepare("SELECT 1"))\n  db_free_results(rs)\n  db_free_results(rs)\n  '\
  > 'print("freed")\nend\n' \
  >   >old.lua
  $ sysbench old.lua $args cleanup | tail -n +3
  freed
