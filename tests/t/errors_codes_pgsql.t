Errors by code of PostgreSQL, which has SQLSTATEs only; long statements in messages; a server that restarts.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/rate.sh"
  $ run() { sysbench "$@" $SB_PGSQL_ARGS run >out 2>err; exited $?; sed '/^NOTE/d' err; }
  $ cat >bulk.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("INSERT INTO nosuch VALUES ('" .. ("x"):rep(524288 - 30) .. "')") end
  > END
  $ run bulk.lua --threads=2
  exit 1
  $ wc -c <out | awk '{ print ($1 < 4000) }'
  1
  $ grep -m 1 '^FATAL: failed query was' out | sed 's/xx*/x/'
  FATAL: failed query was: INSERT INTO nosuch VALUES ('x... (524,288 bytes)
  $ run bulk.lua --threads=1 --verbosity=5
  exit 1
  $ grep 'failed query was' out | wc -c | awk '{ print ($1 > 524288) }'
  1

  $ cat >two.lua <<'END'
  > n = 0
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >   n = n + 1
  >   con:query(n % 3 == 1 and "DO $$ BEGIN RAISE 'a\127b\27c\nd' USING ERRCODE = '25006'; END $$" or
  >     n % 3 == 2 and "SELECT * FROM nosuch" or "SELECT 1")
  > end
  > END
  $ run two.lua --events=10 --pgsql-ignore-errors=all --report-interval=1 --report-file=a.json,a.prom
  $ figure 'ignored errors'
  20
  $ sed -n '/^Errors by code/,/^$/p' out | awk '/^ +[0-9]+ +[0-9]/ { $2 = $3 = ""; print }'
  10   read-only 25006: a b c; d
  10   missing 42P01: relation "nosuch" does not
  $ python3 - <<'END'
  > import json
  > for e in json.load(open("a.json", encoding="utf-8"))["summary"]["errors_by_code"]:
  >     print(e["code"], e["sqlstate"], e["class"], e["count"], e["text"][:20])
  > END
  None 25006 read-only 10 a b c; d
  None 42P01 missing 10 relation "nosuch" do
  $ grep '^sysbench_errors_by_code_total' a.prom | sed 's/{test="[^"]*",/{/'
  sysbench_errors_by_code_total{class="read-only",code="0",sqlstate="25006"} 10
  sysbench_errors_by_code_total{class="missing",code="0",sqlstate="42P01"} 10
