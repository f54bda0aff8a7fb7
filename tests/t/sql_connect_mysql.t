How the server is reached, and what is said when it is not.

  $ . "$TESTDIR/../include/mysql.sh"
  $ cat >id.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() print("user " .. con:query_row("SELECT CURRENT_USER()")) end
  > function thread_done() con:disconnect() end
  > END
  $ try() { sysbench id.lua --events=1 "$@" run >out 2>err; exited $?; grep -E '^(user|FATAL)' out; cat err; }

Socket and TCP.

  $ try $SB_MYSQL_ARGS
  user sbtest@localhost
  $ try $SB_MYSQL_TCP_ARGS
  user sbtest@127.0.0.1
  $ try --mysql-socket=$SB_MYSQL_SOCKET --mysql-host=no..where --mysql-port=1 --mysql-db=$SB_MYSQL_DB
  user sbtest@localhost
  $ try --mysql-host=127.0.0.1,127.0.0.1 --mysql-port=$SB_MYSQL_PORT,$SB_MYSQL_PORT --mysql-db=
  user sbtest@127.0.0.1
  $ try $SB_MYSQL_ARGS --mysql-compression
  user sbtest@localhost
  $ try $SB_MYSQL_TCP_ARGS --db-ps-mode=disable --threads=3 --events=3
  user sbtest@127.0.0.1
  user sbtest@127.0.0.1
  user sbtest@127.0.0.1

The compressed protocol, with an algorithm that every library has, and one that none has.

  $ cat >pressed.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() print("user " .. select(2, con:query_row("SHOW SESSION STATUS LIKE 'Compression'"))) end
  > END
  $ pressed() { sysbench pressed.lua --events=1 $SB_MYSQL_TCP_ARGS "$@" run | grep -E '^(user|FATAL)'; }
  $ pressed; pressed --mysql-compression; pressed --mysql-compression --mysql-compression-algorithms=zlib,uncompressed
  user OFF
  user ON
  user ON
  $ pressed --mysql-compression --mysql-compression-algorithms=uncompressed; pressed --mysql-compression-algorithms=zstd
  user OFF
  user OFF
  $ pressed --mysql-compression-algorithms=gzip
  FATAL: Invalid value for --mysql-compression-algorithms: 'gzip' is none of zlib, zstd and uncompressed

A password file, an option file and a URI.

  $ printf \
  >   '[client]\nhost = no..where\nport = %s\nuser = nobody_knows\ncompress\n[sysbench]\nhost = 127.0.0.1\nuser = %s\n' \
  >   $SB_MYSQL_PORT $SB_MYSQL_USER >my.cnf
  $ try --defaults-file=my.cnf --mysql-db=$SB_MYSQL_DB
  user sbtest@127.0.0.1
  $ echo guess >secret; chmod 600 secret
  $ try --defaults-file=my.cnf --mysql-password-file=secret --mysql-db=$SB_MYSQL_DB | sed -n '/error/p'
  FATAL: error 1045: Access denied for user 'sbtest'@'127.0.0.1' (using password: YES)
  $ try --defaults-file=my.cnf --mysql-url=mysql://$SB_MYSQL_USER@127.0.0.1:$SB_MYSQL_PORT/$SB_MYSQL_DB
  user sbtest@127.0.0.1
  $ try --mysql-url="mysql://$SB_MYSQL_USER:guess@localhost/$SB_MYSQL_DB?socket=$SB_MYSQL_SOCKET" | sed -n '/error/p'
  FATAL: error 1045: Access denied for user 'sbtest'@'localhost' (using password: YES)

Several endpoints are taken in turn.

  $ ln -s $SB_MYSQL_SOCKET a.sock; ln -s $SB_MYSQL_SOCKET b.sock
  $ sysbench id.lua --threads=4 --events=1 --mysql-debug --mysql-socket=$PWD/a.sock,$PWD/b.sock --mysql-db=$SB_MYSQL_DB run >out
  $ grep -o 'mysql_real_connect.*[ab].sock' out | grep -o '[ab].sock' | sort | uniq -c | awk '{ print $1, $2 }'
  2 a.sock
  2 b.sock

Nobody there.

  $ place() { sed -E "s/'[^']*sock'/'SOCKET'/g; s/id.lua:[0-9]+/id.lua:N/"; }
  $ try --mysql-socket=$PWD/none.sock | place
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 2002: Can't connect to local server through socket 'SOCKET' (2)
  FATAL: `thread_init' function failed: id.lua:N: connection creation failed
  FATAL: Thread initialization failed!
  $ why() { try "$@" | place | sed '/^exit 1$/d; /function failed: .*connection creation failed$/d; /^FATAL: Thread init/d'; }
  $ why --mysql-host=127.0.0.1 --mysql-port=1
  FATAL: unable to connect to MySQL server on host '127.0.0.1', port 1, aborting...
  FATAL: error 2002: Can't connect to server on '127.0.0.1' (115)
  $ why --mysql-host=no..where | sed -E 's/(Unknown.*no..where.).*/\1/'
  FATAL: unable to connect to MySQL server on host 'no..where', port 3306, aborting...
  FATAL: error 2005: Unknown server host 'no..where'

A port beside localhost, and the options of the other driver, show what was meant.

  $ MYSQL_UNIX_PORT=$PWD/none.sock try --mysql-host=localhost --mysql-port=1 | grep -E 'host|NOTE'
  FATAL: unable to connect to MySQL server on host 'localhost', port 1, aborting...
  NOTE: localhost means the server's socket, whatever the port: --mysql-host=127.0.0.1 connects to the port
  $ MYSQL_UNIX_PORT=$PWD/none.sock try --pgsql-host=127.0.0.1 --pgsql-port=1 | grep -E 'host|NOTE'
  FATAL: unable to connect to MySQL server on host 'localhost', port 3306, aborting...
  NOTE: --pgsql-* options are given, but the driver is mysql: did you mean --db-driver=pgsql?
  $ try $SB_MYSQL_ARGS --pgsql-port=1
  user sbtest@localhost
  $ ! sysbench cpu --pgsql-port=1 --events=1 run 2>&1 | grep NOTE

Of a server that accepts and says nothing, such as one of another protocol.

  $ python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 0))
  > print(s.getsockname()[1], flush=True); time.sleep(60)' >port & mute=$!
  $ until [ -s port ]; do sleep 0.05; done
  $ try --mysql-host=127.0.0.1 --mysql-port=$(cat port) --threads=4 --thread-init-timeout=1 | sed "s/:$(cat port)/:PORT/"
  > kill $mute
  exit 2
  FATAL: Worker threads failed to initialize within 1 seconds!
  Ready within --thread-init-timeout=1: 0 of 4 clients; connecting: 4; connected, and waiting in thread_init() (PREPARE, for one): 0.
  4 of 4 clients still wait for an answer of 127.0.0.1:PORT.

The wrong key, the wrong door.

  $ why $SB_MYSQL_ARGS --mysql-user=nobody_knows
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1045: Access denied for user 'nobody_knows'@'localhost' (using password: NO)
  $ why $SB_MYSQL_ARGS --mysql-password=guess
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1045: Access denied for user 'sbtest'@'localhost' (using password: YES)
  $ why $SB_MYSQL_ARGS --mysql-db=mysql
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 1044: Access denied for user 'sbtest'@'localhost' to database 'mysql'

No threads start when one of them cannot connect, and nothing is reported.

  $ try --threads=8 --mysql-socket=$PWD/none.sock | clients_failed 7 | place
  exit 1
  FATAL: unable to connect to MySQL server on socket 'SOCKET', aborting...
  FATAL: error 2002: Can't connect to local server through socket 'SOCKET' (2)
  FATAL: `thread_init' function failed: id.lua:N: connection creation failed
  FATAL: N more clients met error 2002
  FATAL: Thread initialization failed!
  $ ! grep -E '^(Threads started|General)' out

Commands end the same way.

  $ for c in prepare cleanup prewarm; do
  >   sysbench oltp_read_only --mysql-socket=$PWD/none.sock --threads=2 $c >out 2>err
  >   echo "exit $? $(grep -c 'FATAL: error 2002' out)"; cat err
  > done | sort | uniq -c | sed 's/^ *//'
  3 exit 1 1

Tables that are not there.

  $ sysbench oltp_read_write $SB_MYSQL_ARGS --tables=2 --time=5 run >out 2>err; echo $?; cat err
  1
  NOTE: create the tables first: 'sysbench oltp_read_write ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  $ sed -n '/^FATAL/p' out | sed -E 's/oltp_[a-z_]+.lua:[0-9]+/LUA:N/; s#[^ ]*/LUA#LUA#'
  FATAL: mysql_stmt_prepare() failed
  FATAL: MySQL error: 1146 "Table 'sbt_sql_connect_mysql.sbtest1' doesn't exist"
  FATAL: `thread_init' function failed: LUA:N: SQL API error
  FATAL: Thread initialization failed!
  $ sysbench oltp_insert $SB_MYSQL_ARGS --time=5 run >out 2>err; echo $?; cat err
  1
  NOTE: create the tables first: 'sysbench oltp_insert ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  $ sed -n '/^FATAL/p' out | sed -E 's/oltp_[a-z_]+.lua:[0-9]+/LUA:N/; s#[^ ]*/LUA#LUA#; s/VALUES.*/VALUES.../'
  FATAL: mysql_drv_query() returned error 1146 (Table 'sbt_sql_connect_mysql.sbtest1' doesn't exist) for query 'INSERT INTO sbtest1 (id, k, c, pad) VALUES...
  FATAL: `thread_run' function failed: LUA:N: SQL error, errno = 1146, state = '42S02': Table 'sbt_sql_connect_mysql.sbtest1' doesn't exist
  $ sysbench oltp_read_write $SB_MYSQL_ARGS --tables=2 cleanup | tail -n +3
  Dropping table 'sbtest1'...
  Dropping table 'sbtest2'...

The trace of the client library's calls keeps the password to itself.

  $ sysbench id.lua --events=1 $SB_MYSQL_ARGS --mysql-debug --mysql-password=sesame run >out; echo $?
  1
  $ grep -c 'DEBUG: mysql_real_connect' out
  1
  $ ! grep sesame out

Started without a stdout, the reports do not end up in the connection.

  $ echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT 1") end' >one.lua
  $ sysbench one.lua --events=50 --debug $SB_MYSQL_ARGS run >&- 2>err; echo $?; cat err
  1
  sysbench: cannot write to standard output: Bad file descriptor

A script of the 0.5 generation that cannot connect: its own line is named, whoever opens the connection.

  $ printf 'function thread_init()\n  db_connect()\nend\nfunction event() end\n' >first.lua
  $ printf 'function event()\n\n  db_query("SELECT 1")\nend\n' >later.lua
  $ for s in first later
  > do
  >   sysbench $s.lua --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=1 --events=1 run 2>/dev/null |
  >     grep 'function failed'
  > done
  FATAL: `thread_init' function failed: first.lua:2: Failed to connect to the database
  FATAL: `thread_run' function failed: later.lua:3: Failed to connect to the database
