What follows from an error of PostgreSQL, by its class; on a server of our own, because one test makes it read-only.

  $ . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server --engine=postgresql --port=none -- --fsync=off
  $ sql() { psql --no-psqlrc --host="${socket%/*}" --username="$admin" --dbname="$db" --quiet --tuples-only --no-align --command="$1"; }
  $ run() { sysbench "$@" $args run >out 2>err; exited $?; grep -h '^FATAL\|^WARNING' out; cat err; }
  $ rated() { run "$@" --tx-spin=0 --report-file=a.json; accounts; echo $(figure offered) $(figure done) $(figure failed); }
  $ retries() { report get a.json summary.retries | sed 's/, "first.*//'; }
  $ sql "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0); GRANT ALL ON t TO $user"

Every fourth transaction inserts a key that exists, which is on the list; here the server refuses it at once, there with
the COMMIT.

  $ cat >twice.lua <<'END1'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function sysbench.hooks.before_restart_event() n = n - 1 end
  > function event()
  >    n = n + 1
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    if n % 4 == 0 then con:query("INSERT INTO t VALUES (2, 0)") end
  >    con:query("COMMIT")
  > end
  > END1
  $ rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:fail
  40 30 10
  $ sql "SELECT n FROM t WHERE id = 1"; figure 'ignored errors'
  30
  10
  $ sql "ALTER TABLE t DROP CONSTRAINT t_pkey; ALTER TABLE t ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED; UPDATE t SET n = 0"
  $ rated twice.lua --tx-rate=200 --events=40 --on-error=duplicate:fail
  40 30 10
  $ sql "SELECT n FROM t WHERE id = 1"; figure 'ignored errors'
  30
  10
  $ rated twice.lua --tx-rate=200 --events=40 --trx-retries=3
  40 30 10
  $ retries
  {"transactions": 10, "retries": 30, "most": 3, "failed": 10, "commits_unknown": 0
  $ run twice.lua --events=40 --on-error=duplicate:fatal | sed 's/twice.*//'
  exit 1
  FATAL: PQexec() failed: 7 duplicate key value violates unique constraint "t_id_key"
  FATAL: failed query was: COMMIT
  FATAL: `thread_run' function failed: 

Serialization failures and deadlocks: every transaction is done, or fails at its first error.

  $ cat >serial.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    con:query("BEGIN ISOLATION LEVEL REPEATABLE READ")
  >    con:query("SELECT n FROM t WHERE id = 1")
  >    con:query("SELECT pg_sleep(0.02)")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    con:query("COMMIT")
  > end
  > END1
  $ sql "UPDATE t SET n = 0"
  $ rated serial.lua --threads=4 --tx-rate=1000 --events=20
  20 20 0
  $ [ $(report get a.json summary.retries.retries) -eq $(figure 'ignored errors') ]; sql "SELECT n FROM t WHERE id = 1"
  20
  $ in_range 1 20 $(report get a.json summary.retries.transactions)
  $ rated serial.lua --threads=4 --tx-rate=1000 --events=20 --on-error=serialization:fail | sed '/^20/s/ [0-9]* [0-9]*$/ D F/'
  20 D F
  $ [ $(($(figure done) + $(figure failed))) -eq 20 ]; [ $(figure failed) -eq $(figure 'ignored errors') ]; in_range 1 19 $(figure failed)

A statement that takes too long.

  $ cat >slow.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() con:query("SET statement_timeout = 50") end
  > function event() con:query("SELECT pg_sleep(10)") end
  > END1
  $ rated slow.lua --tx-rate=20 --events=2 --on-error=cancelled:fail
  2 0 2

A read-only server: the client pauses.  Pauses of up to 1, 2, 4 ... ms leave room for 16 errors in two seconds.

  $ cat >write.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    con:query("BEGIN") con:query("SELECT * FROM t") con:query("UPDATE t SET n = n + 1 WHERE id = 1") con:query("COMMIT")
  > end
  > END1
  $ read_only() { sql "ALTER SYSTEM SET default_transaction_read_only = $1"; sql "SELECT pg_reload_conf()"
  > until [ "$(sql 'SHOW default_transaction_read_only')" = $1 ]; do sleep 0.02; done; }
  $ read_only on
  t
  $ rated write.lua --tx-rate=60 --time=2 --pgsql-ignore-errors=25006
  120 0 1
  $ in_range 1 16 $(figure 'ignored errors')
  $ rated write.lua --tx-rate=60 --time=2 --on-error=failover
  120 0 1
  $ in_range 1 16 $(figure reconnects)
  $ : >out; sysbench write.lua $args --tx-rate=60 --tx-spin=0 --events=60 --time=60 --on-error=failover run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; sleep 0.5; read_only off; wait $pid; exited $?; cat err
  t
  $ accounts; figure offered; figure done
  60
  60

Connections that are ended, and the whole server.

  $ cat >work.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() repeat local over = io.open("killed") con:query("SELECT pg_sleep(0.01)") until over end -- one more when all are killed
  > END1
  $ end_all() { # N: as soon as these are all: the one that read the server's settings and those of the run before are gone
  >   left=600; until [ "$(sql "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '$user'")" = $1 ] || [ $left = 0 ]
  >   do left=$((left - 1)); sleep 0.05; done
  >   sql "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '$user'"; }
  $ begin() { : >out; sysbench "$@" $args --report-file=a.json run >out 2>err & client=$!; wait_for out 'Threads started'; }
  $ ended() { wait $client; exited $?; cat err; grep -h '^WARNING' out | sed 's/restored: .*/restored: WHY/'; }
  $ for action in reconnect retry fail; do
  >   rm -f killed
  >   begin work.lua --tx-rate=50 --tx-spin=0 --time=60 --events=100 --threads=3 \
  >     --on-error=connection:$action,shutdown:$action
  >   sleep 0.3; end_all 3; : >killed; ended; accounts; figure offered; figure reconnects
  > done
  3
  100
  3
  3
  100
  3
  3
  100
  3
  $ begin work.lua --tx-rate=50 --tx-spin=0 --events=100 --time=100 --threads=3 --on-error=failover
  $ sleep 0.3; server stop; server start >env || cat env
  $ ended; accounts; figure offered; figure done
  100
  100

Ended while it waits in a COMMIT: nobody knows what became of that.

  $ cat >commit.lua <<'END1'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("BEGIN") con:query("INSERT INTO waits VALUES (1)") con:query("COMMIT") end
  > END1
  $ sql "CREATE TABLE waits (n INT); GRANT ALL ON waits TO $user;
  >   CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
  >   CREATE CONSTRAINT TRIGGER w AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()"
  $ sql "SELECT pg_advisory_lock(1), pg_sleep(30)" >/dev/null 2>&1 & holder=$!
  $ until [ -n "$(sql "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted")" ]; do sleep 0.02; done
  $ begin commit.lua --events=1 --time=60 --on-error=failover
  $ until [ -n \
  >   "$(sql "SELECT 1 FROM pg_stat_activity WHERE usename = '$user' AND query = 'COMMIT' AND wait_event = 'advisory'")" \
  >   ]
  > do sleep 0.02; done
  $ end_all 1; sql "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND granted"; wait $holder || :
  1
  1
  $ ended; retries; figure transactions
  {"transactions": 1, "retries": 1, "most": 1, "failed": 0, "commits_unknown": 1
  1
