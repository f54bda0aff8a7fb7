Statements by the server's time, with --server-status: what they took in the run, and a sentence where an index is missing.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ case $DB in
  > mysql) own_db --port=none -- --performance-schema=ON; may="GRANT SELECT ON performance_schema.* TO $user@localhost"
  >   mends="GRANT SELECT ON performance_schema.* for this user" analyze="ANALYZE TABLE t" drop="DROP INDEX i ON t" ;;
  > pgsql) own_db --port=none -- --shared-preload-libraries=pg_stat_statements; may="CREATE EXTENSION pg_stat_statements"
  >   mends="$may, and its name in shared_preload_libraries" analyze="ANALYZE t" drop="DROP INDEX i" ;;
  > esac
  $ root "CREATE TABLE t (nr INT PRIMARY KEY, customer INT, note CHAR(200)); CREATE INDEX i ON t (customer);
  >   INSERT INTO t VALUES (1, 1, 'x'); $(n=1; while [ $n -lt 10000 ]; do
  >   echo "INSERT INTO t SELECT nr + $n, customer + $n, note FROM t;"; n=$((2 * n)); done) $analyze" >/dev/null
  $ [ $DB = mysql ] || root "GRANT SELECT ON t TO $user"
  $ cat >s.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > sysbench.cmdline.options, n = {scan = {"events before the other statement, and a mark", 1e9}}, 0
  > function event()
  >   n = n + 1
  >   if n == sysbench.opt.scan then sysbench.mark("scan") end
  >   con:query("SELECT note FROM t WHERE " .. (n < sysbench.opt.scan and "nr" or "customer") .. " = " .. n)
  > end
  > END
  $ run() { sysbench s.lua $args --tx-rate=20 --time=3 --server-status --report-file=a.json "$@" run >out; }
  $ of() { report get a.json "summary.server_statements.$1"; }

Without the right to ask, or the extension: n/a, and what mends it.

  $ run; sed -n '/^Statements by/,/^$/p' out | tr -s ' \n' ' ' | sed "s/$mends/MENDS/"; echo
  Statements by the server's time: n/a: it takes MENDS* (glob)
  $ report get a.json summary.server_statements
  > report get a.json summary.missing | grep -o '"server_statements": "it takes [CG]' | tr CG M
  null
  "server_statements": "it takes M

With it: the statement of the run, as often as it was executed since the server first answered, none of the program's own, which
takes longer, and nothing to say.

  $ root "$may"; run '--server-query=all=SELECT count(*) FROM t WHERE note IS NOT NULL'
  $ of list | grep -o '"text": "[^"]*"' | tr -d '`' | sed 's/[$]1/?/'
  "text": "SELECT note FROM t WHERE nr = ?"
  $ [ "$(of list.0.calls)" -le 60 ] && [ "$(of list.0.calls)" -ge 1 ] || report get a.json summary.server_statements
  $ of conclusion; sed -n '/^Statements by/,/^$/p' out | grep -c '%'
  null
  1

One without an index is named, and since when: of each phase and each stage the statement with most of the time.  Both add
up to the run.

  $ root "$drop"; run --scan=80 --tx-rate=20:3s,20:3s --time=6 --report-interval=0.5
  > sed -n '/^Statements by/,/^$/p' out | tr -s ' \n' ' ' | grep -o '[0-9]*% of.*' | tr -d '`' |
  >   sed -E 's/^(9[0-9]|100)%/N%/; s/customer = [?$1]+/customer = X/; s/(examines|reads) [0-9]+,?[0-9]+ /\1 N /
  >   s/examines N rows/reads N buffers/'
  N% of the server's statement time is in SELECT note FROM t WHERE customer = X: it reads N buffers to return 1 row 
  $ of conclusion | grep -c 'WHERE .*customer.* = '
  1
  $ sed -nE 's/.*  ([12]: SELECT .*)/\1/p' out | tr -d '`' | sed 's/[$]1/?/' >got
  $ for of in stages phases; do for what in calls time_s; do
  >   values a.json summary.server_statements.$what $of.0.figures.server_statements.$what $of.1.figures.server_statements.$what
  > done; done 2>/dev/null | awk '{ print ($1 - $2 - $3) ^ 2 < 1e-12 }' >>got
  $ values a.json phases.0.figures.server_statements.conclusion phases.1.figures.server_statements.list.0.calls 2>&1 |
  >   sed 's/4[01]$/40/' >>got
  $ timed_diff - got <<'END'
  > 1: SELECT note FROM t WHERE nr = ?
  > 2: SELECT note FROM t WHERE customer = ?
  > 1: SELECT note FROM t WHERE nr = ?
  > 2: SELECT note FROM t WHERE customer = ?
  > 1
  > 1
  > 1
  > 1
  > null 40
  > END
