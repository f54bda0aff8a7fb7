What result files say: the schema, the same figures in all formats, their sums; built-in tests too.

  $ . "$TESTDIR/../include/report.sh"
  $ files=--report-file=a.json,a.summary.csv,a.jsonl,a.hlog,a.prom,a.om
  $ check() { checked agree a.json a.csv a.summary.csv a.jsonl a.prom a.om + hlog a.hlog a.json + sums a.json; } # of any run
  $ naps 1000 nap.lua
  $ run() {
  >   sysbench nap.lua --time=1 --threads=2 --report-interval=0.25 $files --report-file=a.csv "$@" run >out 2>err
  >   exited $?; cat err; check
  > }
  $ for o in '' --percentile=99.9,50,12.5 --percentile=0 '--tx-rate=100 --percentile=99.9' '--tx-rate=100 --warmup-time=1' \
  >   --rate=100 --compat=1.1; do run $o; done
  $ sysbench cpu --time=2 --report-interval=0.5 --report-checkpoints=1 --tx-rate=100 $files \
  >   --report-file=a.csv,a.checkpoints.csv run >out 2>err
  > exited $?; check; report agree a.json a.checkpoints.csv
  $ timed 90 199 $(report get a.json checkpoints.0.transactions)
  $ values a.json checkpoints.0.kind summary.kind summary.rate.total_offered end.status verdict.accounts_balance
  "checkpoint" "summary" 200 "completed" true

The schema is what the program's table says.

  $ fields=$(dirname "$(readlink -f "$(command -v sysbench)")")/report_fields
  $ [ ! -x "$fields" ] || "$SB_SOURCE/docs/schema/make-schema" --check "$fields"

Figures have all their digits, and are those of the text.

  $ sysbench cpu --time=1 --tx-rate=200 --percentile=50,99 --report-file=a.json run >out 2>err; exited $?
  $ report get a.json summary.rate.response_p99_s summary.threads.latency_max_s summary.latency.text_p99_s |
  >   awk '{ printf "%.9f ", $1 * 1000 }' >json
  $ awk '/^ +response/ { r = $4 } /max:/ { m = $2 } /99th/ { p = $3 } END { print r, m, p }' out | cat json - | tr '\n' ' ' |
  >   awk \
  >     'function far(a, b, digit) { return a - b > digit / 1.99 || b - a > digit / 1.99 } NF != 6 || far($1, $4, 0.001) || '\
  > 'far($2, $5, 0.01) || far($3, $6, 0.01)'
  $ report get a.json summary.rate.response_p50_s | grep -cE '[0-9]{3,}'
  1

Options as given and in effect, from wherever they came; passwords are hidden everywhere.

  $ echo 'pgsql-password=sesame' >options
  $ cat >own.lua <<'END'
  > sysbench.cmdline.options = {my_password = {"a secret", ""}, size = {"a size", 5}, flag = {"a flag", false}}
  > function event() end
  > END
  $ sysbench own.lua --events=10 --config-file=options --mysql-password=sesame --my-password=sesame --pgsql-db='dbname=a password=sesame' \
  >   --max-time=5 --flag --mysql-host=a,b --report-file=a.json --report-file=a.jsonl run >out 2>err; exited $?
  $ grep -l sesame a.json a.jsonl
  [1]
  $ values a.json $(for o in threads events time flag size mysql-host my_password pgsql-db verbosity
  >   do echo run.options.effective.$o; done)
  1 10 5 true 5 ["a", "b"] "***" "dbname=a password=***" 3
  $ values a.json run.options.given run.test run.command run.program
  {"events": "10", "time": "5", "max-time": "5", "report-file": "a.json,a.jsonl", "mysql-host": "a,b", "mysql-password": "***", "pgsql-password": "***", "pgsql-db": "dbname=a password=***", "flag": "on", "my_password": "***"} "own.lua" "run" "sysbench-tx"
  $ values a.json run.environment.cpus_online run.environment.kernel run.environment.luajit |
  >   grep -cxE '[0-9]+ "Linux [0-9].*" "LuaJIT [0-9].*"'
  1

What does not exist is null or empty, with a reason.

  $ values a.json summary.rate summary.missing.rate summary.missing.server verdict
  null "not asked for (--tx-rate, --rate)" "not asked for (--server)" null
  $ sysbench cpu --time=2 --tx-rate=0.1 --report-interval=0.25 --report-file=a.json,a.csv run >out 2>err; exited $?
  $ report agree a.json a.csv; values a.json intervals.-1.transactions intervals.-1.latency.p50_s
  0 null
  $ python3 -c 'import json; d = json.load(open("a.json")); print(d["intervals"][-1]["missing"]["latency.p50_s"])'
  no transaction ended in this period

  $ cat >hook.lua <<'END'
  > function event() end
  > sysbench.hooks.report_cumulative = function(stat) print(stat.kind, stat.server, stat.server_missing, stat.latency.n == stat.events) end
  > END
  $ sysbench hook.lua --events=10 --server=auto --report-file=a.json run | grep '^summary'; report get a.json summary.missing.server
  summary\tnil\tthe test uses no database\ttrue (esc)
  "the test uses no database"

Every built-in test.

  $ sysbench memory --memory-total-size=64M --report-file=a.json run >out 2>err; exited $?
  > values a.json run.test summary.transactions summary.written_bytes
  "memory" 65536 null
  $ for t in threads 'mutex --mutex-locks=100'
  > do sysbench $t --events=50 --time=1 $files run >out 2>err; exited $?; valid a.json a.jsonl || [ $? = 80 ]; done
  $ sysbench fileio --file-total-size=4M --file-num=4 prepare >out 2>err; exited $?
  $ sysbench fileio --file-total-size=4M --file-num=4 --file-test-mode=rndrw --time=1 --report-interval=0.5 $files \
  >   --report-file=a.csv run >out 2>err
  > exited $?; check
  $ report get a.json summary.reads summary.read_bytes | awk 'NR == 1 { n = $1 } NR == 2 { print (n > 0 && $1 == n * 16384) }'
  1
