Reports while a run lasts: interval lines, checkpoints, warm-up, histogram.

  $ . "$TESTDIR/../include/report.sh"; needs_mysql
  $ naps 10000 sleep.lua

Interval lines: one a second, the last one included, each with the events of its interval.

  $ sysbench sleep.lua --threads=2 --time=2 --report-interval=1 run >out
  $ grep '^\[' out | mask | uniq
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  $ grep '^\[' out | cut -d ' ' -f 2 >got; printf '1s\n2s\n' | timed_diff - got
  $ timed -10 10 $(awk '/^\[/ { n += $7 } /number of events/ { print n - $5 }' out)
  $ ! sysbench sleep.lua --time=1 --report-interval=3 run | grep '^\['
  $ sysbench oltp_read_write --mysql-dry-run --time=1 --report-interval=1 run >out; grep '^\[' out | mask
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s: N.NN reconn/s: N.NN

Checkpoints: a full report at each, counters begin anew, the time goes on.

  $ sysbench sleep.lua --threads=2 --time=3 --report-checkpoints=2,1,0 --report-interval=2 run >out
  $ sed '1,/^Threads started/d' out | mask | brief
  
  [ Ns ] Checkpoint report:
  
  (General statistics, Latency, Threads fairness)
  
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  [ Ns ] Checkpoint report:
  (last message repeated N times)
  (General statistics, Latency, Threads fairness)
  
  (last message repeated N times)
  (General statistics, Latency, Threads fairness)
  
  $ grep '^\[' out | cut -d ' ' -f 2 >got; printf '1s\n2s\n2s\n' | timed_diff - got
  $ awk '/total time/ { print int($3 + 0.5) } /number of events/ { print $5 > "events" }' out >got; printf '1\n2\n3\n' | timed_diff - got
  $ while read n; do timed 20 210 $n; done <events
  $ sysbench oltp_read_write --mysql-dry-run --time=2 --report-checkpoints=1 run | grep -c '^SQL statistics'
  2

Warm-up: what it counted does not count, and the time after it is --time.

  $ sysbench sleep.lua --time=1 --warmup-time=1 --report-interval=1 run >out
  $ sed -n -e '/^Warmup/p' -e '/^Threads started/,/^\[/p' out | mask
  Warmup time: Ns
  Threads started!
  
  Warming up for N seconds...
  
  Warm-up [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  $ grep -c '^\[' out
  1
  $ timed 0.99 1.9 $(sed -n 's/.*total time: *\([0-9.]*\)s/\1/p' out)
  $ timed 20 103 $(sed -n 's/.*number of events: *//p' out)
  $ sysbench sleep.lua --threads=4 --events=20 --warmup-time=1 run | sed -n 's/.*number of events: *//p'
  20

Its intervals are shown, with a word before them, and enter no result: no file but the text, no hook.

  $ sysbench sleep.lua --time=1 --warmup-time=2 --report-interval=0.5 --tx-rate=20 --report-file=a.json,a.csv,a.txt run >out
  $ grep '\[' out >lines; grep '\[' a.txt | diff lines -
  > sed -n 's/^Warm-up \[ \([0-9]\.[0-9]\)s \] thds.*/\1/p' out >stamps; timed 4 4 $(wc -l <stamps)
  $ at=0; while read shown; do at=$(awk "BEGIN { print $at + 0.5 }"); timed $at $(awk "BEGIN { print $at + 0.1 }") "$shown"; done <stamps
  $ timed 19 22 $(sed -n 's/^Warm-up.* offered \([0-9]*\) .*/\1/p' out | awk '{ n += $1 } END { print n }')   # a ramp: half of them
  $ report sums a.json; report agree a.json a.csv; report get a.json summary.rate.total_offered
  20
  $ { cat sleep.lua; echo 'sysbench.hooks.report_intermediate = function(stat) print("hook") end'; } >hook.lua
  $ sysbench hook.lua --time=1 --warmup-time=1 --report-interval=1 run | grep -E 'hook|Warm-up'
  hook

1.1 shows nothing of a warm-up; with --tx-rate, which it has not, there is nothing to be like.

  $ ! sysbench sleep.lua --compat=1.1 --time=1 --warmup-time=1 --report-interval=1 run | grep Warm-up
  $ sysbench sleep.lua --compat=1.1 --time=1 --warmup-time=1 --report-interval=1 --tx-rate=20 run | grep -c Warm-up
  1

The histogram: before the final report, only buckets that hold something, 40 stars for the fullest.

  $ sysbench sleep.lua --threads=2 --events=50 --histogram run >out
  $ sed -n '/^Latency histogram/,/^General/p' out | sed -E 's/^ +[0-9]+\.[0-9]{3} \|.*/ROW/' | uniq | cat -e
  Latency histogram (values are in milliseconds)$
         value  ------------- distribution ------------- count$
  ROW$
   $
  $
  General statistics:$
  $ awk -F'|' '/\|/ { n += substr($2, 41); if (length($1) != 13) print "column of |" } END { print n }' out
  50
  $ grep '|' out | awk '{ n = gsub(/\*/, ""); if ($NF > most) { most = $NF; stars = n } if (n > 40) print n " stars" } END { print stars }'
  40
  $ echo 'function event() return true end' >none.lua
  $ sysbench none.lua --histogram run | sed -n '/^Latency histogram/,/^General/p' | cat -e
  Latency histogram (values are in milliseconds)$
   $
  $
  General statistics:$
  $ sysbench none.lua --histogram --verbosity=0 run

With --debug, two lines for each thread.

  $ sysbench sleep.lua --threads=2 --events=10 --debug run | sed '1,/^ *execution time/d' | mask
  
  DEBUG: Verbose per-thread statistics:
  
  DEBUG:     thread # N: min: N.NNNNs  avg: N.NNNNs  max: N.NNNNs  events: N
  DEBUG:                  total time taken by event execution: N.NNNNs
  DEBUG:     thread # N: min: N.NNNNs  avg: N.NNNNs  max: N.NNNNs  events: N
  DEBUG:                  total time taken by event execution: N.NNNNs
  

Intervals of less than a second, down to a tenth: their time stamps have the digits that it takes.

  $ sysbench sleep.lua --threads=2 --time=1 --report-interval=0.25 run >out; exited $?
  $ grep '^\[' out | mask | sed -E 's/(eps: |%\): )N\.NN?/\1X/g' | uniq; timed 4 4 $(grep -c '^\[' out)
  [ N.NNs ] thds: N eps: X lat (ms,N%): X
  $ sed -n 's/^\[ \([0-9]\.[0-9][0-9]\)s .*/\1/p' out >stamps; k=0; while read at; do
  >   k=$((k + 25)); in_range $(awk "BEGIN { print $k / 100 }") 60 $at; timed 0 $(awk "BEGIN { print $k / 100 + 0.1 }") $at; done <stamps
  $ grep second.s out
  Report intermediate results every 0.25 second(s)
  $ timed 1 1 $(awk '/^\[/ { n += $7 / 4 } /number of events/ { print (n <= $5 + 2 && n > $5 - 10) }' out)
  $ timed 10 10 "$(sysbench sleep.lua --time=1 --report-interval=0.1 run | grep -c '^\[ [01]\.[0-9]s \]')"
  $ sysbench sleep.lua --time=1 --report-interval=0.5 --report-checkpoints=1 run | sed -n 's/^\[ \(.*\)s \].*/\1/p' >stamps
  $ timed 3 3 $(wc -l <stamps); grep -v -x '[0-9]\.[0-9]' stamps; timed 0.5 0.6 $(head -n 1 stamps); in_range 1 60 $(tail -n 1 stamps)
  $ sysbench sleep.lua --report-interval=0.05 run 2>&1 | tail -n 1
  FATAL: Invalid value for --report-interval: 0.05 (allowed: 0, or 0.1 to 2147483647)
  $ cat >hook.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > function event() ffi.C.usleep(10000) end
  > sysbench.hooks.report_intermediate = function(stat)
  >   print(stat.kind, stat.time_decimals, stat.total.events >= stat.events, stat.latency and stat.latency.n)
  >   sysbench.report_csv(stat)
  >   sysbench.report_default(stat)
  > end
  > END
  $ sysbench hook.lua --time=1 --report-interval=0.5 run | sed -n '/^interval/,/^\[/p' | mask | head -n 3
  interval	N	true	nil (esc)
  N.N,N,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN,N.NN
  [ N.Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s N.NN reconn/s: N.NN
