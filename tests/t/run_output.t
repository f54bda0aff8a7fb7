What a run prints, byte for byte but for the figures: with the options of 1.0 it is 1.0's output.

  $ . "$TESTDIR/../include/common.sh"
  $ echo 'function event() end' >noop.lua
  $ columns() { awk '/(min|avg|max|percentile|sum): / { print length($0) }' | uniq; }

The whole of it, figures masked.

  $ sysbench noop.lua --events=100 run >out 2>err; echo $?; cat err; sed '1,/^Init/d' out | mask | brief
  0
  
  
  Initializing worker threads...
  
  Threads started!
  
  
  (General statistics, Latency, Threads fairness)
  

Where the figures stand: the latencies end in column 53.

  $ columns <out
  53
  $ sed -n -E 's/^( *)[0-9.]+s?$/\1/; /total|fairness|\(avg/s/[0-9].*//p' out | awk '{ print length($0) }' | paste -sd ' '
  41 41 35 35

A run without events has no figures to mask, but for its time.

  $ cat >none.lua <<'END'
  > function init() print("init") end
  > function thread_init(tid) print("thread_init") end
  > function event() return true end
  > function thread_done(tid) print("thread_done") end
  > function done() print("done") end
  > END
  $ sysbench none.lua --rand-seed=42 run | sed -E '1d; s/[0-9]+\.[0-9]{4}s$/0.NNNNs/'
  
  init
  Running the test with following options:
  Number of threads: 1
  Initializing random number generator from seed (42).
  
  
  Initializing worker threads...
  
  thread_init
  Threads started!
  
  thread_done
  
  General statistics:
      total time:                          0.NNNNs
      total number of events:              0
  
  Latency (ms):
           min:                                    0.00
           avg:                                    0.00
           max:                                    0.00
           95th percentile:                        0.00
           sum:                                    0.00
  
  Threads fairness:
      events (avg/stddev):           0.0000/0.00
      execution time (avg/stddev):   0.0000/0.00
  
  done

The header with everything that can be in it.

  $ sysbench none.lua --threads=3 --rate=100 --report-interval=5 --report-checkpoints=30,5,20 --validate \
  >   --forced-shutdown=10 --time=60 --warmup-time=0 run | sed -n '3,/^Initializing worker/p'
  init
  Running the test with following options:
  Number of threads: 3
  Target transaction rate: 100/sec
  Report intermediate results every 5 second(s)
  Report checkpoint(s) at 5, 20, 30 seconds
  Validation checks: on.
  
  Initializing random number generator from current time
  
  Forcing shutdown in 70 seconds
  
  Initializing worker threads...
  $ for v in 5% '' 0 100% off OFF; do
  >   echo $v: $(sysbench none.lua --time=50 --forced-shutdown=$v run | sed -n 's/^Forcing shutdown //p')
  > done | paste -sd ';'
  5%: in 52 seconds;: in 52 seconds;0: in 50 seconds;100%: in 100 seconds;off:;OFF:
  $ sysbench none.lua --time=0 --events=1 --forced-shutdown=5 run | grep Forcing
  [1]
  $ sysbench none.lua --debug run | sed -n '5,7p'
  Number of threads: 1
  Debug mode enabled.
  

No percentile.

  $ sysbench noop.lua --percentile=0 --events=10 run >out; sed -n '/Latency/,/sum/p' out | mask
  Latency (ms):
           min: N.NN
           avg: N.NN
           max: N.NN
           percentile stats:               disabled
           sum: N.NN
  $ columns <out
  53

Other percentiles: always "th", always in their column.

  $ for p in 1 2 50 100; do sysbench noop.lua --events=10 --percentile=$p run >$p; grep percentile $p; columns <$p >>widths; done |
  >   sed 's/[0-9.]*$/N/; s/  *N/ N/'; uniq widths
            1th percentile: N
            2th percentile: N
           50th percentile: N
          100th percentile: N
  53

Figures that are known: 20 events of 20 ms in 2 threads.

  $ naps 20000 sleep.lua; . "$TESTDIR/../include/rate.sh"
  $ sysbench sleep.lua --events=20 --threads=2 run >out
  $ echo $(figure 'total number of events') $(figure 'events \(avg/stddev\)')
  20 10.0000
  $ timed 0.2 5 $(figure 'total time'); timed 20 100 $(figure min); timed 20 200 $(figure avg); timed 20 2000 $(figure max)
  $ timed 400 4000 $(figure sum); timed 0.2 2 $(figure 'execution time \(avg/stddev\)')
  $ awk -v sum=$(figure sum) -v avg=$(figure avg) 'BEGIN { d = sum / 20 - avg; print (d < 0.01 && d > -0.01) }'
  1
