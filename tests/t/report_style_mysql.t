Line, table and report with everything that can be asked for: what fits, and that they agree.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ unset COLUMNS
  $ sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 --table-size=1000 prepare >out; tail -n 1 out
  Creating a secondary index on 'sbtest2'...
  $ run() { sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 --table-size=1000 --threads=8 --time=2 --report-interval=1 "$@" run >out 2>err; echo "exit $?"; cat err; }
  $ everything="--tx-rate=100 --host-stats --server-events=default,syscalls --server-status --percentile=10,50,99.9 --workers=2 --report-statements"

The report of a rate and a server is at most 80 columns wide and 60 lines long, without a line of figures that cannot be had.

  $ run --tx-rate=100 --tx-jitter=0; sed -n '/^SQL statistics/,$p' out >report; awk 'length($0) > 80' report; in_range 40 60 $(wc -l <report)
  exit 0
  $ run $everything; sed -n '/^SQL statistics/,$p' out >report; awk 'length($0) > 80' report; unwrap <report | grep -v 'did not answer within 0.1 s' | grep -c '^    [^n].*:  *n/a'
  exit 0
  0
  [1]

The table at several widths: every row is as wide as its header, and no wider than the screen.

  $ rows() { awk '/^ *time s / { w = length($0); if (w > most) print "header of " w; next } w && /^$/ { exit } /^SQL/ { exit }
  >     w { n++; if (length($0) != w) print "row of " length($0) " under " w } END { print n > "n" }' most=$1 out; timed 2 2 $(cat n); }
  $ for w in 40 80 120 200 400; do COLUMNS=$w run --report-style=table $everything; rows $w; done
  exit 0
  exit 0
  exit 0
  exit 0
  exit 0

At 80 the first columns are there and the groups have begun; with room enough every group is.

  $ COLUMNS=80 run --report-style=table $everything; grep -m 1 ' time s ' out | grep -cE 'tps +p10 +p50 +p95 +p99 +late err/s +usr% +sys% +cpu% +[a-z]'
  exit 0
  1
  $ COLUMNS=600 run --report-style=table $everything --report-file=a.csv
  exit 0
  $ for c in csw/tx sysc/tx us% id% rd wr cpu run quer/s unfin cs/tx qps; do grep -m 1 ' time s ' out | grep -q " $c\( \|\$\)" || echo "no $c"; done
  $ grep -c 'more column' out
  0
  [1]

What it shows is what a file has.

  $ cat >compare.py <<'END'
  > import csv
  > lines = open("out").read().split("\n")
  > head = next(i for i, l in enumerate(lines) if " time s " in l)
  > names = [n for n in lines[head].replace("time s", "time_s").split()]
  > rows = [dict(zip(names, l.split())) for l in lines[head + 1:head + 3]]
  > files = [r for r in csv.DictReader(open("a.csv")) if r["kind"] == "interval"]
  > def near(shown, want, unit=1):
  >     want = float(want) * unit
  >     return abs(float(shown) - want) <= 0.006 * max(abs(want), 1)
  > for t, f in zip(rows, files):
  >     print(near(t["tps"], f["transactions_per_s"]), near(t["p99"], f["latency_p99_s"], 1e3), near(t["p99.9"], f["latency_p99_9_s"], 1e3),
  >           t["late"] == f["rate_late"], near(t["cs/tx"], f["server_switches_per_transaction"]), near(t["unfin"], f["rate_unfinished"]),
  >           near(t["sysc/tx"], f["server_events_syscalls_per_transaction"]) if "sysc/tx" in t else True, t["run"].replace("n/a", "") == f["server_status_Threads_running"]) # n/a: the server took more than 0.1 s to answer
  > END
  $ python3 compare.py | uniq
  True True True True True True True True

What this machine cannot count has no column, and a reason.

  $ COLUMNS=400 run --report-style=table --tx-rate=100 --server-events=cycles:u,page-faults --workers=1
  exit 0
  $ if grep -q '^n/a: server events tx/Gcyc, cyc:u/tx (' out; then grep -c '^ *time s .*cyc:u/tx' out; else grep -q '^ *time s .*cyc:u/tx' out && echo 0; fi
  0
  [1]
  $ sysbench oltp_read_only $SB_MYSQL_ARGS --tables=2 cleanup >out
