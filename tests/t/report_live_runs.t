The live page when runs follow each other on one port, as those of the laboratory do: the rows of one never stand beside those of
another, and the first rows of the new run are not missing. A page that is paused keeps what it shows until it goes on.
With several load hosts it says
which ones are missing; with several database hosts it has a table of them, and none without. The verdict stays when the
program has gone. With a run inside, as --report-file=run.html writes it, the page shows that, also if the file was cut off; its
tables have all that the report has, also figures that the page was not told of.

  $ . "$TESTDIR/../include/common.sh"
  $ command -v node >/dev/null || skip 'no node'
  $ naps 1000 wait.lua
  $ sysbench wait.lua --tx-rate=100 --time=2 --report-interval=0.5 --server=off --label='env=</script><b>' \
  >   --report-file=run.html run >/dev/null
  $ grep -c '<script type="application/x-ndjson" id="run">' run.html; tail -n 1 run.html
  1
  </script>
  $ sed '1,/id="run">/d; $d' run.html >run.jsonl; grep '<' run.jsonl
  [1]
  $ head -n -1 run.jsonl >cut.jsonl
  $ node "$TESTDIR/../include/live_page.js" run.jsonl >whole
  $ node "$TESTDIR/../include/live_page.js" cut.jsonl | diff whole - | sed -n 's/^[<>] //p'
  wait.lua; Ended: completed; The whole run
  wait.lua; Ended: the file is not complete; The whole run
  $ cat whole
  run 1: live.json?after=0; 5 points of 1000; running
  run 2: live.json?after=5 live.json?after=0; 8 points of 2000; running
  no answer: live.json?after=8; 8 points of 2000; lost
  paused: live.json?after=8; 8 points of 2000; running
  run 3: live.json?after=9 live.json?after=9; 8 points of 2000; running
  resumed: live.json?after=9 live.json?after=0; 20 points of 3000; running
  several load hosts: live.json?after=20 live.json?after=0; 1 points of 4000; running
  2 load hosts
  several load hosts: live.json?after=1 live.json?after=1; 1 points of 4000; running
  3 load hosts, without rank 1 (load1, lost), rank 2 (load2, late)
  several database hosts: live.json?after=1 live.json?after=0; 1 points of 5000; running
  host | clients | latency p99, ms | connections | transactions | failed | errors | lost
  <b>db1</b>:3306 | 2 | 12.50 | 3 | 412 | 1 | 2 | 4
  db2:3306 | 0 | n/a | 0 | 0 | 0 | 0 | 0
  one database host: live.json?after=1 live.json?after=0; 1 points of 6000; running
  0 lines
  ended: live.json?after=1 live.json?after=0; 3 points of 7000; missed
  Ended: completed. Rate sustained: no, since stage 2: all 8 clients were busy
  gone: live.json?after=3; 3 points of 7000; missed
  Time by percentile: Response, Service, Lag; rising: true
  wait.lua; Ended: completed; The whole run
  4 points; env=</script><b>; Transactions, Response time p50, Response time p95, Response time p99, Lag p99, Unfinished, Ignored errors, Client CPU, Others' CPU
  12 charts drawn, 6 destroyed
  Highest rate
    result | found
    rate per s | holds | figures
    9 | yes | p99 10.00 ms
  Stages of the rate
    1: 100.0 to 101.0 s, 40:1s; held, but the server waited
    2: 200.0 to 201.0 s, 80:1s
    Figure | 1 | 2 | Change
    transactions | 100 | 200 | +100.0 %
    latency samples | 100 | 200 | +100.0 %
    latency p99, ms | 12.50 | 12.50 | +0.0 %
    latency p99.9, ms | 30* | 30* | +0.0 %
    latency p100, ms | 40 | 40 | +0.0 %
    rate lag p99, s | 0.0000300 | 1.50 | +4999900.0 %
    * of fewer samples than this percentile needs: the slowest of them
  Between marks
    Whole intervals, without those in which a mark came.
    1: 1.00 to 2.00 s, after first
    Figure | 1
    transactions | 1
    latency samples | 1
    latency p99, ms | 12.50*
    latency p99.9, ms | 30*
    latency p100, ms | 40
    rate lag p99, us | 30
    * of fewer samples than this percentile needs: the slowest of them
  Statements by kind
    kind | count | p99, ms
    <b> | 7 | 500*
    * of fewer samples than this percentile needs: the slowest of them
  Commands
    at, s | command | exit status
    1 | false | 1
  Load
    interval, s | 2
    elapsed, s | 2
    transactions per s | 2.50
  Rate
    offered, at least | 5
    target per s | 5
    new, % | 0.500
  Latency
    samples | 2000
    p99, ms | 12.50
    p99.9, ms | 30
    p100, ms | 40
  Server status
    Threads_running | 3
    n/a: waits (no privilege)
  Checkpoints
    1: 1.00 to 4.00 s
    Figure | 1
    interval, s | 3
    transactions | 12
  Server profile
    samples | 9
    n/a: files (none)
  Transactions2.50/snot held, target 5.00/s
  n/a: host (not asked for)
  Command FAILED: false (status 1)
  marks: first, second
  host: cpu.count | 2; Ended: completed. Rate sustained: not known: it may be chance, missed
