Everything that telemetry reads, in the files for programs: the machine, events, the server's own counters, the record of the
surroundings.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ files=--report-file=a.json,a.summary.csv,a.jsonl,a.prom,a.om
  $ check() { valid a.json a.jsonl || [ $? = 80 ] || echo invalid; report agree a.json a.summary.csv a.jsonl a.prom a.om; }
  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 prepare >out; tail -n 1 out
  Creating a secondary index on 'sbtest1'...
  $ run() { sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 $files "$@" run >out 2>err; echo "exit $?"; cat err; check; }
  $ run --time=2 --threads=2 --report-interval=0.5 --host-stats --server-status --server-events=instructions:u,cycles:u,context-switches,page-faults
  exit 0
  $ python3 - <<'END'
  > import json
  > document = json.load(open("a.json"))
  > summary = document["summary"]
  > places = int(document["environment"]["server.variable.max_connections"] or 1e6)
  > host, events, status = (summary[n] for n in ("host", "server_events", "server_status"))
  > print("cpu", abs(sum(host["cpu_%s_pct" % n] for n in ("user", "system", "idle", "iowait", "stolen")) - 100) < 1)
  > print("memory", host["memory_free_bytes"] > 2 ** 20, host["cpus"] >= 1, host["context_switches_per_s"] > 0)
  > def reason(report, section, name):
  >     return report["missing"].get(section + "." + name, report["missing"].get(section))
  > if status["Queries"] is None: # a busy machine: the answer came too late
  >     print("status", "0.1 s" in reason(summary, "server_status", "Queries"), True)
  > else:
  >     print("status", status["Queries"] > summary["transactions"] * 0.9, 1 <= status["Threads_running"] <= places) # other files use the server, too
  > for report in document["intervals"] + [summary]:
  >     for section in ("host", "server_events", "server_status"):
  >         for name, value in (report[section] or {}).items():
  >             if value is None and not reason(report, section, name):
  >                 print("no reason for", section, name)
  > names = ["instructions:u", "cycles:u", "context-switches", "page-faults"]
  > print(list(events) == ["how"] + [n + e for n in names for e in ("", "_per_transaction", "_counted_pct")] + ["ipc", "transactions_per_billion_cycles"])
  > print(events["how"].split(" ")[0] in ("by", "not"), set(document["intervals"][0]["server_events"]) == set(events))
  > for n in names:
  >     if events[n]: # of the run's transactions, or of those between two readings that came late: others by more than a 50th
  >         of, all = events[n] / events[n + "_per_transaction"], summary["transactions"]
  >         if abs(of - all) > 1e-6 * all and abs(of - all) * 50 <= all:
  >             print(n, "per transaction of", of, "not", all)
  > END
  cpu True
  memory True True True
  status True True
  True
  True True

The record: our host, the server's process, its variables; what is not known is null with a reason.

  $ python3 - <<'END'
  > import json
  > e = json.load(open("a.json"))["environment"]
  > for key in ("host.kernel", "host.cpu.model", "client.command", "server.process", "server.command", "server.variable.version",
  >             "server.variable.max_connections", "server.variable.innodb_buffer_pool_size"):
  >     if not e[key] and not e["missing"].get(key):
  >         print("no", key)
  > print(isinstance(e["server.library"], list), [k for k, v in e.items() if isinstance(v, str) and v.startswith("n/a")])
  > print([k for k, v in e.items() if v is None and k not in e["missing"]])
  > END
  True []
  []
  $ python3 -c 'import json; d = json.load(open("a.json")); print(d["environment"]["host.kernel"] == d["run"]["environment"]["kernel"])'
  True

Passwords are in it nowhere.

  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=1000 --events=5 --pgsql-password=sesame --report-file=a.json,a.jsonl run >out 2>err; grep -l sesame a.json a.jsonl
  [1]

Without the options the sections are null, and there are no columns of events.

  $ run --events=10
  exit 0
  $ report get a.json summary.host summary.server_events summary.server_status
  null
  null
  null
  $ python3 -c 'import json; m = json.load(open("a.json"))["summary"]["missing"]; print(m["host"], m["server_events"], m["server_status"], sep="\n")'
  not asked for (--host-stats)
  not asked for (--server-events)
  not asked for, or there is no database (--server-status)
  $ head -n 1 a.summary.csv | tr , '\n' | grep -c 'server_events\|server_status'
  0
  [1]

A server that cannot be found, and its host that is not reached: null, with the reason.

  $ run --events=100 --server=off --server-events=page-faults
  exit 0
  $ python3 -c 'import json; s = json.load(open("a.json"))["summary"]; print(s["server_events"]["page-faults"], s["missing"]["server_events.page-faults"])'
  None the server's processes are not known
  $ run --time=1 --report-interval=0.5 --server-via=false --server-events=page-faults --host-stats
  exit 0
  $ python3 -c 'import json; s = json.load(open("a.json"))["summary"]; print(s["server_events"]["page-faults"], s["host"]["cpu_user_pct"], bool(s["missing"]["host.cpu_user_pct"]))'
  None None True
  $ sysbench oltp_point_select $SB_MYSQL_ARGS cleanup >out
