Faults while prepare fills tables, on PostgreSQL: a full disk, a killed connection, a killed server.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ command -v prlimit >/dev/null || skip 'no prlimit (util-linux)'
  $ place=$(mktemp -d "${SB_TESTS%/*}/faults-XXXXXX"); chmod 711 $place
  $ server() { "$SB_DBSERVER" "$@" --dir=$place/db; }
  $ prlimit --fsize=18000000: "$SB_DBSERVER" start --engine=postgresql --dir=$place/db --port=none -- --fsync=off >env || cat env
  $ . ./env
  $ trap 'server stop --remove; rmdir $place' EXIT
  $ sql() { psql --no-psqlrc --host="${socket%/*}" --port="${socket##*.}" --username="$user" --dbname="$db" -qtAX --command="$1"; }
  $ sb() { sysbench oltp_read_write $args --rand-seed=7 --threads=2 "$@"; }
  $ prepare() { sb "$@" prepare >out 2>err; exited $?; sed -i '/ rows\/s/d' err; } # slow machines get such a line
  $ sums() { sql "SELECT COUNT(*), md5(string_agg(concat_ws(',', id, k, c, pad), ' ' ORDER BY id)) FROM sbtest1"; }
  $ cleanup() { sb cleanup >/dev/null; }
  $ said() { grep -h '^FATAL' out | sed -E "s/rows [0-9]+ to [0-9]+:/rows N to N:/"; grep -v -e '^sbtest1:' -e ' rows/s' err; }

A disk on which no file may have more than 18 MB.  Both threads meet it, one says so.  With room again, what is missing follows.
From PostgreSQL 16 on the state is that of an internal error.

  $ prepare --table-size=100000; said | sed "s/ \"base.*//; s/'XX000'/'53100'/"
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: error 0, state '53100': could not extend file
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ server restart >env || cat env; . ./env
  $ prepare --table-size=100000 --prepare-method=resume; sums >resumed; cat err; cleanup; prepare --table-size=100000; sums | cmp - resumed
  $ cleanup

The connection is killed in the middle of a piece: the end, or with --on-error once more.

  $ size=--table-size=60000; prepare $size; sums >whole; cleanup
  $ table() { sql \
  >   "CREATE TABLE sbtest1 (id SERIAL PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT "\
  > "NULL DEFAULT '')"
  > }
  $ meets() { sql "CREATE OR REPLACE FUNCTION meets() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN $1; RETURN NEW; END';
  >   CREATE TRIGGER meets BEFORE INSERT ON sbtest1 FOR EACH ROW WHEN (NEW.id = ${2:-28000}) EXECUTE FUNCTION meets()"; }
  $ die="PERFORM pg_terminate_backend(pg_backend_pid())"
  $ for method in copy insert; do
  >   table; meets "$die"; prepare $size --prepare-method=resume --prepare-method=$method; said
  >   sql "DROP TRIGGER meets ON sbtest1"; prepare $size --prepare-method=resume; sums | cmp - whole; cleanup
  > done
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: error 0, state '57P01': terminating connection due to administrator command
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N: error 0, state '57P01': terminating connection due to administrator command
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ sql "CREATE SEQUENCE times" # a ROLLBACK leaves it alone
  $ for method in copy insert; do
  >   table; meets "IF nextval(''times'') < 3 THEN $die; END IF"
  >   prepare $size --prepare-method=resume --prepare-method=$method --on-error=failover; cat err
  >   sums | cmp - whole; sql "SELECT nextval('times'), setval('times', 1, false)"; cleanup
  > done
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after error 0, state '57P01': terminating connection due to administrator command; further ones without a word
  4|1
  NOTE: table 'sbtest1', rows 25001 to 50000 are loaded again after error 0, state '57P01': terminating connection due to administrator command; further ones without a word
  4|1

A first attempt that the server commits late, long after its client has gone: no row is there twice, though no key is unique.

  $ sql \
  >   "CREATE TABLE sbtest1 (id INT NOT NULL, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '')"
  $ meets "IF nextval(''times'') = 1 THEN PERFORM pg_advisory_xact_lock(1); END IF" 50000
  $ sql "SELECT setval('times', 1, false), pg_advisory_lock(1), pg_sleep(300)" >/dev/null 2>&1 & holder=$!
  $ until [ "$(sql "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'")" = 1 ]; do sleep 0.05; done
  $ : >err; sb $size --prepare-method=resume --query-timeout=2 --on-error=failover,cancelled:reconnect prepare >out 2>err & client=$!
  $ wait_for err '^NOTE'
  $ until [ \
  >   "$(sql "SELECT (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'relation' AND NOT granted) > 0 OR (SELECT COUNT(*) FROM "\
  > "sbtest1) = 60000")" \
  >   = t ]
  > do sleep 0.05; done
  $ sql "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted" | uniq; wait $holder || :
  t
  $ wait $client; exited $?; sums | cmp - whole; cleanup

The connection is cut while the server makes the table, and while it makes the index, which waits for a lock: both are there in the end,
whether the first or the second session makes it.

  $ relay() { # TEXT...: cuts the connection that first sends this
  >   rm -f port; python3 "$TESTDIR/../include/relay.py" 127.0.0.1 "$socket" port "$@" & relay=$!; until [ -s port ]; do sleep 0.02; done
  >   cut="--pgsql-host=127.0.0.1 --pgsql-port=$(cat port)"; }
  $ fast() { prepare $size --create_secondary=off --prepare-method=copy --on-error=failover "$@"; }
  $ relay 'CREATE TABLE'; fast $cut; cat err; grep FATAL out || :; kill $relay
  $ sql "BEGIN; LOCK TABLE sbtest1 IN ROW EXCLUSIVE MODE; SELECT pg_sleep(300)" >/dev/null 2>&1 & holder=$!
  $ of() { sql "SELECT pid FROM pg_stat_activity WHERE query LIKE '$1%'"; }
  $ until [ "$(of BEGIN)" ]; do sleep 0.05; done
  $ relay 'CREATE INDEX'; { prepare $size --prepare-method=resume --on-error=failover $cut >status; } & client=$!
  $ until [ "$(of 'CREATE INDEX' | wc -l)" = 2 ]; do sleep 0.05; done
  $ sql "SELECT pg_terminate_backend($(of BEGIN))"; wait $holder || :; wait $client; cat status err; grep FATAL out || :
  t
  $ sql "SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'k_1'"; sums | cmp - whole; kill $relay; cleanup
  1

An index, or a table, that was there before stays an error.

  $ sql "CREATE TABLE sbtest1 (id INT)"; prepare $size --prepare-method=copy --on-error=failover; grep '^FATAL' out | head -n 1; cleanup
  exit 1
  FATAL: PQexec() failed: 7 relation "sbtest1" already exists

The server stops at once, as in a crash, while it takes rows.

  $ begin() {
  >   table; meets "PERFORM pg_advisory_xact_lock(1)"; sql "SELECT pg_advisory_lock(1), pg_sleep(300)" >/dev/null 2>&1 & holder=$!
  >   until [ "$(sql "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'")" = 1 ]; do sleep 0.05; done
  >   : >out; sb $size --prepare-method=resume "$@" prepare >out 2>err & client=$!
  >   until [ "$(sql "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'")" = 2 ]; do sleep 0.05; done
  >   until [ "$(sql "SELECT COUNT(*) FROM sbtest1")" = 35000 ]; do sleep 0.05; done
  >   kill -QUIT $pid; while server status >env; do sleep 0.05; done; wait $holder || :
  > }
  $ begin; wait $client; exited $?; said | sed 's/: error.*//'
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows N to N
  prepare has stopped (--prepare-method=resume continues); what is there:
  complete: 0 of 1 tables, not begun: 0
  $ server start >env || cat env; . ./env; sql "DROP TRIGGER meets ON sbtest1"; prepare $size --prepare-method=resume
  > sums | cmp - whole; cleanup
  $ begin --on-error=failover
  $ server start >env || cat env; . ./env; wait $client; exited $?; sums | cmp - whole; grep -c '^NOTE' err; cleanup
  1
