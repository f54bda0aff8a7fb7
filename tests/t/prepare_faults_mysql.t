Faults while prepare fills tables, on MariaDB: a full disk, a killed connection, a killed server.  With
innodb_autoinc_lock_mode=1, the piece that waits for us would stop those of the other thread.

  $ . "$TESTDIR/../include/mysql.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ server() { command=$1; shift; "$SB_DBSERVER" $command --dir="$PWD/db" -- --innodb-buffer-pool-size=64M \
  >   --innodb-flush-log-at-trx-commit=2 --innodb-file-per-table=0 --innodb-autoinc-lock-mode=2 "$@" >env || cat env; . ./env; }
  $ server "start --port=none" --innodb-data-file-path=ibdata1:12M:autoextend:max:30M
  $ trap '"$SB_DBSERVER" stop --dir="$PWD/db" --remove' EXIT
  $ sql() { mariadb --no-defaults --socket=$socket --user=$admin --batch --skip-column-names --delimiter=// "$db" --execute="$1"; }
  $ sb() { sysbench oltp_read_write $args --rand-seed=7 --threads=2 "$@"; }
  $ prepare() { sb "$@" prepare >out 2>err; exited $?; sed -i '/ rows\/s/d' err; } # slow machines get such a line
  $ sums() { sql "CHECKSUM TABLE sbtest1" | cut -f 2; sql "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest1"; }
  $ cleanup() { sb cleanup >/dev/null; }
  $ said() { grep -h '^FATAL' out | sed -E "s/rows [0-9]+ to [0-9]+:/rows N to N:/"; grep -v -e '^sbtest1:' -e ' rows/s' err; }

A full disk.  Both threads meet it, one says so.  With room again, what is missing follows.

  $ prepare --table-size=125000; said
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: error 1114, state 'HY000': The table 'sbtest1' is full
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ rows=$(sql "SELECT COUNT(*) FROM sbtest1"); echo $((rows % 25000))
  > sed -n 's/^sbtest1: \([0-9,]*\) of 125,000 rows/\1/p' err | tr -d , | grep -cx $rows
  0
  1
  $ server restart --innodb-data-file-path=ibdata1:12M:autoextend
  $ prepare --table-size=125000 --prepare-method=resume; sums >resumed; cat err; cleanup; prepare --table-size=125000; sums | cmp - resumed
  $ cleanup

The connection is killed in the middle of a piece: the end, or with --on-error once more.

  $ size=--table-size=60000; prepare $size; sums >whole; cleanup
  $ table() { sql "CREATE TABLE sbtest1 (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0,
  >   c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '')"; }
  $ meets() { sql "CREATE TRIGGER meets BEFORE INSERT ON sbtest1 FOR EACH ROW BEGIN IF NEW.id = 28000 THEN $1; END IF; END"; }
  $ for method in load insert; do
  >   table; meets "KILL CONNECTION_ID()"; prepare $size --prepare-method=resume --prepare-method=$method; said | sed 's/: error.*//'
  >   sql "DROP TRIGGER meets"; prepare $size --prepare-method=resume; sums | cmp - whole; cleanup
  > done
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ sql "CREATE TABLE times (t INT) ENGINE=MyISAM" # a ROLLBACK leaves it alone
  $ for method in load insert; do
  >   table; meets "INSERT INTO times VALUES (1); IF (SELECT COUNT(*) FROM times) < 3 THEN KILL CONNECTION_ID(); END IF"
  >   prepare $size --prepare-method=resume --prepare-method=$method --on-error=failover; sed 's/after error.*; /after ERROR; /' err
  >   sums | cmp - whole; sql "SELECT COUNT(*) FROM times// TRUNCATE TABLE times"; cleanup
  > done
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after ERROR; further ones without a word
  3
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after ERROR; further ones without a word
  3

An error that stays is an error in the end.

  $ table; meets "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'again'"
  $ prepare $size --prepare-method=resume; said; cleanup
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: error 1213, state '40001': again (10 attempts)
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after error 1213, state '40001': again; further ones without a word
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0

The connection is cut while the server makes the table, and while it makes the index, which waits for a lock: both are there in the end.
The next attempt is told so.

  $ relay() { # TEXT...: cuts the connection that first sends this
  >   rm -f port; python3 "$TESTDIR/../include/relay.py" 127.0.0.1 "$socket" port "$@" & relay=$!; until [ -s port ]; do sleep 0.02; done
  >   cut="--mysql-host=127.0.0.1 --mysql-port=$(cat port) --mysql-socket="; }
  $ fast() { prepare $size --create_secondary=off --prepare-method=load --on-error=failover "$@"; }
  $ index="SHOW INDEX FROM sbtest1 WHERE Key_name = 'k_1'"
  $ relay 'CREATE TABLE'; fast $cut; cat err; sql "$index"; kill $relay
  $ sql "BEGIN// SELECT id FROM sbtest1 LIMIT 1// SELECT SLEEP(300)" >/dev/null 2>&1 & holder=$!
  $ of() { sql "SELECT id FROM information_schema.processlist WHERE info LIKE '$1%'"; }
  $ until [ "$(of 'SELECT SLEEP')" ]; do sleep 0.05; done
  $ relay 'CREATE INDEX'; { prepare $size --prepare-method=resume --on-error=failover $cut >status; } & client=$!
  $ until [ "$(of 'CREATE INDEX' | wc -l)" = 2 ]; do sleep 0.05; done
  $ sql "KILL $(of 'SELECT SLEEP')"; wait $holder; wait $client; cat status err; grep FATAL out; sql "$index" | wc -l
  1
  $ sums | cmp - whole; kill $relay

An index, or a table, that was there before stays an error.

  $ sql "DROP TABLE sbtest1"; sql "CREATE TABLE sbtest1 (id INT)"; for ignored in 1062 all; do
  >   prepare $size --prepare-method=load --on-error=failover --mysql-ignore-errors=$ignored
  >   grep -h '^FATAL' out | sed -n '1s/.*error/error/p'; done; cleanup
  exit 1
  error 1050 (Table 'sbtest1' already exists) for query 'CREATE TABLE sbtest1(
  exit 1
  error, errno = 1050, state = '42S01': Table 'sbtest1' already exists (10 attempts)

The server is killed while it takes rows: it holds them until we come.

  $ begin() {
  >   table; meets "DO GET_LOCK('hold', 300)"; sql "DO GET_LOCK('hold', 1), SLEEP(300)" 2>/dev/null & holder=$!
  >   until [ "$(sql "SELECT IS_FREE_LOCK('hold')")" = 0 ]; do sleep 0.05; done
  >   : >out; sb $size --prepare-method=resume "$@" prepare >out 2>err & client=$!
  >   until [ "$(sql "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'")" = 1 ]; do sleep 0.05; done
  >   until [ "$(sql "SELECT COUNT(*) FROM sbtest1")" = 35000 ]; do sleep 0.05; done
  >   kill -KILL $pid; while "$SB_DBSERVER" status --dir="$PWD/db" >env; do sleep 0.05; done; wait $holder || :
  > }
  $ begin; wait $client; exited $?; said | sed 's/: error.*//'
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ server start; sql "DROP TRIGGER meets"; prepare $size --prepare-method=resume; sums | cmp - whole; cleanup
  $ begin --on-error=failover
  $ server start; wait $client; exited $?; sums | cmp - whole; grep -c '^NOTE' err; cleanup
  1
