--rate, as 1.0 has it: Poisson arrivals, latency with the time spent in the queue, a second interval line.

  $ . "$TESTDIR/../include/rate.sh"; needs_mysql
  $ naps 10000 sleep.lua

Its lines, and nothing of ours.

  $ sysbench sleep.lua --rate=50 --time=2 --threads=4 --report-interval=1 run >out; exited $?
  $ sed '1,/^Threads/d' out | mask | awk '!/^\[/ || !seen[$0]++' | brief    # a late line takes the place of two
  
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN
  [ Ns ] queue length: N concurrency: N
  
  (General statistics, Latency, Threads fairness)
  
  $ sysbench oltp_read_only --mysql-dry-run --rate=100 --time=1 --report-interval=1 run | grep '^\[' | mask
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s: N.NN reconn/s: N.NN
  [ Ns ] queue length: N, concurrency: N

On average the rate, and not always the same number.

  $ timed 50 160 $(figure 'total number of events')
  $ count() { sysbench sleep.lua --rate=200 --time=1 --threads=16 --rand-seed=$1 run | sed -n 's/.*number of events: *//p'; }
  $ for seed in 1 2 3 4; do count $seed; done | sort -u | awk 'END { print (NR > 1) }'
  1

Exactly as many events as asked for.

  $ sysbench sleep.lua --rate=1000 --events=57 --threads=4 run >out; figure 'total number of events'
  57

What waits in the queue counts as latency: 100 a second are wanted, one thread can do less than half of it.

  $ naps 25000 slow.lua
  $ sysbench slow.lua --rate=100 --time=2 --report-interval=1 run >out; exited $?
  $ # none between two events
  > sed -n -E 's/^\[ [0-9]+s \] queue length: ([0-9]+) concurrency: (.).*/\1 \2/p' out |
  >   awk '{ if ($1 > most) most = $1; if ($2 > busy) busy = $2 } END { print (most > 10), busy }'
  1 1
  $ timed 500 2200 $(figure max)
  $ timed 25 200 $(figure min)

A queue that is full ends the run: 131072 events, here in a third of a second.

  $ sysbench slow.lua --rate=500000 --time=20 run >out; echo $?
  1
  $ grep '^FATAL' out
  FATAL: The event queue is full. This means the worker threads are unable to keep up with the specified event generation rate
  $ timed 0.2 5 $(figure 'total time')

So does a rate that nobody can generate, in the built-in tests too, from the first moment: perhaps before an event is done.

  $ for t in cpu threads mutex memory slow.lua; do
  >   sysbench $t --rate=2000000000 --threads=2 --time=20 run >out
  >   echo $? $(sed -n 's/^Target.*rate: //p; s/ This means.*//; /^FATAL/p' out)
  >   timed 0 5 $(figure 'total time')
  > done | uniq -c | sed 's/^ *//'
  5 1 2000000000/sec FATAL: The event queue is full.
