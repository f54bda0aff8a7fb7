Command lines of comparisons with Drizzle, against a MySQL server; and the options of MySQL that have another name today.

  $ . "$TESTDIR/../include/mysql.sh"
  $ said() { sysbench "$@" >out 2>err; exited $?; grep -E '^(user|FATAL)' out; cat err; }
  $ cat >id.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() print("user " .. con:query_row("SELECT CURRENT_USER()")) end
  > END

By address, where MySQL's library would have taken a socket; by socket.

  $ drizzle() { echo --db-driver=drizzle --drizzle-user=sbtest --drizzle-db=$SB_MYSQL_DB "$@"; }
  $ said id.lua --events=1 $(drizzle --drizzle-mysql=on) --drizzle-port=$SB_MYSQL_PORT run
  user sbtest@127.0.0.1
  $ said id.lua --events=1 $(drizzle --drizzle-mysql=on) --drizzle-socket=$SB_MYSQL_SOCKET run
  user sbtest@localhost
  $ said id.lua --events=2 --threads=2 $(drizzle) --drizzle-host=127.0.0.1,localhost --drizzle-port=$SB_MYSQL_PORT run
  user sbtest@127.0.0.1
  user sbtest@127.0.0.1
  NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on
  $ said id.lua --events=1 $(drizzle --drizzle-mysql=on) --drizzle-host=127.0.0.1 --drizzle-port=1 run |
  >   sed 's/(.*//; s/127.0.0.1.*//' | paste -sd '|' -
  exit 1|FATAL: unable to connect to MySQL server on host '|FATAL: error 2002: Can't connect to server on '|FATAL: `thread_init' function failed: id.lua:1: connection creation failed|FATAL: Thread initialization failed!

The server is found for its figures, too.

  $ sysbench id.lua --events=1 $(drizzle --drizzle-mysql=on) --drizzle-port=$SB_MYSQL_PORT --server=auto run | grep -c '^Server'
  1

Engine and table options reach today's scripts under their new names.

  $ made() { sysbench oltp_read_only --table-size=1 $SB_MYSQL_ARGS "$@" prepare >/dev/null 2>&1; sql "SHOW CREATE TABLE sbtest1" |
  >   grep -o -E 'ENGINE=[A-Za-z]*|MAX_ROWS=[0-9]*'; sysbench oltp_read_only $SB_MYSQL_ARGS cleanup >/dev/null; }
  $ for o in --mysql-table-engine=MyISAM '--mysql-table-engine=InnoDB --mysql-create-options=MAX_ROWS=77' \
  >   --mysql-table-options=MAX_ROWS=78 '--mysql-table-engine=InnoDB --mysql-storage-engine=MyISAM'; do made $o | xargs; done
  ENGINE=MyISAM
  ENGINE=InnoDB MAX_ROWS=77
  ENGINE=InnoDB MAX_ROWS=78
  ENGINE=MyISAM
