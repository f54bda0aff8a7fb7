Before and after a change of the server in the middle of a run: the mark is in every report, and so is what the server did
on either side of it.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server -- --log-output=TABLE
  $ filled oltp_point_select $args --table-size=1000
  $ another() { wait_for a.jsonl '"kind":"interval"' $(($(grep -c '"kind":"interval"' a.jsonl) + $1)); }
  $ change() { root "SET GLOBAL general_log = $1"; echo "general_log = $1" >fifo; wait_for out "mark: general_log = $1"; another 6; }
  $ files=--report-file=a.json,a.csv,a.summary.csv,a.jsonl,a.hlog,a.prom,a.txt
  $ : >out; sysbench oltp_point_select $args --table-size=1000 --threads=4 --time=600 --tx-rate=200 --report-interval=0.2 \
  >   --server-events=default,syscalls --server-status --mark-on=fifo $files --raw-log=a.raw run >out 2>err & pid=$!
  $ wait_for out '^Threads started'; wait_for a.jsonl '"kind":"interval"' 3
  $ change 1; change 0; kill $pid; wait $pid; echo $?; cat err
  143

In all of them.

  $ mark='mark: general_log = [01]'; for f in out a.txt; do grep -o "$mark" $f; done
  mark: general_log = 1
  mark: general_log = 0
  mark: general_log = 1
  mark: general_log = 0
  $ valid a.json a.jsonl || [ $? = 80 ] || echo invalid; report agree a.json a.csv a.summary.csv a.jsonl a.prom
  > report phases a.json; report hlog a.hlog a.json; report raw a.raw a.json

Three phases, each with all figures; the table of the final report shows the same.

  $ report get a.json phases | python3 -c '
  > import json, sys
  > for p in json.load(sys.stdin):
  >     f = p["figures"]
  >     print([m["text"] for m in p["marks"]], f["transactions"] > 0, abs(f["reads"] - f["transactions"]) <= 4, '\
  > 'f["rate"]["response_p99_s"] > 0,
  >           f["rate"]["oldest_s"], f["server"]["cpu_s"] > 0, f["client"]["cpu_s"] > 0, "Threads_connected" in '\
  > 'f["server_status"], f["threads"])
  > '
  [] True True True None True True True None
  ['general_log = 1'] True True True None True True True None
  ['general_log = 0'] True True True None True True True None
  $ sed -n '/^Between marks/,/^$/p' out >text; sed -n '/^Between marks/,/^$/p' a.txt | diff text -
  $ report get a.json phases | python3 -c '
  > import json, sys
  > p = json.load(sys.stdin)
  > print("    %-37s" % "transactions:" + "".join(" %12d" % x["figures"]["transactions"] for x in p))
  > for i, x in enumerate(p):
  >     print("    %-37s%.3f to %.3f s" % ("%d:" % (i + 1), x["begin_s"], x["end_s"]) + "".join(", after " + m["text"] for m in x["marks"]))
  > ' | while IFS= read -r line; do grep -q -x -e "$line" text || echo "missing: $line"; done
  $ sed -n -E 's/^( +[0-9]:) +[0-9.]+ to [0-9.]+ s/\1/p' text
      1:
      2:, after general_log = 1
      3:, after general_log = 0
  $ for line in '[rl].* p99, ms' 'server CPU per transaction, us' 'load generator CPU/tx, us' context-switches/tx syscalls/tx
  > do grep -c -E "^    $line: +([0-9.]+ *){3}$" text; done | uniq -c | sed 's/^ *//'
  1 2
  4 1

What the server was told in the middle is what it did: it logged the statements of that time only.

  $ root "SELECT COUNT(*) > 0 FROM mysql.general_log WHERE command_type = 'Execute'"
  1
