Everything that telemetry reads, in the files for programs: the machine, events, the server's own counters, the record of the
surroundings.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ files=--report-file=a.json,a.summary.csv,a.jsonl,a.prom,a.om
  $ check() { checked agree a.json a.summary.csv a.jsonl a.prom a.om; }
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 $files "$@" run >out 2>err; exited $?; cat err; check; }
  $ run --time=2 --threads=2 --report-interval=0.5 --host-stats --server-status \
  >   --server-events=instructions:u,cycles:u,context-switches,page-faults
  $ report machine a.json + reasons a.json; python3 "$TESTDIR/../include/cram_report_telemetry_mysql.py"
  memory True True True
  status True True
  True
  True True

The record: our host, the server's process, its variables; what is not known is null with a reason.

  $ python3 "$TESTDIR/../include/cram_report_telemetry_mysql_2.py"
  True []
  $ python3 -c 'import json; d = json.load(open("a.json")); print(d["environment"]["host.kernel"] == d["run"]["environment"]["kernel"])'
  True

Passwords are in it nowhere.

  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 --events=5 --pgsql-password=sesame \
  >   --report-file=a.json,a.jsonl run >out 2>err
  > grep -l sesame a.json a.jsonl
  [1]

Without the options the sections are null, and there are no columns of events.

  $ run --events=10
  $ values a.json summary.host summary.server_events summary.server_status
  null null null
  $ report get a.json summary.missing.host summary.missing.server_events summary.missing.server_status | tr -d '"'
  not asked for (--host-stats)
  not asked for (--server-events)
  not asked for, or there is no database (--server-status, --server-waits)
  $ ! head -n 1 a.summary.csv | tr , '\n' | grep 'server_events\|server_status'

A server that cannot be found, and its host that is not reached: null, with the reason.

  $ run --events=100 --server=off --server-events=page-faults
  $ python3 -c \
  >   'import json; s = json.load(open("a.json"))["summary"]; print(s["server_events"]["page-faults"], '\
  > 's["missing"]["server_events.page-faults"])'
  None the server's processes are not known
  $ run --time=1 --report-interval=0.5 --server-via=false --server-events=page-faults --host-stats
  $ python3 -c \
  >   'import json; s = json.load(open("a.json"))["summary"]; print(s["server_events"]["page-faults"], '\
  > 's["host"]["cpu_user_pct"], bool(s["missing"]["host.cpu_user_pct"]))'
  None None True
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
