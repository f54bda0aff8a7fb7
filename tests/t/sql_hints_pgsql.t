What ends the first run of many people: the server's words, as ever on stdout, and one line on stderr about what to do.

  $ said() { sysbench oltp_read_only --tables=2 --table-size=10 "$@" >out 2>err; echo "exit $?"; grep -o -m 1 '^FATAL' out; cat err; }

Nothing was prepared; prepared twice; more tables than were prepared.

  $ said $SB_PGSQL_ARGS run
  exit 1
  FATAL
  Hint: a table is missing: run the command 'prepare' first, with the same --tables and the same database.
  $ said $SB_PGSQL_ARGS prepare
  exit 0
  $ said $SB_PGSQL_ARGS prepare
  exit 1
  FATAL
  Hint: the table exists already, or another 'prepare' is making it now: to make it anew, run the command 'cleanup' with the same --tables first.
  $ said $SB_PGSQL_ARGS --tables=3 --db-ps-mode=disable run
  exit 1
  FATAL
  Hint: a table is missing: run the command 'prepare' first, with the same --tables and the same database.
  $ said $SB_PGSQL_ARGS --time=0 --events=3 run
  exit 0

No such database, user, server.

  $ said $SB_PGSQL_ARGS --pgsql-db=nosuch_here run | sed 's/^Hint: .*--pgsql-.*/a hint/' # as its pg_hba.conf has it
  exit 1
  FATAL
  a hint
  $ said $SB_PGSQL_ARGS --pgsql-user=nosuch_user run | sed 's/^Hint: .*--pgsql-.*/a hint/' # as its pg_hba.conf has it
  exit 1
  FATAL
  a hint
  $ said --db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port=1 run
  exit 1
  FATAL
  Hint: no server answers there: --pgsql-host and --pgsql-port say where it is.
  $ said --db-driver=pgsql --pgsql-host=/nonexistent run
  exit 1
  FATAL
  Hint: no server answers there: --pgsql-host (a host, or the folder of the socket) and --pgsql-port say where it is.

  $ said $SB_PGSQL_ARGS cleanup
  exit 0
