The cpu test: stock 1.0's output byte for byte but for the figures.

  $ . "$TESTDIR/../include/rate.sh"
  $ sysbench cpu run --events=20 --threads=2 >out 2>err; exited $?; cat err; sed 1d out | mask | brief
  
  Running the test with following options:
  Number of threads: N
  Initializing random number generator from current time
  
  
  Prime numbers limit: N
  
  Initializing worker threads...
  
  Threads started!
  
  CPU speed:
      events per second: N.NN
  
  (General statistics, Latency, Threads fairness)
  
  $ figure 'total number of events'
  20

The widths of the figures.

  $ sed -n -E 's/^( +events per second: )( *[0-9.]+)$/\1|\2|/p' out | awk '{ print length($0) }'
  33
  $ awk '/(min|avg|max|percentile|sum): / { print length($0) }' out | uniq
  53

Events per second are the events by the time.

  $ sysbench cpu run --events=500 --time=0 >out
  $ awk '/events per second/ { eps = $4 } /total time/ { t = $3 + 0 } /number of events/ { n = $5 }
  >   END { print (n == 500 && eps * t / n > 0.999 && eps * t / n < 1.001) }' out
  1

More detail, less.

  $ sysbench cpu run --events=1 --verbosity=4 | sed -n '/^Doing/,/^Init/p'
  Doing CPU performance benchmark
  
  Prime numbers limit: 10000
  
  Initializing worker threads...
  $ sysbench cpu run --events=1 --verbosity=2

What is refused.

  $ for v in 0 -5 '' ; do sysbench cpu run --cpu-max-prime=$v | tail -n +3; done
  FATAL: Invalid value of cpu-max-prime: 0. (at least 1)
  FATAL: Invalid value of cpu-max-prime: -5. (at least 1)
  FATAL: Invalid value of cpu-max-prime: 0. (at least 1)
  $ refused cpu run --cpu-max-prime=abc
  Invalid value for the 'cpu_max_prime' option: 'abc' (a whole number, such as 500, 10k or 1M, is needed)

Limits: nothing to do is done at once, and exactly so many events.

  $ sysbench cpu run --cpu-max-prime=1 --events=1000 --threads=3 >out; figure 'total number of events'
  1000

A forced shutdown: its own lines, then what was left.

  $ sysbench cpu run --cpu-max-prime=100000000 --time=1 --forced-shutdown=0 >out; exited $?; sed -n '/^FATAL/,/^General/p' out | mask
  exit 2
  FATAL: The --max-time limit has expired, forcing shutdown...
  CPU speed:
      events per second: N.NN
  
  Number of unfinished transactions on forced shutdown: N
  
  General statistics:
