The stages of a rate that changes: each has its accounts, its figures and its verdict, and together they are the run.

  $ . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/rate.sh"
  $ naps 2000 sleep.lua

Constant, ramp, more than four clients can do, a pause, and the rest of the run; in all files.  Half of what is planned
is enough to hold a stage, which four clients do not reach in the third, however fast the machine is.

  $ sysbench sleep.lua --threads=4 --tx-rate=100:1s,100-300:1s,5000:500ms,0:1.5s,50 --tx-spin=0 --tx-strict=50 --time=5 \
  >   --report-file=a.json,a.jsonl,a.stages.csv,a.om,a.txt run >out 2>err; timed 3 3 $?
  $ report agree a.json a.jsonl a.stages.csv a.om; report stages a.json >got; cut -d ' ' -f 1,2 got
  100:1s 100
  100-300:1s 200
  5000:500ms 2500
  0:1.5s 0
  50 50
  $ cut -d ' ' -f 3 got | tr '\n' ' ' >held; echo 'True True False None True ' | tr -d '\n' | timed_diff - held
  $ sed -n 's/^ *offered: *//p' out | head -n 1; timed 2800 2850 $(sed -n 's/^ *done: *//p' out | head -n 1)
  2850
  $ grep -o 'no, since stage 3 (5000:500ms): 4' out a.txt >since; report get a.json verdict.since_stage >>since
  > timed_diff - since <<'END'
  > out:no, since stage 3 (5000:500ms): 4
  > a.txt:no, since stage 3 (5000:500ms): 4
  > 3
  > END
  $ report get a.json verdict.sustained stages.2.planned_begin_s stages.2.planned_end_s stages.4.planned_end_s
  false
  2
  2.5
  null
  $ report get a.json stages.1.first_per_s stages.1.last_per_s stages.1.figures.rate.target_per_s
  100
  300
  200
  $ sed -n '/^ *target:/,/^ *achieved/p' out | sed '/achieved/s/[0-9][0-9.]*/N/g'
      target:                              570.00 per sec. on average (100:1s,
                                           100-300:1s, 5000:500ms, 0:1.5s, 50)
      achieved:                            N per sec. (N% of target)
  $ sed -n '/^Stages of the rate/,/^$/p' out | grep -E '^    (target|planned starts)|^  +[0-9] +[0-9]'
                                                       1            2            3
      target, per second:                         100.00       200.00      5000.00
      planned starts:                                100          200         2500
                                                       4            5
      target, per second:                           0.00        50.00
      planned starts:                                  0           50
  $ sed -n '/^Stages of the rate/,/^$/p' out | grep '^    rate held' >held; timed_diff - held <<'END'
  >     rate held:                                     yes          yes           no
  >     rate held:                                     n/a          yes
  > END
A program that looks for a line of the Rate block finds that one only.

  $ sed -n '/^Rate:/,/^$/s/^ *\([a-z][^:0-9]*:\).*/\1/p' out >labels; wc -l <labels; grep -oFf labels out | sort | uniq -d
  9
  $ accounts
  $ valid a.json a.jsonl || [ $? = 80 ] || echo invalid

With --tx-strict, a stage decides about the exit status, even if all was done in the end.  (One that was read late, on a
machine that stood still, is not known.)

  $ sysbench sleep.lua --threads=4 --tx-rate=100:1s,5000:100ms,0:1s --tx-strict run >out 2>err; timed 3 3 $?; timed 600 600 $(figure done)

A run that ends early has the stages that it reached; a number has none.

  $ sysbench sleep.lua --threads=4 --tx-rate=100:1s,200:1s,300 --time=1 --report-file=b.json run >out 2>err
  $ report get b.json stages | python3 -c 'import json, sys; print([x["text"] for x in json.load(sys.stdin)])'; ! grep '^Stages' out
  ['100:1s']
  $ sysbench sleep.lua --threads=4 --tx-rate=100 --time=1 --report-file=c.json,c.stages.csv run >out
  > grep -c '"stages"' c.json; wc -l <c.stages.csv
  0
  1
