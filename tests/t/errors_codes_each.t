Errors by code: in the report, the files and the metrics; PostgreSQL has SQLSTATEs only.  Long statements in messages.

  $ . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/rate.sh"
  $ case $DB in
  > mysql) odd='SELECT \255\1\27[2J FROM' odd_code=1064.42000.other missing_code=1146.42S02.missing duplicate=1062
  >   raise() { echo "SIGNAL SQLSTATE '$2' SET MYSQL_ERRNO = $1, MESSAGE_TEXT = '$3'"; } ;;
  > pgsql) odd="DO \$\$ BEGIN RAISE 'a\\127b\\27c\\nd'; END \$\$" duplicate=23505
  >   odd_code=0.P0001.other missing_code=0.42P01.missing
  >   raise() { echo "DO \$\$ BEGIN RAISE '$3' USING ERRCODE = '$([ $1 = 1290 ] && echo 25006 || echo $2)'; END \$\$"; } ;;
  > esac
  $ run() { sysbench "$@" $SB_ARGS run >out 2>err; exited $?; sed '/^NOTE/d' err; }
  $ script() { # FILE TEXT...: the statements of its events, in turn
  >   file=$1; shift; echo 'n = 0 function thread_init() con = sysbench.sql.driver():connect() end' >$file
  >   echo 'function event() n = n + 1 con:query(texts[n % #texts + 1]) end texts = {' >>$file
  >   for text; do printf '"%s",\n' "$text"; done >>$file; echo '}' >>$file; }

A failing statement of half a megabyte is cut in the message of each client, and whole with --verbosity=5.

  $ cat >bulk.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("INSERT INTO nosuch VALUES ('" .. ("x"):rep(524288 - 30) .. "')") end
  > END
  $ run bulk.lua --threads=2
  exit 1
  $ in_range 1 2 $(grep -c 'for query\|failed query' out); in_range 1 4000 $(wc -c <out)
  $ grep -m 1 -E -o "(for|failed) query (was: )?.*" out | sed "s/xx*/x/; s/for query '\(.*\)'$/failed query was: \1/"
  failed query was: INSERT INTO nosuch VALUES ('x... (524,288 bytes)
  $ run bulk.lua --threads=1 --verbosity=5
  exit 1
  $ in_range 524289 600000 $(grep 'for query\|failed query' out | wc -c)

Two statements that fail each time, one of them with a text of any bytes; only ignored errors.

  $ script two.lua "SELECT 1" "$odd" "SELECT * FROM nosuch"
  $ run two.lua --events=10 --$DB-ignore-errors=all --report-interval=1 --report-file=a.json,a.jsonl,a.prom,a.om
  $ figure 'ignored errors'
  20
  $ sed -n '/^Errors by code/,/^$/p' out | grep -c -E "^ +10 +[0-9.]+ +[0-9.]+  (${odd_code##*.}|missing) "
  2
  $ tr -d '\n' <out | LC_ALL=C tr -d '[:print:]' | od -An -c | head -n 1
  $ of() { values a.json $(printf "summary.errors_by_code.$1.%s " code sqlstate class count) | sed 's/"//g; s/null/0/'; }
  $ (of 0; of 1; report agree a.json a.jsonl + balance a.json; report get a.json summary.outages) |
  >   sed "s/^$(echo $odd_code | tr . ' ')/ODD/; s/^$(echo $missing_code | tr . ' ')/MISSING/"
  ODD 10
  MISSING 10
  null
  $ ! grep -l -F '\u001b' a.json a.jsonl
  $ grep '^sysbench_errors_by_code_total' a.prom | sed 's/{test="[^"]*",/{/' >metrics
  > for c in $odd_code $missing_code; do echo $c | (IFS=. read code state class
  >   echo "sysbench_errors_by_code_total{class=\"$class\",code=\"$code\",sqlstate=\"$state\"} 10"); done | diff - metrics
  $ valid a.json a.jsonl || [ $? = 80 ] || echo invalid

A run without an error, and one with errors that stock ignores without a word, have no such block.

  $ script good.lua "SELECT 1"; run good.lua --events=3; ! grep '^Errors\|^Outages' out
  $ script dead.lua "SELECT 1" "$(raise 1213 40001 victim)"
  $ run dead.lua --events=3; grep -c '^Errors\|^Outages' out; figure 'ignored errors'
  0
  3
  $ run dead.lua --events=3 --tx-rate=100; sed -n '/^Errors by code/,/^$/p' out |
  >   sed -E 's/^ *3 *[0-9.]* *[0-9.]* /3 /; s/(deadlock 1213 \(40001\)|serialization 40001)/CODE/'
  Errors by code (times in s since the start):
         count     first      last  class and code
  3  CODE: victim
  

The verdict names what kept the rate from being held.

  $ script ro.lua "$(raise 1290 HY000 read-only)"; run ro.lua --threads=2 --tx-rate=100 --time=1 --$DB-ignore-errors=all
  $ unwrap <out | sed -n 's/^    sustained: *//p' |
  >   sed -E 's/[0-9]+\.[0-9]+ s/N s/; s/[0-9,]+ times/N times/; s/(1290 \(HY000\)|25006)/CODE/'
  no: no transaction succeeded for N s (read-only server: CODE N times); see Outages

Nothing was done: with a rate the accounts are reported; with stock's options alone only the files have them.

  $ script none.lua "SELECT * FROM nosuch"; run none.lua --threads=4 --tx-rate=1000 --tx-arrival=aligned --report-file=a.json,a.jsonl
  exit 1
  $ figure done; report balance a.json + agree a.json a.jsonl
  0
  $ values a.json verdict.sustained end.status summary.errors_by_code.0.class; in_range 1 4 $(figure failed)
  false "failed" "missing"
  $ values a.json summary.rate.total_offered summary.errors_by_code.-1.count >said; echo $(figure offered) $(figure failed) | diff said -
  $ run none.lua --threads=1 --report-file=a.json; sed -n '/started/,$p' out |
  >   sed -E 's/^(FATAL: ).*(SELECT \* FROM nosuch).*/\1\2/; /^FATAL: PQexec/d; s/errno.*/errno/'
  exit 1
  Threads started!
  
  FATAL: SELECT * FROM nosuch
  FATAL: `thread_run' function failed: none.lua:2: SQL error, errno
  $ report get a.json summary.transactions summary.errors_by_code.0.class summary.errors_by_code.0.count
  0
  "missing"
  1
