What ends the first run of many people: the server's words, as ever on stdout, and one line on stderr about what to do.

  $ said() { sysbench oltp_read_only --tables=2 --table-size=10 "$@" >out 2>err; echo "exit $?"; grep -o -m 1 '^FATAL' out; cat err; }

Nothing was prepared; prepared twice; more tables than were prepared.

  $ said $SB_MYSQL_ARGS run
  exit 1
  FATAL
  Hint: a table is missing: run the command 'prepare' first, with the same --tables and the same database.
  $ said $SB_MYSQL_ARGS --threads=4 run
  exit 1
  FATAL
  Hint: a table is missing: run the command 'prepare' first, with the same --tables and the same database.
  $ said $SB_MYSQL_ARGS prepare
  exit 0
  $ said $SB_MYSQL_ARGS prepare
  exit 1
  FATAL
  Hint: the table exists already, or another 'prepare' is making it now: to make it anew, run the command 'cleanup' with the same --tables first.
  $ said $SB_MYSQL_ARGS --tables=3 run
  exit 1
  FATAL
  Hint: a table is missing: run the command 'prepare' first, with the same --tables and the same database.

A run that goes well says nothing, and neither does one with errors that it was told to ignore.

  $ said $SB_MYSQL_ARGS --time=0 --events=3 run
  exit 0
  $ cat >errs.lua <<'END'
  > function event()
  >    local con = sysbench.sql.driver():connect()
  >    pcall(con.query, con, "SELECT * FROM nosuchtable")
  >    con:disconnect()
  > end
  > END
  $ sysbench errs.lua $SB_MYSQL_ARGS --time=0 --events=1 run 2>&1 >out; echo $?
  0

No such database, user, server.

  $ said $SB_MYSQL_ARGS --mysql-db=nosuch_here run
  exit 1
  FATAL
  Hint: the database does not exist, or this user has no privilege on it: see --mysql-db, CREATE DATABASE and GRANT.
  $ said $SB_MYSQL_ARGS --mysql-user=nosuch_user --mysql-password=x run | sed 's/^Hint: .* see \(--mysql-user\).*/\1/'
  exit 1
  FATAL
  --mysql-user
  $ said --mysql-socket=/nonexistent/socket run
  exit 1
  FATAL
  Hint: no server answers there: --mysql-socket, or --mysql-host and --mysql-port, say where it is.
  $ said --mysql-host=127.0.0.1 --mysql-port=1 run
  exit 1
  FATAL
  Hint: no server answers there: --mysql-socket, or --mysql-host and --mysql-port, say where it is.

  $ said $SB_MYSQL_ARGS cleanup
  exit 0
