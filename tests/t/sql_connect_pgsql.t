How a PostgreSQL server is reached, and what is said when it is not.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ cat >id.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() print("user " ..
  >   con:query_row("SELECT current_user || '@' || coalesce(host(inet_client_addr()), 'socket') || '/' || current_database()")) end
  > function thread_done() con:disconnect() end
  > END
  $ here() { sed -e "s/$SB_PGSQL_DB/DB/g" -e "s/port $SB_PGSQL_PORT/port PORT/" -e \
  >   's#socket "/[^"]*"#socket "SOCKET"#' -E -e 's/id.lua:[0-9]+/id.lua:N/'
  > }
  $ try() { sysbench id.lua --events=1 "$@" run >out 2>err; exited $?
  > sed -n -E '/^(user|FATAL|	|Is |connection)/p' out | here; cat err; }

Socket and TCP.

  $ try $SB_PGSQL_ARGS
  user sbtest@socket/DB
  $ try $SB_PGSQL_TCP_ARGS
  user sbtest@127.0.0.1/DB
  $ try $SB_PGSQL_TCP_ARGS --db-ps-mode=disable --threads=3 --events=3
  user sbtest@127.0.0.1/DB
  user sbtest@127.0.0.1/DB
  user sbtest@127.0.0.1/DB

The environment counts where no option does, a connection string comes before defaults.

  $ PGHOST=$SB_PGSQL_HOST PGPORT=$SB_PGSQL_PORT PGUSER=sbtest PGDATABASE=$SB_PGSQL_DB try --db-driver=pgsql \
  >   --pgsql-host= --pgsql-port=$SB_PGSQL_PORT --pgsql-user= --pgsql-db=
  user sbtest@socket/DB
  $ try --db-driver=pgsql --pgsql-db="dbname=$SB_PGSQL_DB host=$SB_PGSQL_HOST port=$SB_PGSQL_PORT user=sbtest"
  user sbtest@socket/DB
  $ try --db-driver=pgsql --pgsql-db="postgresql://sbtest@127.0.0.1:$SB_PGSQL_PORT/$SB_PGSQL_DB"
  user sbtest@127.0.0.1/DB
  $ printf '[bench]\nhost=%s\nport=%s\nuser=sbtest\ndbname=%s\n' $SB_PGSQL_HOST $SB_PGSQL_PORT $SB_PGSQL_DB >service.conf
  $ PGSERVICEFILE=service.conf try --db-driver=pgsql --pgsql-db=service=bench
  user sbtest@socket/DB

Nobody there.

  $ try --db-driver=pgsql --pgsql-host=$PWD/none --pgsql-port=1
  exit 1
  FATAL: Connection to database failed: connection to server on socket "SOCKET" failed: No such file or directory
  \tIs the server running locally and accepting connections on that socket? (esc)
  FATAL: `thread_init' function failed: id.lua:N: connection creation failed
  FATAL: Thread initialization failed!
  $ why() { try "$@" | sed '/^exit 1$/d; /function failed: .*connection creation failed$/d; /^FATAL: Thread init/d'; }
  $ why --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=1
  FATAL: Connection to database failed: connection to server at "127.0.0.1", port 1 failed: Connection refused
  \tIs the server running on that host and accepting TCP/IP connections? (esc)
  $ why --db-driver=pgsql --pgsql-host=no..where | sed -E 's/(no..where" to address).*/\1 .../'
  FATAL: Connection to database failed: could not translate host name "no..where" to address ...

The wrong key, the wrong door.

  $ why $SB_PGSQL_ARGS --pgsql-user=nobody_knows
  FATAL: Connection to database failed: connection to server on socket "SOCKET" failed: FATAL:  no pg_hba.conf entry for host "[local]", user "nobody_knows", database "DB", no encryption
  $ why $SB_PGSQL_ARGS --pgsql-db=nosuch
  FATAL: Connection to database failed: connection to server on socket "SOCKET" failed: FATAL:  no pg_hba.conf entry for host "[local]", user "sbtest", database "nosuch", no encryption

Tables that are not there.

  $ sysbench oltp_read_write $SB_PGSQL_ARGS --tables=2 --time=5 run >out 2>err; echo $?; cat err
  1
  NOTE: create the tables first: 'sysbench oltp_read_write ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  $ sed -n '/^FATAL/p' out | sed -E 's/oltp_[a-z_]+.lua:[0-9]+/LUA:N/; /SQL error/s/sbtest[12]/sbtestN/; s#[^ ]*/LUA#LUA#' | sort -u
  FATAL: PQprepare() failed: ERROR:  relation "sbtest1" does not exist
  FATAL: Thread initialization failed!
  FATAL: `thread_init' function failed: LUA:N: SQL API error
  $ sysbench oltp_read_write $SB_PGSQL_ARGS --tables=2 --table-size=10 prepare >out
  > sysbench oltp_read_write $SB_PGSQL_ARGS --tables=2 cleanup | tail -n +3
  Dropping table 'sbtest1'...
  Dropping table 'sbtest2'...
  $ tables

A mode and an option that cannot be.

  $ sysbench id.lua $SB_PGSQL_ARGS --pgsql-sslmode=sometimes run
  FATAL: Invalid value for --pgsql-sslmode: 'sometimes' (allowed: disable, allow, prefer, require, verify-ca, verify-full)
  [1]
  $ sysbench id.lua $SB_PGSQL_ARGS --pgsql-ignore-errors=40P01,1213 run | grep FATAL
  FATAL: Invalid value for --pgsql-ignore-errors: '1213' is neither a SQLSTATE of five characters nor 'connection' nor 'all'
