Errors in the words of 0.4 and 0.5: each dialect ends as it did, and names nothing of 1.0.

  $ . "$TESTDIR/../include/mysql.sh"
  $ said() { # in one line
  >   { sysbench --db-driver=mysql "$@" >out 2>err; exited $?; grep -E '^(FATAL|ALERT|WARNING)' out; } | paste -sd '|' -
  > }
  $ old() { dialect=$1; shift; said --compat=$dialect $SB_MYSQL_ARGS "$@"; }
  $ nowhere="--mysql-socket=/nonexistent"

0.5: a refused statement is an ALERT; the number with which db_query() ends the script follows.

  $ echo 'function event() db_query("SELECT nosuch") end' >query.lua
  $ echo 'local s; function event() s = s or db_prepare("SIGNAL SQLSTATE \"45000\"") db_execute(s) end' >execute.lua
  $ old 0.5 --test=query.lua run
  exit 1|ALERT: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'|FATAL: failed to execute function `event': 3
  $ old 0.5 --test=execute.lua run
  exit 1|ALERT: mysql_stmt_execute() returned error 1644 (Unhandled user-defined exception condition) for query 'SIGNAL SQLSTATE "45000"'|FATAL: failed to execute function `event': 3
  $ echo 'function event() local ok, err = pcall(db_query, "SELECT nosuch") error("mine: " .. err .. type(err), 0) end' >caught.lua
  $ old 0.5 --test=caught.lua run
  exit 1|ALERT: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'|FATAL: failed to execute function `event': mine: 3number
  $ said query.lua $SB_MYSQL_ARGS run
  exit 1|FATAL: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'|FATAL: `thread_run' function failed: query.lua:1: db_query() failed

The functions of a script are named as the script names them.

  $ echo 'function thread_init() db_prepare("SELECT nosuch") end function event() end' >init.lua
  $ echo 'function event() local x x.y = 1 end function prepare() db_query("SELECT nosuch") end' >error.lua
  $ old 0.5 --test=init.lua run
  exit 1|FATAL: mysql_stmt_prepare() failed|FATAL: MySQL error: 1054 "Unknown column 'nosuch' in 'SELECT'"|FATAL: failed to execute function `thread_init': init.lua:1: db_prepare() failed
  $ old 0.5 --test=error.lua run
  exit 1|FATAL: failed to execute function `event': error.lua:1: attempt to index local 'x' (a nil value)
  $ old 0.5 --test=error.lua prepare
  exit 1|ALERT: mysql_drv_query() returned error 1054 (Unknown column 'nosuch' in 'SELECT') for query 'SELECT nosuch'|FATAL: failed to execute function `prepare': 3
  $ said --compat=0.5 $nowhere --test=query.lua run | sed 's/ ([^|]*//g'
  exit 1|FATAL: unable to connect to MySQL server on socket '/nonexistent', aborting...|FATAL: error 2002: Can't connect to local server through socket '/nonexistent'|FATAL: failed to execute function `event': query.lua:1: Failed to connect to the database

0.4's oltp: one line after those of the driver.

  $ sql "CREATE TABLE narrow (id INT) ENGINE=InnoDB; INSERT INTO narrow VALUES (1)"
  $ for c in 0.4 0.4-tx; do old $c --test=oltp --oltp-table-name=narrow --num-threads=1 run; done | uniq -c
        2 exit 1|FATAL: mysql_stmt_prepare() failed|FATAL: MySQL error: 1054 "Unknown column 'c' in 'SELECT'"|FATAL: database error, exiting...
  $ for command in prepare run cleanup; do said --compat=0.4 $nowhere --test=oltp $command | sed 's/ ([^|]*//g'; done | uniq -c
        3 exit 1|FATAL: unable to connect to MySQL server on socket '/nonexistent', aborting...|FATAL: error 2002: Can't connect to local server through socket '/nonexistent'|FATAL: failed to connect to database server!

Without --compat, the words are 1.0's, and none of them names a file that nobody can look up.

  $ for command in prepare run; do said --db-driver=nosuch --test=oltp $command; done | uniq -c
        2 exit 1|FATAL: invalid database driver name: 'nosuch' (allowed: mysql, pgsql)
  $ said $SB_MYSQL_ARGS --test=oltp --oltp-table-name=narrow prepare
  exit 1|FATAL: mysql_drv_query() returned error 1050 (Table 'narrow' already exists) for query 'CREATE TABLE narrow (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */'|FATAL: `prepare' function failed: oltp: SQL error, errno = 1050, state = '42S01': Table 'narrow' already exists
  $ said $SB_MYSQL_ARGS --test=oltp --oltp-table-name=narrow run | sed 's/oltp:[0-9]*/oltp:N/'
  exit 1|FATAL: mysql_stmt_prepare() failed|FATAL: MySQL error: 1054 "Unknown column 'c' in 'SELECT'"|FATAL: `thread_init' function failed: oltp:N: SQL API error|FATAL: Thread initialization failed!
