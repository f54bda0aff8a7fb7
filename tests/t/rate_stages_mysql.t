Stages on a real server: what each offers is exactly what was planned, and it achieves that, with the server's figures
of each.  A boundary is read when the thread gets the CPU: 10 ms late are 0.2 % of a stage of five seconds; later than
100 ms is a stall.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/report.sh"
  $ own_server
  $ sysbench oltp_point_select $args --table-size=1000 prepare >out
  $ sysbench oltp_point_select $args --table-size=1000 --threads=16 --tx-rate=200:5s,200-600:5s,600:5s,100:5s \
  >   --report-file=a.json,a.jsonl,a.stages.csv,a.om run >out 2>err; exited $?
  $ report agree a.json a.jsonl a.stages.csv a.om; report stages a.json | cut -d ' ' -f 1,2
  200:5s 1000
  200-600:5s 2000
  600:5s 3000
  100:5s 500
  $ achieved() { report get a.json stages.$1.figures.transactions_per_s; }
  $ timed 196 204 $(achieved 0); timed 392 408 $(achieved 1); timed 588 612 $(achieved 2); timed 98 102 $(achieved 3)
  $ for i in 0 1 2 3; do report get a.json stages.$i.figures.server.cpu_s | awk '{ print ($1 > 0) }'; done
  1
  1
  1
  1
  $ sed -n '/^Stages of the rate/,/^$/p' out | grep -c 'server CPU per transaction'
  2
