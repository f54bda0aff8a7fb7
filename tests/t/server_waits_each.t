What the time of a transaction went to: with a rate by default, with --server-waits=on without one, with other options not.
Own server: its user is granted more on the way.

  $ . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/$DB.sh"
  $ cat >nap.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query(os.getenv("NAP")) end
  > function thread_done() print("sessions:", con:query_row(os.getenv("COUNT"))) end
  > END
  $ case $DB in
  > mysql) export NAP="SELECT SLEEP(0.05)" COUNT="SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = '$SB_MYSQL_USER'";;
  > pgsql) export NAP="SELECT pg_sleep(0.05)" COUNT="SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '$SB_PGSQL_USER'";;
  > esac
  $ run() { sysbench nap.lua $SB_ARGS --threads=1 --report-style=full --report-file=a.json "$@" run >out 2>err; exited $?; cat err; }
  $ enough() { for i in 1 2 3 4 5; do run "$@"; [ "$(figure wait_samples)" -ge 8 ] 2>/dev/null && break; done; }
  $ figure() { report get a.json "summary.server_status.$1"; }
  $ block() { sed -n '/^Time of a/,/^$/p' out | sed -E '/^$/d; s/[0-9]+(\.[0-9]+)?/N/g; s/: +/: /; s/, in N%.*//'; }

Without the PROCESS privilege MariaDB does not tell: the block has the reason, and the run is like any other.

  $ case $DB in mysql) sql 'DO 0'
  >   run --tx-rate=15 --time=1 --report-interval=0.5; grep 'waits' out; figure other_us_per_transaction
  >   block | tail -n +3 | tr -s ' \n' ' '
  >   "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_ADMIN" \
  >     --execute="GRANT PROCESS ON *.* TO $SB_MYSQL_USER@localhost"
  > ;; pgsql) printf 'null\n n/a: what it went to in the server (seeing what sessions wait for takes the PROCESS privilege) ';; esac
  null
   n/a: what it went to in the server (seeing what sessions wait for takes the PROCESS privilege)  (no-eol)

A statement sleeps for 50 ms, 15 times a second: 0.75 sessions all the time, and 50 ms of each transaction.

  $ enough --server-waits=on --tx-rate=15 --time=4 --report-interval=1; case $DB in mysql) figure wait_samples | awk '$1 > 36';; esac
  $ block | grep -Ei 'mean response|^ *[a-z]*[ ]?sleep|sessions in' | sed -E 's/ *(Pg|User )Sleep/SLEEP/i; s/^ *//; s/(samples), .*/\1/'
  mean response: N ms: lag N, service N
  SLEEP (other): N ms, N%
  sessions in the server: N (waits from N samples
  $ figure other_us_per_transaction | awk '$1 < 20000 || $1 > 60000'
  $ figure sessions_other_s | awk '$1 < 1 || $1 > 4'
  $ grep -ciE '^\[.* \| waits (user |pg)sleep (0\.[4-9]|1\.)' out | awk '$1 < 2'
  $ report get a.json summary.server_waits.names | grep -ciE '"name": *"(user |pg)sleep", *"class": *"other"'
  1
  $ grep -c '^Server status\| waits.* | .* | \|other sessions' out
  0
  [1]

With a rate by default, less often.

  $ run --tx-rate=15 --time=3; grep sessions: out | tr -d '\t'; block | grep -o 'mean response'; figure wait_samples | awk '$1 > 12'
  sessions:2
  mean response

While this program is stopped, no session sleeps for it.

  $ : >out; sysbench nap.lua $SB_ARGS --threads=8 --tx-rate=60 --time=5 --server-waits=on --report-file=a.json run >out 2>err & run=$!
  $ wait_for out '^Threads started'; sleep 1; kill -STOP $run; sleep 2; kill -CONT $run; wait $run; exited $?; cat err
  $ timed 35000 57000 $(figure other_us_per_transaction)

Of two load hosts, the sessions of both.

  $ . "$TESTDIR/../include/ranks.sh"
  $ ranks 2 nap.lua $SB_ARGS --threads=2 --tx-rate=36 --time=4 --server-waits=on --report-file=a.json run
  $ figure other_us_per_transaction | awk '$1 < 30000 || $1 > 60000'

Without a rate if it is asked for, from the mean of all transactions.  Nothing and no connection else.

  $ enough --server-waits=on --time=3; grep sessions: out | tr -d '\t'; block | grep 'mean service'
  sessions:2
      mean service: N ms
  $ figure other_us_per_transaction | awk '$1 < 20000 || $1 > 60000'
  $ for o in --threads=1 --tx-rate=0 --server=off --server-waits=off --rate=15; do
  >   case $o in --server*) set -- --tx-rate=15;; *) set --;; esac
  >   run --time=1 $o "$@"; grep sessions: out | tr -d '\t'; block; report get a.json summary.server_status | grep -v null; done
  sessions:1
  sessions:1
  sessions:1
  sessions:1
  sessions:1
  [1]

CPU is exact, of the sessions' own threads: most of what the server's process used, in all figures of it.  Of the latter, watching
has a part: of few transactions it is told.

  $ cpu() { figure on_cpu_us_per_transaction | awk -v of="$(report get a.json summary.server.cpu_s_per_transaction)" '
  >   { part = $1 / of / 1e6; print (part > 1.02 ? "more" : part > 0.6 ? "most" : part) }'; }
  $ NAP='SELECT 1'; enough --server-waits=on --server=auto --threads=2 --time=2; cpu; block | grep CPU | cut -d: -f1; figure on_cpu_of
  most
      in the server on a CPU
      in the server waiting for a CPU
  "threads of this run's sessions"
  $ python3 - <<'END'
  > import json; r = json.load(open("a.json"))["summary"]; s, n = r["server_status"], r["transactions"]
  > of = s["sessions_cpu_s"] * 1e6 / n / (s["on_cpu_us_per_transaction"] + s["cpu_wait_us_per_transaction"])
  > names = sum(v["s"] for v in r["server_waits"]["names"] if v["class"] == "cpu") / s["sessions_cpu_s"]
  > if not (0.75 < of < 1.01 and 0.999 < names < 1.001): print(of, names)
  > END
  $ run --server-waits=on --tx-rate=15 --time=2; grep -c 'of it to watch the server' out
  1
