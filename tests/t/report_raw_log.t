Every transaction in a file: percentiles recomputed from it are the report's.

  $ . "$TESTDIR/../include/report.sh"
  $ cp "$TESTDIR/../data/lua-report/load.lua" .
  $ run() { sysbench load.lua --time=1 --report-file=a.json --raw-log=a.raw "$@" run >out 2>err; exited $?; cat err
  > report raw a.raw a.json; }
  $ for o in '' '--threads=8 --percentile=1,10,25,50,75,90,99.5,99.99,100' '--threads=4 --tx-rate=2000 --percentile=99.9' \
  >   '--threads=2 --tx-rate=20000' '--threads=4 --tx-rate=500 --tx-arrival=poisson --tx-max-lag=5' \
  >   '--threads=2 --rate=300' '--threads=100 --events=1000'; do run $o; done

A warm-up: its transactions, those begun in it, are in no figure, and every other one is in all of them.

  $ for o in 3 "16 --workers=1 --server=$$" '4 --tx-rate=3000 --tx-arrival=poisson'; do run --warmup-time=1 --threads=$o; done
  $ for o in 4 '1 --tx-rate=4000'
  > do run --warmup-time=1 --events=300 --time=60 --threads=$o; report get a.json summary.transactions; done | uniq -c | tr -s ' '
   2 300

Clients that have been granted a transaction in the warm-up begin it behind, but only five events are left for them.

  $ cp "$TESTDIR/../data/lua-report/slow.lua" .
  $ sysbench slow.lua --warmup-time=1 --threads=16 --events=5 --time=0 --report-file=a.json --raw-log=a.raw run >out
  $ report raw a.raw a.json; report get a.json summary.transactions
  5

Checkpoints: shortest and longest are of the transactions that the checkpoint counts, although others end while it is taken.

  $ naps 300 short.lua
  $ sysbench short.lua --tx-rate=10000 --time=4 --report-checkpoints=1,2,3 --host-stats --server=$$ \
  >   --report-file=a.json --raw-log=a.raw run >out
  $ report raw a.raw a.json

As fast as it gets: nothing is lost of what the file can take, and what is lost would be said.

  $ echo 'function event() end' >noop.lua
  $ sysbench noop.lua --threads=2 --events=300000 --report-file=a.json --raw-log=a.raw run >out 2>err; status=$?
  $ if [ $status = 0 ]
  > then
  >   report raw a.raw a.json
  > else
  >   grep -cE 'ALERT: --raw-log: [0-9]+ of [0-9]+ transactions are missing' out
  > fi | sed 's/^1$//' | grep .
  [1]

A FIFO that is full from the start, whose reader takes nothing: the wait is said, ends at its limit and at a signal.

  $ mkfifo full; python3 -c 'import os, time
  > fd = os.open("full", os.O_RDWR | os.O_NONBLOCK)
  > try:
  >    while os.write(fd, bytes(4096)): pass
  > except BlockingIOError: open("filled", "w").write("yes")
  > time.sleep(600)' & reader=$!
  $ wait_for filled yes
  $ timeout 120 sysbench cpu --events=5 --raw-log=full run >out 2>err; exited $?; sed 's/to [0-9]* s/to N s/' err
  exit 1
  Waiting up to N s for the reader of 'full'
  ALERT: 'full' is incomplete: its reader did not take all in time
  $ grep -c 'ALERT: cannot write to' out; sed -n 's|.*total number of events: *||p' out
  1
  5
  $ timeout --preserve-status -s TERM 2 sysbench cpu --events=5 --raw-log=full run >out 2>err; exited $?; kill $reader
  exit 143

A signal ends the run: of two readers that take nothing only one is waited for.

  $ mkfifo small less; : >out; rm -f filled; python3 -c 'import fcntl, os, time
  > for fd in [os.open(name, os.O_RDWR) for name in ("small", "less")]:
  >    fcntl.fcntl(fd, 1031, 8192)  # F_SETPIPE_SZ: the head of a document fits in, the whole does not
  > open("filled", "w").write("yes")
  > time.sleep(600)' & reader=$!
  $ wait_for filled yes
  $ env --default-signal=INT sysbench cpu --time=600 --report-file=json:small --report-file=json:less run >out 2>err & pid=$!
  $ wait_for out '^Threads started'; kill -s INT $pid; wait $pid; exited $?; sed -E 's/(to|after) [0-9.]+ s/\1 N s/' err; kill $reader
  exit 130
  Interrupted (SIGINT after N s of 600 s)
  Waiting up to N s for the reader of 'small'
  ALERT: 'small' is incomplete: its reader did not take all in time
  ALERT: 'less' is incomplete: a signal ended the wait for its reader

At the end of the run a signal ends the wait alone: what else there is to write is written.

  $ for s in INT TERM; do rm -f a.json err never; mkfifo never; sleep 600 <>never & reader=$!
  >   env --default-signal=$s sysbench threads --thread-yields=1 --events=60000 --raw-log=never --report-file=a.json run \
  >     >out 2>err & pid=$!
  >   wait_for err Waiting; kill -s $s $pid; wait $pid; exited $?; sed -n '/^ALERT/p' err
  >   sed -n 's|.*total number of events: *||p' out; report get a.json end.status; kill $reader
  > done
  exit 130
  ALERT: 'never' is incomplete: a signal ended the wait for its reader
  60000
  "completed"
  exit 143
  ALERT: 'never' is incomplete: a signal ended the wait for its reader
  60000
  "completed"
