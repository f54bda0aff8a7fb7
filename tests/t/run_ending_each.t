An error while the other clients wait for the server: two seconds later the report comes, with the accounts.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/$DB.sh"
  $ case $DB in mysql) sleep=SLEEP ;; pgsql) sleep=pg_sleep ;; esac; export sleep
  $ cp "$TESTDIR/../include/began.lua" .; cat >waits.lua <<'END'
  > local began = require("began")
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(tid)
  >    if tid == 0 then
  >       began.all(3)
  >       con:query("SELECT nonsense")
  >    else
  >       began.one(tid)
  >       con:query("SELECT " .. os.getenv("sleep") .. "(25)")
  >    end
  > end
  > END
  $ waits() {
  >   rm -f began.?
  >   sysbench waits.lua $SB_ARGS --threads=4 $(carried $1) --tx-rate=100 --tx-spin=0 --server=off run >out 2>err
  >   exited $?
  >   grep -E '^WARNING: [0-9]+ client' out; grep -c "^FATAL: .thread_run' function failed" out; accounts
  >   timed 2 15 $(figure 'total time'); figure failed
  >   sed -n -E 's/^ *unfinished: .* ([0-9]+ begun).*/\1/p' out; }
  $ each_way waits
  exit 1
  WARNING: 3 clients were still busy 2 s after the error that ends the run: the report does not wait for them
  1
  1
  3 begun
