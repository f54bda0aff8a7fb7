Result files of runs that do not end well.

  $ . "$TESTDIR/../include/report.sh"
  $ naps 1000 sleep.lua
  $ files=--report-file=a.json,a.jsonl,a.csv,a.summary.csv,a.hlog,a.prom,a.om,a.txt
  $ kinds() { python3 -c 'import json, sys
  > for line in open(sys.argv[1]): print(json.loads(line)["kind"])' "$1" | uniq -c |
  >   awk '{ print ($2 == "interval" ? "some" : $1), $2 }' | paste -sd ' '; }
  $ valid_all() { valid a.json a.jsonl || [ $? = 80 ] || echo invalid; }

A signal: all files are complete, and say so.

  $ : >out; sysbench sleep.lua --time=60 --report-interval=0.2 --tx-rate=200 $files --raw-log=a.raw run >out 2>err & pid=$!
  $ wait_for a.jsonl '"kind":"interval"' 3
  $ kill $pid; wait $pid; echo $?; sed "s/after [0-9.]* s/after N s/" err
  143
  Interrupted (SIGTERM after N s of 60 s)
  $ valid_all; kinds a.jsonl; values a.json end.status end.signal; tail -n 1 a.txt
  1 run 1 environment some interval 1 summary 1 histograms 1 end
  "interrupted" 15
  The run was ended by signal 15
  $ grep -c '^Interrupted (SIGTERM after [0-9.]* s of 60 s)$' out a.txt
  out:1
  a.txt:1
  $ report get a.json verdict.interrupted | sed 's/after [0-9.]* s/after N s/'
  "SIGTERM after N s of 60 s"
  $ report agree a.json a.csv a.summary.csv a.jsonl a.prom a.om; report hlog a.hlog a.json; report raw a.raw a.json
  > grep -c '^sysbench_run_active.* 0$' a.prom
  1

SIGKILL: everything up to the last interval, and all of it can be read.

  $ rm a.*
  $ : >out; sysbench sleep.lua --time=60 --report-interval=0.2 $files --raw-log=a.raw run >out 2>err & pid=$!
  $ wait_for a.jsonl '"kind":"interval"' 3; wait_for a.csv '^interval,' 3; wait_for a.hlog '^Tag=latency,' 3
  > wait_for a.txt '^\[' 3; wait_for a.om '^# EOF'
  $ { kill -KILL $pid; wait $pid; } 2>/dev/null; echo $?
  137
  $ valid_all; kinds a.jsonl; values a.json end.status summary histograms
  > echo $(tail -n 1 a.om) $(grep -c EOF a.prom) $(wc -l <a.summary.csv)
  1 run 1 environment some interval
  "running" null null
  # EOF 0 1
  $ [ $(grep -c '^interval,' a.csv) -ge 3 ] && [ $(grep -c '^Tag=latency,' a.hlog) -ge 3 ] && [ $(grep -c '^\[' a.txt) -ge 3 ]

A script that fails, a run that cannot begin, a forced shutdown.

  $ echo 'local n = 0; function event() n = n + 1; if n > 1000 then error("enough") end end' >fails.lua
  $ sysbench fails.lua --report-file=a.json,a.jsonl run >out 2>err; echo $? $(report get a.json end.status); valid_all
  1 "failed"
  $ echo 'function thread_init() error("no") end function event() end' >init.lua
  $ sysbench init.lua --report-file=a.json,a.jsonl run >out 2>err; echo $?; valid_all; values a.json end.status summary end.error
  1
  "failed" null "Thread initialization failed!"
  $ naps 20000000 slow.lua
  $ sysbench slow.lua --time=1 --forced-shutdown=0 --report-interval=0.5 --report-file=a.json,a.jsonl --raw-log=a.raw \
  >   run >out 2>err
  > echo $? $(values a.json end.status intervals.-1.transactions); valid_all
  2 "forced" 0
  $ sysbench sleep.lua --time=1 --tx-rate=5000 --tx-strict --report-file=a.json,a.jsonl run >out 2>err; echo $?; valid_all
  3
  $ values a.json end.status end.error verdict.sustained verdict.accounts_balance
  "completed" "the rate was not sustained" false true

A file that may not grow any more, as on a full disk: said once for each, the run goes on, the status says so, and what is there can
be read.

  $ cp "$TESTDIR/../data/lua-report/until.lua" .
  $ (trap '' XFSZ; ulimit -f 20
  >   sysbench until.lua --time=60 --report-interval=0.1 --report-file=a.json,a.jsonl,a.csv run >out 2>err; echo $?)
  1
  $ sort err # once more, after the report
  ALERT: 'a.csv' is incomplete: File too large
  ALERT: 'a.json' is incomplete: File too large
  ALERT: 'a.jsonl' is incomplete: File too large
  $ grep ALERT out | sort -u; grep -c 'total number of events' out
  ALERT: cannot write to 'a.csv': File too large; the run continues without it
  ALERT: cannot write to 'a.json': File too large; the run continues without it
  ALERT: cannot write to 'a.jsonl': File too large; the run continues without it
  1
  $ valid_all; values a.json end.status end.error
  "incomplete" "the file could not be written to its end"
  $ [ $(tail -c 1 a.csv | wc -l) = 1 ] && [ $(grep -c '^interval' a.csv) -ge 5 ] && [ $(grep -c ALERT out) = 3 ]

The other formats: what a log has is whole lines of whole histograms, the metrics are those of an earlier report and
whole, the text has whole lines, the raw log can be read up to where it was cut.

  $ rm -f a.*
  $ (trap '' XFSZ; ulimit -f 8; sysbench sleep.lua --time=4 --threads=4 --tx-rate=1000 --report-interval=0.1 \
  >   --report-file=a.hlog,a.txt,a.om --raw-log=a.raw run 2>err; echo $? >status) |
  >   cat >out
  > cat status
  1
  $ grep -h ALERT out | grep -v 'a.om\|a.txt' | sort -u
  ALERT: cannot write to 'a.hlog': File too large; the run continues without it
  ALERT: cannot write to 'a.raw': File too large; the run continues without it
  $ grep -c 'total number of events' out
  1
  $ tail -c 1 a.hlog | od -An -c | tr -d ' '
  \\n (esc)
  $ python3 "$TESTDIR/../include/cram_report_faults.py" "$TESTDIR/../include"
  True True
  True None
  $ tail -n 1 a.om 2>/dev/null | grep -v '^# EOF$'
  [1]
  $ for o in --report-file=summary-csv: --raw-log=
  > do sysbench sleep.lua --time=1 $o/dev/full run >out 2>err; echo $? $(grep ALERT out); done | uniq -c | tr -s ' '
   2 1 ALERT: cannot write to '/dev/full': No space left on device; the run continues without it

The files are removed during the run.

  $ echo 'function event() os.execute("rm -r folder") end' >remove.lua; mkdir folder
  $ sysbench remove.lua --events=1 --report-file=folder/a.json,folder/a.jsonl,folder/a.summary.csv \
  >   --raw-log=folder/a.raw run >out 2>err
  > echo $? $(sed -n "s/^ALERT: \('.*'\) was removed while the run wrote it: what it held is lost$/\1/p" out)
  1 'folder/a.raw' 'folder/a.json' 'folder/a.jsonl' 'folder/a.summary.csv'

Two runs into one file: the second is refused and empties none of its files. A run that was killed is in nobody's way.

  $ : >a.jsonl; sysbench sleep.lua --time=60 --report-interval=0.2 --report-file=a.jsonl --raw-log=a.raw run >out 2>err & pid=$!
  $ wait_for a.jsonl '"kind":"interval"'; echo kept >b.txt
  $ for o in --report-file=b.txt,a.jsonl --raw-log=a.raw; do sysbench sleep.lua --time=1 $o run 2>&1 | grep FATAL; done; cat b.txt
  FATAL: --report-file=a.jsonl: another run is writing to 'a.jsonl'
  FATAL: --raw-log=a.raw: another run is writing to 'a.raw'
  kept
  $ { kill -KILL $pid; wait $pid; } 2>/dev/null
  [137]
  $ sysbench sleep.lua --events=1 --report-file=a.jsonl run >out 2>err; exited $?; kinds a.jsonl | grep -o '1 end$'
  1 end

A FIFO waits for its reader, but not for ever.

  $ mkfifo read unread; (sleep 0.3; cat read >got) &
  > sysbench sleep.lua --events=1 --report-file=summary-csv:read run >out; exited $?; wait; wc -l <got
  2
  $ timeout 60 sysbench sleep.lua --events=1 --report-file=summary-csv:unread run >out 2>err; sed 's/ [89] s/ N s/' err; grep FATAL out
  Waiting up to N s for the reader of 'unread'
  FATAL: --report-file: 'unread' is a FIFO that nobody opened to read within 10 s

A reader that takes nothing at the end is named and waited for, but not for ever either.

  $ mkfifo slow; (sleep 3.5; exec cat) <slow >got & reader=$!
  $ sysbench threads --thread-yields=1 --events=40000 --raw-log=slow run >out 2>err; exited $?; wait $reader; sed 's/ [89] s/ N s/' err
  Waiting up to N s for the reader of 'slow'
  $ mkfifo never; sleep 60 <never & reader=$!
  $ sysbench threads --thread-yields=1 --time=1 --raw-log=never --report-file=a.json run >out 2>err; echo $?; kill $reader
  1
  $ sed 's/ [89] s/ N s/' err; grep -c '^General' out; report get a.json end.status
  Waiting up to N s for the reader of 'never'
  ALERT: 'never' is incomplete: its reader did not take all in time
  1
  "completed"
