Faults while prepare fills tables: a full disk, a killed connection, a killed server.

  $ . "$TESTDIR/../include/faults.sh"

A full disk.  Both threads meet it, one says so.  With room again, what is missing follows.

  $ prepare --table-size=125000; said; grep -c "$full" out
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: ERROR
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  1
  $ rows=$(sql "SELECT COUNT(*) FROM sbtest1"); echo $((rows % 25000))
  > sed -n 's/^sbtest1: \([0-9,]*\) of 125,000 rows/\1/p' err | tr -d , | grep -cx $rows
  0
  1
  $ room
  $ prepare --table-size=125000 --prepare-method=resume; sums >resumed; cat err; cleanup; prepare --table-size=125000; sums | cmp - resumed
  $ cleanup

The connection is killed in the middle of a piece: the end, or with --on-error once more.

  $ size=--table-size=60000; prepare $size; sums >whole; cleanup; counts
  $ for method in $fast insert; do
  >   table; meets "$die"; prepare $size --prepare-method=resume --prepare-method=$method; said
  >   sql "$drops"; prepare $size --prepare-method=resume; sums | cmp - whole; cleanup
  > done
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: ERROR
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: ERROR
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ for method in $fast insert; do
  >   table; meets "$dies_twice"; prepare $size --prepare-method=resume --prepare-method=$method --on-error=failover; said
  >   sums | cmp - whole; tries; cleanup
  > done
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after ERROR; further ones without a word
  3
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after ERROR; further ones without a word
  3

An error that stays is an error in the end.

  $ table; meets "$fails"; prepare $size --prepare-method=resume; grep -o "state '40001': again.*" out; said; cleanup
  exit 1
  state '40001': again (10 attempts)
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: ERROR
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after ERROR; further ones without a word
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0

A first attempt that PostgreSQL commits late, long after its client has gone: no row is there twice, though no key is unique.

  $ late() {
  >   sql "CREATE TABLE sbtest1 (id INT NOT NULL, $columns)"; meets "IF nextval(''times'') = 1 THEN $waits; END IF" 50000
  >   sql "$holds" >held 2>&1 & holder=$!; until_is 1 locks
  >   : >err; sb $size --prepare-method=resume --query-timeout=2 --on-error=failover,cancelled:reconnect prepare >out 2>err & client=$!
  >   wait_for err '^NOTE'; until_is t sql "SELECT (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'relation' AND NOT granted) > 0
  >     OR (SELECT COUNT(*) FROM sbtest1) = 60000"
  >   sql "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted" >ended; wait $holder || :
  >   wait $client; exited $?; sums | cmp - whole; cleanup
  > }
  $ [ $DB = mysql ] || late

The connection is cut while the server makes the table, and while it makes the index, which waits for a lock: both are there in the end,
whether the first or the second session makes it.  The next attempt is told so.

  $ cuts() { relay "$socket" "$@"; cut="--$DB-host=127.0.0.1 --$DB-port=$via $through"; }
  $ cuts 'CREATE TABLE'; prepare $size --create_secondary=off --prepare-method=$fast --on-error=failover $cut; said; index; relays_end
  0
  $ sql "$reads" >/dev/null 2>&1 & holder=$!
  $ until [ "$(ids "$reading")" ]; do sleep 0.05; done
  $ cuts 'CREATE INDEX'; { prepare $size --prepare-method=resume --on-error=failover $cut >status; } & client=$!
  $ until [ "$(ids 'CREATE INDEX' | wc -l)" = 2 ]; do sleep 0.05; done
  $ ends "$(ids "$reading")"; wait $holder || :; wait $client; cat status; said; index; sums | cmp - whole; relays_end; cleanup
  1

A table that was there before stays an error, whatever is ignored.

  $ sql "CREATE TABLE sbtest1 (id INT)"; for ignored in 1062 all; do
  >   prepare $size --prepare-method=$fast --on-error=failover --mysql-ignore-errors=$ignored
  >   grep -h '^FATAL' out | grep -o 'sbtest1. already exists' | uniq | tr \" \'; done; cleanup
  exit 1
  sbtest1' already exists
  exit 1
  sbtest1' already exists

The server is killed while it takes rows: it holds them until we come.

  $ begin() {
  >   table; meets "$waits"; sql "$holds" >held 2>&1 & holder=$!; until_is 1 locks
  >   : >out; sb $size --prepare-method=resume "$@" prepare >out 2>err & client=$!
  >   until_is 2 locks; until_is 35000 sql "SELECT COUNT(*) FROM sbtest1"
  >   crash; while server status >env; do sleep 0.05; done; wait $holder || :
  > }
  $ begin; wait $client; exited $?; said
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: ERROR
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ again start; sql "$drops"; prepare $size --prepare-method=resume; sums | cmp - whole; cleanup
  $ begin --on-error=failover
  $ again start; wait $client; exited $?; sums | cmp - whole; grep -c '^NOTE' err; cleanup
  1
