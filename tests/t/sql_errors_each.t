Statements that fail, and connections that are lost: ignored and tried again, or the end of the run.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none --
  $ [ "$engine" != mysql ] || skip 'needs MariaDB'
  $ case $DB in
  > mysql) nap="SELECT SLEEP(0.01)" long="SELECT SLEEP(30)" duplicate=1062 lost=2006,2013,1927 missing=1054 ;;
  > pgsql) nap="SELECT pg_sleep(0.01)" long="SELECT pg_sleep(30)" duplicate=23505 lost=connection missing=42703 ;;
  > esac
  $ run() { sysbench "$@" $args run >out 2>err; exited $?; grep '^FATAL' out; cat err; }
  $ figures() { figure 'total number of events'; figure read; figure 'ignored errors'; }
  $ root "CREATE TABLE t (id INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)"
  $ [ $DB = mysql ] || root "GRANT ALL ON t TO $user"
  $ echo "function thread_init() con = sysbench.sql.driver():connect() end" >base.lua

An error that is not on the list ends all threads; what was measured is reported.

  $ cat base.lua - >bad.lua <<'END'
  > n = 0
  > function event() n = n + 1 con:query(n == 4 and "SELECT nosuch" or "SELECT 1") end
  > END
  $ run bad.lua --time=30 | grep -v '^FATAL: failed query was: SELECT nosuch' | sed -E 's/^(FATAL: ).*\(\) .*/\1CALL/; s/errno .*/errno/'
  exit 1
  FATAL: CALL
  FATAL: `thread_run' function failed: bad.lua:3: SQL error, errno
  $ figures
  3
  3
  1

On the list it is counted, and the event begins anew; the limit of time holds for that, too.

  $ run bad.lua --events=10 --$DB-ignore-errors=$missing; figures
  10
  10
  1
  $ cat base.lua - >ever.lua <<'END'
  > function event() con:query("SELECT nosuch") end
  > END
  $ run ever.lua --time=1 --threads=2 --$DB-ignore-errors=all
  $ figure 'total number of events'; timed 10 40 $(figure 'ignored errors'); timed 1 10 $(figure 'total time') # pauses of up to 100 ms
  0

Within a transaction, what was done is undone as a whole, and done once: for an error on the list, and for one that only the
script's hook lets pass.

  $ cat base.lua - >undone.lua <<'END'
  > n = 0
  > function sysbench.hooks.sql_error_ignorable(err) return err.sql_errno == 1146 or err.sql_state == "42P01" end
  > function event()
  >    n = n + 1
  >    con:query("BEGIN")
  >    con:query("UPDATE t SET n = n + 1 WHERE id = 1")
  >    con:query(n == 2 and "SELECT 1 FROM nosuch" or "INSERT INTO t VALUES (" .. (n == 1 and 2 or 3 + n) .. ", 0)")
  >    con:query("COMMIT")
  > end
  > END
  $ run undone.lua --events=2 --$DB-ignore-errors=$duplicate | grep -c '^FATAL.*nosuch.* exist'
  1
  $ figure transactions; figure 'ignored errors'; root "SELECT n FROM t WHERE id = 1"
  2
  2
  2

A connection that is killed: by default the end.

  $ cat base.lua - >work.lua <<END
  > function event(tid)
  >    if tid % 2 == 0 then stmt = con:prepare("$nap") end
  >    repeat -- one more when all are killed
  >       local over = io.open("killed")
  >       if stmt then stmt:execute() else con:query("$nap") end
  >    until over
  >    if stmt then stmt:close() end
  > end
  > END
  $ begin() { clients_are 0; rm -f killed; : >out; sysbench "$@" $args --report-file=a.json run >out 2>err & client=$!
  > wait_for out 'Threads started'; }
  $ ended() { wait $client; exited $?; cat err; grep -h '^WARNING' out | sed 's/restored: .*/restored: WHY/'; }
  $ begin work.lua --time=20; : >killed; clients_are 1; sleep 0.3; end_all "login = '$user'"; ended
  exit 1
  $ grep -c '^FATAL' out; timed 5 2000 $(figure 'total number of events')
  2

With its errors ignored every thread gets a new one and goes on, whatever becomes of the transaction; so it is without a rate.

  $ for how in --on-error=connection:reconnect --on-error=connection:retry --on-error=connection:fail --$DB-ignore-errors=$lost
  > do for rate in "" --tx-rate=50; do
  >   begin work.lua $rate --server-waits=off --time=60 --events=100 --threads=3 --report-interval=1 --report-style=full \
  >     $(echo $how | sed 's/connection:\(.*\)/&,shutdown:\1/')
  >   clients_are 3; sleep 0.3; end_all "login = '$user'"; : >killed; ended
  >   [ -z "$rate" ] || accounts; echo $(figure 'total number of events') $(figure reconnects)
  > done; done | sort | uniq -c
        6 100 3
        2 97 3

The whole server is restarted: all is made up for.

  $ begin work.lua --tx-rate=50 --events=100 --time=100 --threads=3 --on-error=failover; : >killed
  $ sleep 0.3; server stop; server start >env || cat env; . ./env
  $ ended; accounts; figure offered; figure done
  100
  100

Killed when the run is over: too late for another attempt, and no reason for another exit status.

  $ cat base.lua - >last.lua <<END
  > function event() con:query("$long") end
  > END
  $ for how in --on-error=failover --$DB-ignore-errors=$lost; do
  >   begin last.lua --time=1 $how; runs "$long" 1200; end_all "login = '$user'"; ended
  > done
  WARNING: 1 connection was lost as the run ended, too late to be restored: WHY
  WARNING: 1 connection was lost as the run ended, too late to be restored: WHY
  $ begin last.lua --time=1; runs "$long" 1200; end_all "login = '$user'"; ended
  exit 1

Killed while it waits for a COMMIT: nobody knows what became of that.

  $ cat base.lua - >commit.lua <<'END'
  > function event() con:query("BEGIN") con:query("INSERT INTO waits VALUES (1)") con:query("COMMIT") end
  > END
  $ root "CREATE TABLE waits (n INT)"
  $ case $DB in
  > mysql) hold="BACKUP STAGE START; BACKUP STAGE FLUSH; BACKUP STAGE BLOCK_DDL; BACKUP STAGE BLOCK_COMMIT; SELECT SLEEP(31)" ;;
  > pgsql) hold="SELECT pg_advisory_lock(1), pg_sleep(31)"; root "GRANT ALL ON waits TO $user;
  >   CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
  >   CREATE CONSTRAINT TRIGGER w AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()" ;;
  > esac
  $ root "$hold" >held 2>&1 & holder=$!
  $ runs "${hold##*; }"
  $ begin commit.lua --events=1 --time=60 --on-error=failover; runs COMMIT 300
  $ end_all "login = '$user'"; end_all "statement = '${hold##*; }'"; wait $holder || :
  $ ended; report get a.json summary.retries | sed 's/, "first.*//'; figure transactions
  {"transactions": 1, "retries": 1, "most": 1, "failed": 0, "commits_unknown": 1
  1
  $ grep -A 2 'unknown outcome' out
      commits of unknown outcome:          1 (the connection was lost before the
                                           answer; run again, they may have been
                                           done twice)

An ignored error before the first event has no loop that would retry: it is named.

  $ echo 'function thread_init() sysbench.sql.driver():connect():query("SELECT * FROM missing") end function event() end' >init.lua
  $ run init.lua --$DB-ignore-errors=all --events=1 | sed 's/errno = .*/errno/'
  exit 1
  FATAL: `thread_init' function failed: SQL error, errno
  FATAL: Thread initialization failed!
