The system calls of a server that is a tree of processes: --server-syscalls with PostgreSQL.
Own server: it counts system calls of a whole server.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ filled oltp_point_select $SB_PGSQL_ARGS --table-size=1000

Backends are counted, each of which waits for its client in a call of its own; where they cannot be counted, the reason.

  $ sysbench oltp_point_select $SB_PGSQL_ARGS --table-size=1000 --threads=4 --time=2 --server-syscalls=3 \
  >   --report-file=a.json run >out 2>err
  > echo $?; cat err
  0
  $ python3 "$TESTDIR/../include/cram_server_syscalls_pgsql.py"
  True True
  $ sysbench oltp_point_select $SB_PGSQL_ARGS cleanup >out
