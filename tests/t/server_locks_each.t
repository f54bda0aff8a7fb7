Lock waits with --server-status: a run that waits for another session's lock names that session; one that waits for its own does not.
Own server: its user is granted more on the way.

  $ . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/$DB.sh"
  $ filled oltp_update_non_index $SB_ARGS --table-size=1
  $ case $DB in
  > mysql) sql 'DO 0'; hold() { "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_USER" --batch \
  >      --unbuffered "$SB_MYSQL_DB"; } ;;
  > pgsql) hold() { PGAPPNAME='a
  > tool' psql --no-psqlrc --host="$SB_PGSQL_HOST" --port="$SB_PGSQL_PORT" --username="$SB_PGSQL_USER" \
  >      --dbname="$SB_PGSQL_DB"; } ;;
  > esac
  $ said() { report get a.json verdict.why | sed -E 's/[0-9.]+ s for/N s for/; s/[0-9]+% of their/N% of their/
  >   s/p?id [0-9]+, (sbtest|a\?tool),/NAME,/; s/for [0-9]+ s\)/for N s)/; s/PgSleep|User sleep/NAME/; s/"//g
  >   s/(end it|PROCESS|lower the rate);? .*/\1/'; }
  $ masked() { sed -E 's/(id) [0-9]+, (sbtest|a\?tool),/\1 N, NAME,/; s/p(id N)/\1/; s/for [0-9]+ s/for N s/; s/ [0-9]+[.][0-9] s$/ N s/'; }
  $ run() { sysbench oltp_update_non_index $SB_ARGS --table-size=1 --threads=4 --tx-rate=40 --time=4 --report-interval=0.5 \
  >   --report-file=a.json --report-file=a.csv --server-status --report-style=full "$@" run >out 2>err; exited $?; cat err; }

A row that another session has locked, which then does nothing: for longer than the run.

  $ held() { rm -f over; (echo "BEGIN; UPDATE sbtest1 SET k = 1 WHERE id = 1; SELECT 'locked';"; until [ -e over ]; do sleep 0.05; done) |
  >   hold >held & holder=$!
  >   wait_for held locked; : >out; run >status & client=$!
  >   wait_for out '^\[' 8; : >over; wait $holder; wait $client; cat status; }
  $ case $DB in mysql) held
  >   said | grep -v "^transactions waited N s for row locks (Innodb_row_lock_time), .*, unless another session .* the PROCESS"
  >   grep -o '"server_status.lock_waited_s":"[^"]*"' a.json | tail -n 1 | grep -v "seeing what .* takes the PROCESS privilege"
  >   sed -n "/^ *n.a:/,/^$/p" out | tr -d "\n" | grep -c "waited for locks *(seeing what" | grep -v 1
  >   "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_ADMIN" \
  >     --execute="GRANT PROCESS ON *.* TO $SB_MYSQL_USER@localhost";; esac | sed '/^exit 0$/d'
  $ held
  $ said | sed 's/, most of it behind/, behind/'
  transactions waited N s for locks, N% of their time, behind another session (NAME, idle in transaction for N s); end it

The same as figures: in json, the text, its lines and csv.

  $ figure() { report get a.json "summary.server_status.$1"; }
  $ for f in lock_waited_s lock_waited_for_others_s; do figure $f | awk '$1 < 6'; done
  $ figure lock_blockers; figure lock_blocker | masked
  1
  "id N, NAME, idle in transaction for N s"
  $ sed -n '/waited for locks/,/the last of/p' out | masked
      waited for locks:                    N s
      of it for other sessions:            N s
      other sessions that blocked:         1
      the last of them:                    id N, NAME, idle in transaction for N s
  $ grep -c '^\[.* | waits [^|]* | .* lock_waited_for_others_s [0-9.]*$' out | awk '$1 < 2'
  $ head -n 1 a.csv | tr , '\n' | grep server_status_lock_[wb]; grep -c '"p*id [0-9]*, .*, idle in transaction for' a.csv | awk '$1 < 2'
  server_status_lock_waited_s
  server_status_lock_waited_for_others_s
  server_status_lock_blockers
  server_status_lock_blocker

Its own row, which each transaction holds for 50 ms.

  $ cat >hot.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    for _, q in ipairs{"BEGIN", "UPDATE sbtest1 SET k = k + 1 WHERE id = 1", os.getenv("SLEEP"), "COMMIT"} do con:query(q) end
  > end
  > END
  $ case $DB in mysql) export SLEEP="SELECT SLEEP(0.05)";; pgsql) export SLEEP="SELECT pg_sleep(0.05)";; esac
  $ sysbench hot.lua $SB_ARGS --threads=8 --tx-rate=40 --time=4 --report-file=a.json --server-status run >out; said
  transactions waited N s for row locks, N% of their time, most of it behind own transactions that waited for sleeps in their statements (NAME); take these out or lower the rate

The session that asks is none of the run's: no more than 8 are in the server.

  $ awk '/sessions in the server:/ { print ($5 <= 8 ? "as many as clients, or fewer" : $0) }' out
  as many as clients, or fewer

A lock that is no row's: PostgreSQL knows who holds it, and who is behind it in the end; MariaDB does not.

  $ case $DB in mysql) lock="SELECT GET_LOCK('a', 60)" known=null; export SLEEP="$lock, RELEASE_LOCK('a')" ;;
  > pgsql) lock="SELECT pg_advisory_lock(1)" known=1; export SLEEP="SELECT pg_advisory_xact_lock(1)" ;; esac
  $ rm -f over; : >out; (echo "$lock; SELECT 'locked';"; until [ -e over ]; do sleep 0.05; done) | hold >held & holder=$!
  $ wait_for held locked; sysbench hot.lua $SB_ARGS --threads=8 --tx-rate=40 --time=4 --report-interval=0.5 --report-file=a.json \
  >   --server-status run >out & client=$!
  $ wait_for out '^\[' 5; : >over; wait $holder; wait $client
  $ figure lock_waited_s | awk '$1 < 4'; figure lock_blockers | grep -vx $known
  [1]
  $ figure lock_waited_for_others_s | grep -c null | grep -vx "$(case $DB in mysql) echo 1;; *) echo 0;; esac)"
  [1]
  $ case $DB in mysql) sed -n "/^ *n.a:/,/^$/p" out | tr -s ' \n' ' ' |
  >   grep -c "of it for other sessions, other sessions that blocked.*(the server does not tell who holds";; *) echo 1;; esac
  1

Transactions that fail after a second of waiting: their time is told, too.

  $ case $DB in mysql) export LIMIT="SET innodb_lock_wait_timeout = 1" ;; pgsql) export LIMIT="SET lock_timeout = '1s'" ;; esac
  $ cat >fail.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() con:query(os.getenv("LIMIT")) end
  > function event() con:query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1") end
  > END
  $ rm -f over; : >out
  $ (echo "BEGIN; UPDATE sbtest1 SET k = 1 WHERE id = 1; SELECT 'locked';"; until [ -e over ]; do sleep 0.05; done) |
  >   hold >held & holder=$!
  $ wait_for held locked; sysbench fail.lua $SB_ARGS --threads=4 --tx-rate=40 --time=4 --report-interval=0.5 --report-file=a.json \
  >   --on-error=lock-wait:fail --server-status run >out & client=$!
  $ wait_for out '^\[' 6; : >over; wait $holder; wait $client
  $ n=$(report get a.json summary.transactions); sum=$(figure sessions_row_lock_s)
  $ figure row_lock_us_per_transaction | awk -v n=$n -v sum=$sum '$1 * n < 900000 * sum'
  $ grep -c '^ *failed or withdrawn, for each done:' out
  1

Statements that sleep from second 2 on, and wait for no lock.

  $ cat >sleep.lua <<'END'
  > local began = os.time()
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query(os.time() - began < 3 and "SELECT 1" or os.getenv("SLEEP")) end
  > END
  $ case $DB in mysql) export SLEEP="SELECT SLEEP(0.3)";; pgsql) export SLEEP="SELECT pg_sleep(0.3)";; esac
  $ sysbench sleep.lua $SB_ARGS --threads=4 --tx-rate=50 --time=8 --report-file=a.json --server-status run >out
  $ report get a.json verdict.why | sed -E 's/[0-9.]+ s for/N s for/; s/[0-9]+%/N%/; s/(User s|PgS)leep/SLEEP/'
  "transactions waited N s for sleeps in their statements (SLEEP), N% of their time; take these out or lower the rate"
