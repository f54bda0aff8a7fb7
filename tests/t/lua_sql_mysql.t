The SQL objects of scripts against a real server.

  $ . "$TESTDIR/../include/mysql.sh"
  $ cp "$TESTDIR"/../data/lua/*.lua .

What a script sees of results, statements and errors.

  $ body() { sed -E -e '1,/Threads started/d' -e '/^SQL statistics/,$d' -e 's/(to get length of).*/\1 ITS KIND/' $1; }
  $ counts() { sed -n -E 's/^ *(transactions|ignored errors|reconnects): *([0-9]+) .*/\1: \2/p' out; }
  $ sysbench sql_api.lua $SB_MYSQL_ARGS run >out; exited $?
  $ body out >with_server; cat with_server
  
  <sql_driver> | mysql | MySQL driver | <sql_connection>
  <sql_result> | 2 | 3 | number
  1 | nil | x | string
  2 | y |  | string
  after the last | nil
  free | true
  ALERT: attempt to free an invalid result set
  free again | db_free_results() failed
  no result set | true
  query_row | 1 | nil | three | nil
  query_row, none | nil
  bind | 0 | <sql_param> | 4 | 6 | 12 | 8
  nil | nil | nil
  -1 | -1.5e300 | short
  9007199254740991 | 0.1 | it's cut
  1
  FATAL: Wrong number of parameters to mysql_stmt_bind_param
  bind too few | 1
  unknown type | Unsupported argument type: 8
  no length | a CHAR or VARCHAR parameter needs its maximum length
  a word for a number | cannot convert 'string' to 'int64_t'
  digits for a number | Unsupported argument type: 4
  close | true
  ALERT: attempt to use an already closed statement
  closed statement | SQL API error
  first | true
  second | false
  nothing more | true
  ALERT: attempt to call bulk_insert_next() before bulk_insert_init()
  next before init | db_bulk_insert_next() failed
  true
  true
  true
  true
  true | true
  3
  FATAL: mysql_drv_query() returned error 1146 (Table 'sbt_lua_sql_mysql.nosuch' doesn't exist) for query 'INSERT INTO nosuch VALUES(1)'
  bulk into nowhere | db_bulk_insert_done() failed
  FATAL: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'
  bad column | SQL error, errno = 1054, state = '42S22': Unknown column 'nosuch' in 'SELECT'
  2 | 1054 | 42S22 | Unknown column 'nosuch' in 'SELECT'
  FATAL: mysql_stmt_prepare() failed
  FATAL: MySQL error: 1054 "Unknown column 'nosuch' in 'SELECT'"
  bad statement | SQL API error
  works again | yes | 0 | 0
  FATAL: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'
  hook | restart 1054
  query is no string | attempt to get length of ITS KIND
  alive
  ALERT: attempt to close an already closed connection
  disconnect | true | true
  ALERT: attempt to use an already closed connection
  closed connection | SQL API error
  FATAL: invalid database driver name: 'nosuch' (allowed: mysql, pgsql)
  no such driver | failed to initialize the DB driver
  $ echo $(sed -n '/queries performed/,/total:/p' out)
  queries performed: read: 111 write: 5 other: 4 total: 120

The same with statements emulated by the client.

  $ sysbench sql_api.lua $SB_MYSQL_ARGS --db-ps-mode=disable run >emulated; exited $?
  $ body emulated | diff with_server - | sed 's/^> /+ /'
  43,45d42
  < FATAL: mysql_stmt_prepare() failed
  < FATAL: MySQL error: 1054 "Unknown column 'nosuch' in 'SELECT'"
  < bad statement | SQL API error
  47d43
  < FATAL: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'
  50a47
  + (last message repeated 1 times)

A connection that is lost: ignored and restarted, or the end.

  $ sysbench reconnect.lua $SB_MYSQL_ARGS --mysql-ignore-errors=2006,2013 --events=20 run >out; exited $?
  $ counts
  transactions: 20
  ignored errors: 0
  reconnects: 4
  $ sysbench reconnect.lua $SB_MYSQL_ARGS --events=20 run >out; exited $?; grep -cE '^FATAL: .*(2006|2013)' out
  exit 1
  2

Server and login that are not there.

  $ echo 'function thread_init() sysbench.sql.driver():connect() end function event() end' >connect.lua
  $ connect() { sysbench connect.lua "$@" run | grep '^FATAL' | grep -v 'Thread init' | sed "s,'$SB_MYSQL_SOCKET',...,"; }
  $ connect --mysql-socket=/nowhere; connect $SB_MYSQL_ARGS --mysql-db=nosuch; connect $SB_MYSQL_ARGS --db-driver=nosuch
  FATAL: unable to connect to MySQL server on socket '/nowhere', aborting...
  FATAL: error 2002: Can't connect to local server through socket '/nowhere' (2)
  FATAL: `thread_init' function failed: connect.lua:1: connection creation failed
  FATAL: unable to connect to MySQL server on socket ..., aborting...
  FATAL: error 1044: Access denied for user 'sbtest'@'localhost' to database 'nosuch'
  FATAL: `thread_init' function failed: connect.lua:1: connection creation failed
  FATAL: invalid database driver name: 'nosuch' (allowed: mysql, pgsql)
  FATAL: `thread_init' function failed: connect.lua:1: failed to initialize the DB driver

Scripts of the 0.5 generation.

  $ old() { sysbench old_style.lua $SB_MYSQL_ARGS --oltp-table-size=50 "$@" >out; exited $?; }
  $ old prepare
  $ sql "SELECT COUNT(*), SUM(v REGEXP '^[0-9]{3}-[a-z]{3}$') FROM old_style"
  50\t50 (esc)
  $ old --events=20 --num-threads=2 run
  > # a transaction that meets the other one's (error 1020 from MariaDB 11) begins again
  > sed -n -E 's/^ *(read|write|other): */\1: /p' out | awk '/read/ { again = $2 - 20 } !/write/ { $2 -= again } 1'
  read: 20
  write: 20
  other: 40
  $ sql "SELECT COUNT(*) > 0 FROM old_style WHERE v REGEXP '^[a-z]{4}$'"
  1
  $ old cleanup

Numbers with a fixed number of decimals, of prepared statements as of plain queries; and no result is nil.

  $ cat >fixed.lua <<'EOF'
  > local function all(rs) local t = {} for r = 1, rs.nrows do t[r] = table.concat(rs:fetch_row(), " ") end return t end
  > function event()
  >    local con = sysbench.sql.driver():connect()
  >    print(type(con:query("CREATE TEMPORARY TABLE f (a DOUBLE(40,30), b DOUBLE(12,4), c FLOAT(7,3), d DOUBLE(40,2), " ..
  >       "e FLOAT(30,20), f FLOAT(5,2) ZEROFILL, g DOUBLE(6,1) ZEROFILL, h FLOAT(12,0), i DOUBLE(255,30))")))
  >    con:query("SET sql_mode = ''")
  >    for v in ("0.1 1.0/3 123.456e0 9.99995e2 0 -1e0/3 1e-5 1234567.89e0 1e22 1.2345678901234567e25 2.5 1.7e37"):gmatch("%S+") do
  >       con:query("INSERT INTO f VALUES (" .. (v .. ","):rep(8) .. v .. ")")
  >    end
  >    print(type(con:prepare("DO 1"):execute()))
  >    local plain, prepared = all(con:query("SELECT * FROM f")), all(con:prepare("SELECT * FROM f"):execute())
  >    for i = 1, #plain do if plain[i] ~= prepared[i] then print(plain[i], prepared[i]) end end
  >    print(#plain)
  > end
  > EOF
  $ sysbench fixed.lua $SB_MYSQL_ARGS --events=1 run >out; exited $?; body out | grep .
  nil
  nil
  12

Several statements in one text, or in a procedure: what nobody has read of their answers is read when the event, or the
function, ends, or its connection, and is a part of it: its time and its errors, counted once, which name the statement.

  $ cat >two.lua <<'END'
  > sysbench.cmdline.options = {text = {"", "SELECT 1; SELEC 2"}, ps = {"", false}, at = {"", "event"}, last = {"", ""}}
  > local function two()
  >    if sysbench.opt.ps then (st or con:prepare(sysbench.opt.text)):execute() else con:query(sysbench.opt.text) end
  >    if sysbench.opt.last ~= "" then con[sysbench.opt.last](con) end
  > end
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    st = sysbench.opt.ps and con:prepare(sysbench.opt.text)
  >    if sysbench.opt.at == "init" then two() end
  > end
  > function event()
  >    n = (n or 0) + 1
  >    if sysbench.opt.last == "disconnect" then con = sysbench.sql.driver():connect() end
  >    if sysbench.opt.at == "event" and n % 2 == 1 then two() else con:query("SELECT 7") end
  > end
  > function thread_done() if sysbench.opt.at == "done" then two() end end
  > function prepare() con = sysbench.sql.driver():connect() two() end
  > local function procedure()
  >    sysbench.sql.driver():connect():query(
  >       "CREATE PROCEDURE pe() BEGIN SELECT 1; SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1064; END")
  > end
  > sysbench.cmdline.commands = {own = {prepare}, procedure = {procedure}}
  > END
  $ two() { sysbench two.lua $SB_MYSQL_ARGS --events=4 "$@" >out 2>&1; exited $?
  >   sed -n -E -e 's/^FATAL: (mysql_[a-z_]+\(\) returned error [0-9]+) .*( for query .*)/\1\2/p' \
  >     -e 's/^FATAL: (.* function failed: .*, state = .42000.).*/\1/p' \
  >     -e 's/^ +(done|failed|ignored errors|total number of events): +([0-9]+).*/\1 \2/p' out
  > }
  $ . "$TESTDIR/../include/workers.sh"
  $ each() { for w in 0 1 s; do
  >   { two $(carried $w) "$@" run; two $(carried $w) --on-error=other:fail --tx-rate=100 "$@" run
  >     two $(carried $w) --mysql-ignore-errors=all "$@" run; } >run$w
  > done; cat run0; diff run0 run1; diff run0 runs; }
  $ each >two; cat two
  exit 1
  mysql_next_result() returned error 1064 for query 'SELECT 1; SELEC 2'
  `thread_run' function failed: SQL error, errno = 1064, state = '42000'
  ignored errors 2
  total number of events 2
  done 2
  failed 2
  ignored errors 4
  total number of events 4
  $ others() { each "$@" | diff two - | sed -n 's/^> //p'; }
  $ others --last=reconnect; others --last=disconnect
  `thread_run' function failed: two.lua:4: SQL error, errno = 1064, state = '42000'
  `thread_run' function failed: two.lua:4: SQL error, errno = 1064, state = '42000'
  $ two procedure
  $ others --text="CALL pe()"; others --text="CALL pe()" --ps=on; others --text="CALL pe()" --ps=on --last=reconnect
  mysql_next_result() returned error 1064 for query 'CALL pe()'
  mysql_stmt_next_result() returned error 1064 for query 'CALL pe()'
  mysql_stmt_next_result() returned error 1064 for query 'CALL pe()'
  `thread_run' function failed: two.lua:4: SQL error, errno = 1064, state = '42000'
  $ for w in 0 1 s; do two $(carried $w) --text="SELECT 1; SELECT SLEEP(1)" --events=1 run
  >   sed -n 's/^ *min: *\([0-9]*\).*/\1/p' out | { read min; [ $min -ge 1000 ] || cat out; }
  > done | sort | uniq -c
        3 ignored errors 0
        3 total number of events 1
  $ for how in '--at=init run' '--at=done run' prepare own; do two $how | grep -v -E '^(done|failed|ign|total)' | paste -sd '|'; done
  exit 1|mysql_next_result() returned error 1064 for query 'SELECT 1; SELEC 2'|`thread_init' function failed: SQL error, errno = 1064, state = '42000'
  exit 1|mysql_next_result() returned error 1064 for query 'SELECT 1; SELEC 2'|`thread_done' function failed: SQL error, errno = 1064, state = '42000'
  exit 1|mysql_next_result() returned error 1064 for query 'SELECT 1; SELEC 2'|`prepare' function failed: SQL error, errno = 1064, state = '42000'
  exit 1|mysql_next_result() returned error 1064 for query 'SELECT 1; SELEC 2'|`own' function failed: SQL error, errno = 1064, state = '42000'
