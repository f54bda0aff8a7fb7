The search for the highest rate: a line for each step, the answer in every report, and what it cannot do.

  $ . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/report.sh"
  $ naps 20000 serial.lua

Two clients whose transactions take 20 ms or more do less than 100 a second, and one a second in any case.  (In a step during
which the machine stood still, nothing may be done: a search may find no rate then.)

  $ find() { sysbench serial.lua --threads=2 --tx-find='p50<10s' --tx-find=step=0.5 "$@" run >out 2>err; echo $?; cat err; }
  $ find --tx-rate=10 --report-interval=2 --report-file=a.json,a.jsonl,a.steps.csv,a.txt >got
  $ sed -n -E 's/^(step 1: 10\/s for )[0-9.]+ s \(brief\): p50 [0-9.]+ ms, lag p99 [0-9.]+ ms, done .*/\1/p' out >>got
  $ sed -n '/^Highest rate:/,/^$/p' out | sed -n -E 's/^    ([a-z ]+):.*/\1/p' | grep -v 'disputed\|not steady' | head -n 5 >>got
  $ timed_diff - got <<'END'
  > 0
  > step 1: 10/s for 
  > objective
  > steps
  > highest rate that held
  > lowest rate that failed
  > limit
  > END
  $ timed 20 120 "$(report get a.json summary.find.held_per_s)"
  $ ! grep 'ALERT\|^    sustained:' out

The accounts of all steps together balance, and the steps are the same in all files.

  $ for n in offered done failed dropped unfinished; do echo "$n=$(figure $n)"; done >counts; . ./counts
  $ [ "$offered" -eq $((done + failed + dropped + unfinished)) ] && report get a.json verdict.accounts_balance
  true
  $ steps=$(grep -c '^step ' out); echo $((steps - $(grep -c '"kind":"find_step"' a.jsonl))) $((steps + 1 - $(wc -l <a.steps.csv)))
  0 0
  $ valid a.json a.jsonl
  $ head -n 1 a.steps.csv
  step,rate_per_s,brief,begin_s,seconds,offered,done,failed,dropped,errors,waiting,lag_ms,server_busy_pct,client_busy_pct,p50_ms,holds,limit,why
  $ grep -c '^Highest rate:' a.txt
  1

No rate holds: exit status 3.  (--tx-strict=100: the bound decides, also where the machine stood still.)

  $ find --tx-find='p50<1ms' --tx-rate=10 --tx-strict=100
  3
  $ unwrap <out | grep -E '^    (highest rate that held|lowest rate that failed):' | sed -E 's/(p50) [0-9.]+/\1 N/; s/  +/ /g' >got
  $ timed_diff - got <<'END'
  >  highest rate that held: none
  >  lowest rate that failed: 4 tps (p50 N ms, not < 1.00 ms)
  > END

The CPU of a server that nobody reads: there is no run.

  $ find --tx-find='cpu<50%' --tx-rate=10
  1
  $ grep 'FATAL\|^step \|^Highest rate:\|Threads started' out
  FATAL: --tx-find=cpu<50% needs the server's CPU, which is n/a (the test uses no database); --server=PID names the process to read

That of a server that is named, until it ends: a step that lacks it is taken again, once.

  $ sleep 1000 >server.out 2>&1 & server=$!
  $ until grep -q sleep /proc/$server/comm; do sleep 0.01; done
  $ : >out; sysbench serial.lua --threads=2 --tx-find='p50<10s,cpu<50%' --tx-find=step=2 --tx-rate=10 --tx-strict=100 --server=$server \
  >   --report-file=b.json run >out 2>err & pid=$!
  $ wait_for out '^step 1'; kill $server; wait $pid; status=$?; cat err
  $ [ "$status" = $([ "$(report get b.json summary.find.confirmed)" -gt 0 ] && echo 0 || echo 3) ] || echo "exit $status"
  $ sed -n -E 's/^step 1: .* \(brief\): p50 [0-9.]+ ms, (server CPU 0.0 %), .*/\1/p' out >got
  $ grep -c ': not judged (server CPU n/a: sleep (pid [0-9]*) has ended)' out >>got
  $ printf 'server CPU 0.0 %%\n2\n' | timed_diff - got
  $ unwrap <out | grep -c -E '^ +ended early: +server CPU n/a: sleep \(pid [0-9]+\) has ended'
  1
  $ report get b.json summary.find.result summary.find.steps.-1.holds summary.find.steps.-1.limit summary.rate.target_per_s
  "unmeasured"
  null
  null
  null
  $ valid b.json

Ctrl-C: what is known is reported.

  $ : >out; sysbench serial.lua --threads=2 --tx-find='p50<10s' --tx-find=step=5 run >out 2>err & pid=$!
  $ wait_for out '^step 1'; kill $pid; wait $pid; echo $?; sed 's/after [0-9.]*/after N/' err
  143
  Interrupted (SIGTERM after N s of 300 s)
  $ unwrap <out | grep -c '^    ended early: .*the answer is what was known'
  1

What it cannot be.

  $ bad() { sysbench cpu "$@" --report-file=new.json run; echo $?; }
  $ bad --tx-find='p99<20'
  FATAL: Invalid value for --tx-find: 'p99<20' (a time needs a unit: us, ms or s)
  1
  $ bad --tx-find='p99<20ms,foo<3%'
  FATAL: Invalid value for --tx-find: 'foo<3%' (bounds such as p99<20ms, avg<=5ms, lag<1ms, errors<1%, errors<5/s or cpu<80%, joined by commas)
  1
  $ bad --tx-find='p99<20ms' --time=5
  FATAL: --time=5 is too short for --tx-find: 8 steps of 0.5 s take up to 6 s (--tx-find=step makes them shorter)
  1
  $ bad --tx-find='p99<20ms' --rate=5
  FATAL: --rate=5 and --tx-find cannot be combined; --tx-rate=N is where a search begins
  1
  $ bad --tx-find='p99<20ms' --tx-arrival=aligned
  FATAL: --tx-find cannot be used with aligned arrivals, whose rate cannot change (--tx-arrival=even or poisson)
  1
  $ bad --tx-find=steps=20
  FATAL: --tx-find=steps needs an objective: --tx-find='p99<20ms'
  1
  $ bad --tx-find='p99<20ms' --tx-find=step=0
  FATAL: Invalid value for --tx-find=step: 0 (allowed: 0.5 to 86400)
  1
  $ bad --tx-find='cpu<50%' | grep -v '^sysbench 1\|^$'
  FATAL: --tx-find=cpu<50% needs the server's CPU, which is n/a (the test uses no database); --server=PID names the process to read
  1
  $ sysbench serial.lua --tx-find='p99<1s,cpu<50%' --server=off --report-file=new.json run | grep FATAL
  FATAL: --tx-find=p99<1s,cpu<50% needs the server's CPU, which is n/a (--server=off); --server=PID names the process to read
  $ sysbench cpu --report-file=a.steps.csv run | grep FATAL
  FATAL: --report-file=a.steps.csv has a row for each step of a search: give --tx-find=OBJECTIVE too
  $ ls new.json 2>/dev/null
  [2]
