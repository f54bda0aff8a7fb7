What a run depends on: --report-environment.

  $ . "$TESTDIR/../include/mysql.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=100
  $ run() { sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=100 --events=10 "$@" run >out 2>err; exited $?; cat err; }
  $ item() { sed -n "/^Environment:/,/^\$/s/^    $1: *//p" out; }

It comes before the first transaction, one line for each thing.

  $ run --report-environment
  $ sed -n '/^Environment:/p;/^Threads started/p' out
  Environment:
  Threads started!
  $ sed -n '/^Environment:/,/^$/p' out | sed '1d;$d' | grep -vE '^    (client|host|server)\.[A-Za-z0-9_.]+: +[^ ]|server.variable'
  [1]
  $ item host.kernel | grep -c "$(uname -r)"; test "$(item host.cpu.count)" -ge 1; test "$(item host.memory_bytes)" -gt 100000000
  1
  $ item server.process | sed "s/$SB_MYSQL_PID/PID/"
  mariadbd (pid PID)
  $ item server.command | grep -c -- "--innodb-buffer-pool-size=64M"
  1
  $ item 'server.variable.innodb_buffer_pool_size'; item 'server.variable.max_connections'
  67108864
  600
  $ item 'server.variable.innodb_max_dirty_pages_pct_lwm'
  0.000000
  $ test $(grep -c '^    server.variable' out) = $(sql 'SHOW GLOBAL VARIABLES' | wc -l)
  $ test "$(item server.variable.version)" = "$(sql 'SELECT @@version')"
  $ if item server.library | grep -q n/a; then echo libraries; else item server.library | grep -q '/libc[.-]' && echo libraries; fi
  libraries

No password is shown, however it is written.

  $ sysbench cpu --mysql-password=geheim --pgsql_password=geheim --events=2 --report-environment run >out; ! grep geheim out
  $ item client.command | grep -o 'password=[^ ]*'
  password=***
  password=***
  $ item client.version | cut -d' ' -f1
  sysbench-tx

Off by default; built-in tests have no server.

  $ run; ! grep Environment out
  $ ! sysbench cpu --events=2 --report-environment run | sed -n '/^Environment:/,/^$/p' | grep '^    server'
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
