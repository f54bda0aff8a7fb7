Readings of the server that take longer than the interval of reports: said once, and nothing is made up.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ filled oltp_point_select $SB_MYSQL_ARGS --table-size=100

The way to the server's host takes a quarter of a second, reports are to come every tenth of one.

  $ cat >slow <<'END'
  > #!/bin/sh
  > "$@" | while IFS= read -r line; do
  >   case $line in end*) sleep 0.25;; esac
  >   printf '%s\n' "$line"
  > done
  > END
  $ chmod +x slow
  $ run() { sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=100 "$@" --report-file=a.json,a.csv run >out 2>err
  > exited $?; sed '/^Waiting up to/d' err; valid a.json || [ $? = 80 ]; report agree a.json a.csv; }
  $ run --time=3 --report-interval=0.1 --server-via=./slow --server=$SB_MYSQL_PID
  $ grep '^WARNING: Reading' out | sed -E 's/took [0-9.]+ s/took N s/'
  WARNING: Reading the server's figures took N s, longer than --report-interval=0.1: reports come less often, and each covers the time since the previous one
  $ report sums a.json + reasons a.json; in_range 1 14 $(grep -c '^interval,' a.csv)

A reading that never comes back in time is n/a with its reason, not that of another interval.

  $ sed 's/0.25/2/' slow >slower; chmod +x slower
  $ run --time=3 --report-interval=0.5 --server-via=./slower --server=$SB_MYSQL_PID
  $ python3 - <<'END'
  > import json
  > for i in json.load(open("a.json"))["intervals"]:
  >     cpu = i["server"] and i["server"]["cpu_s"]
  >     if cpu is not None or not [k for k in i["missing"] if k.startswith("server")]:
  >         print("CPU", cpu, i["missing"])
  > END
