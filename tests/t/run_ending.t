Whatever ends a run, it ends in bounded time, with a report of what was offered and with whole files.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/report.sh"
  $ naps 10000 sleep.lua
  $ begin() { : >out; sysbench "$@" run >out 2>err & pid=$!; wait_for out 'Threads started'; sleep 0.3; }
  $ ended() { wait $pid; exited $?; cat err; }
  $ how() { echo $(report get a.json end.status end.signal); }

An error while other clients block in a call: two seconds later the report comes without them.

  $ cp "$TESTDIR/../include/began.lua" .; cat >fails.lua <<'END'
  > ffi.cdef("unsigned sleep(unsigned);") local began = require("began")
  > function event(tid)
  >    if tid == 0 then began.all(2) error("enough") end began.one(tid)
  >    local left = 60 while left > 0 do left = ffi.C.sleep(left) end
  > end
  > END
  $ fails() {
  >   rm -f began.?; sysbench fails.lua --threads=3 $(carried $1) --tx-rate=200 --tx-spin=0 --report-file=a.json run >out; exited $?
  >   grep -E '^(FATAL|WARNING: [0-9]+ client)' out; accounts; how; timed 2 10 $(figure 'total time')
  >   sed -n -E 's/^ *unfinished: .* ([0-9]+ begun).*/\1/p; s/^ *failed: +/failed /p' out; }
  $ each_way fails
  exit 1
  FATAL: `thread_run' function failed: fails.lua:3: enough
  WARNING: 2 clients were still busy 2 s after the error that ends the run: the report does not wait for them
  "failed" null
  failed 1
  2 begun

The same while clients begin.

  $ sed -e 's/event/thread_init/' -e 's/began.all(2)/ffi.C.usleep(100000)/' -e '$a function event() end' fails.lua >init.lua
  $ init() {
  >   began=$(date +%s%N); timeout 50 sysbench init.lua --threads=3 $(carried $1) --report-file=a.json run >out; exited $?; how
  >   timed 2000 10000 $((($(date +%s%N) - began) / 1000000)); grep -E '^FATAL' out; }
  $ each_way init
  exit 1
  "failed" null
  FATAL: `thread_init' function failed: init.lua:3: enough
  FATAL: Thread initialization failed!

The terminal goes away: as SIGTERM does, but not under nohup.

  $ begin sleep.lua --tx-rate=100 --tx-spin=0 --time=60 --report-file=a.json; kill -HUP $pid; ended; accounts; how
  exit 129
  "interrupted" 1
  $ cat >until.lua <<'END' # the run ends, as it would in time, when there is a file "stop"
  > ffi.cdef("int usleep(unsigned);")
  > function event() ffi.C.usleep(10000) return io.open("stop") ~= nil end
  > END
  $ : >out; nohup sysbench until.lua --time=60 run >out 2>err & pid=$!
  $ wait_for out 'Threads started'; kill -HUP $pid; sleep 0.2; : >stop; wait $pid; exited $?; grep -c '^General' out; rm stop
  1

Signals that mean nothing here are ignored, each with one line.

  $ for s in USR1 USR2 ALRM; do
  >   : >err; begin until.lua --time=60; kill -$s $pid; kill -$s $pid; wait_for err "SIG$s"; kill -$s $pid; : >stop
  >   ended; grep -c '^General' out; rm stop
  > done | paste -sd ' '
  sysbench: SIGUSR1 is ignored; with --mark-on=SIGUSR1 it would set a mark 1 sysbench: SIGUSR2 is ignored 1 sysbench: SIGALRM is ignored 1
  $ begin until.lua --time=60 --report-interval=0.2 --mark-on=SIGUSR1; kill -USR1 $pid; wait_for out 'mark: SIGUSR1'
  > : >stop; ended; grep -c 'mark: SIGUSR1' out; rm stop
  1

A script's own alarm is the script's.

  $ cat >alarm.lua <<'END'
  > ffi.cdef("int usleep(unsigned); unsigned alarm(unsigned); void *signal(int, void *);")
  > function init() ffi.C.signal(14, ffi.cast("void *", 1)) ffi.C.alarm(1) end
  > function event() ffi.C.usleep(1000) end
  > END
  $ begin alarm.lua --time=2; ended

Commands of --at get the system's signals.

  $ sysbench until.lua --time=60 --at=0.1 '--do=cat /proc/self/status >signals; : >stop' run >out; rm stop
  > grep -c '^Sig' signals | awk '$1 < 4'
  $ # the C library keeps 32 and 33
  > python3 -c \
  >   'for l in open("signals"): n, _, v = l.partition(":"); n in ("SigIgn", "SigCgt") and print(n, int(v, 16) & 0x7fffffff)'
  SigIgn 0
  SigCgt 0

A reader that goes away, at each stage: the files are finished.

  $ stage() { \
  >   (sysbench sleep.lua --time=30 --report-interval=1 --report-file=a.json,a.csv run 2>err; echo "exit $?" >status) \
  >   | sed "$1" >seen
  > echo $(cat status err; how); }
  $ stage 1q
  exit 141 "interrupted" 13
  $ stage '/^\[ /q'; grep -c '^interval' a.csv >n; timed 2 4 $(cat n)
  exit 141 "interrupted" 13
  $ (sysbench sleep.lua --tx-rate=50 --tx-spin=0 --time=1 --report-file=a.json,a.txt run 2>err; echo "exit $?" >status) \
  >   |
  >   sed '/^Threads started/q' >seen
  > echo $(cat status err; how); accounts a.txt
  exit 141 "completed" null
  $ (sysbench sleep.lua --time=30 --report-interval=1 --report-file=jsonl:-,b.json run 2>err; echo "exit $?" >status) |
  >   sed 1q >seen
  > echo $(cat status err; report get b.json end.signal)
  exit 141 13
