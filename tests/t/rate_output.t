What the steady rate adds to the output: the end of the interval line, and blocks behind stock's.

  $ . "$TESTDIR/../include/rate.sh"; needs_mysql
  $ naps 1000 sleep.lua

The whole of it, figures masked.

  $ sysbench sleep.lua --tx-rate=50 --tx-spin=0 --time=2 --threads=2 --report-interval=1 run >out 2>err; exited $?
  $ cat err; grep '^Target' out
  Target transaction rate: 50/sec, even arrivals, jitter 0 usec
  $ # a late line takes the place of two
  > sed '1,/^Threads started/d; / sysbench stopped: /d; /^Incidents:/,/^$/d' out | unwrap |
  >   sed -E 's/ \(oldest [0-9.]+s\)//; s/^( *sustained:).*/\1/; s/^( *unfinished: *[0-9]+) .*/\1/' | mask |
  >   awk '!/^\[/ || !seen[$0]++' | brief
  
  [ Ns ] thds: N eps: N.NN lat (ms,N%): N.NN | offered N done N failed N dropped N unfinished N late N | ms: resp-pN N.NNN resp-pN N.NNN svc-pN N.NNN lag-pN N.NNN
  
  (General statistics, Latency, Threads fairness)
  
  Rate:
      target: N.NN per sec.
      achieved: N.NN per sec. (N.NNN% of target)
      offered: N
      done: N
      failed: N
      dropped: N
      unfinished: N
      late starts (over N ms): N
      transactions per thread: N to N
      ms                pN pN pN maximum       mean
      response N.NNN N.NNN N.NNN N.NNN N.NNN
      service N.NNN N.NNN N.NNN N.NNN N.NNN
      lag N.NNN N.NNN N.NNN N.NNN N.NNN
      sustained:
  
  Load generator: sysbench
      CPU, % of the whole system:          usr N.NN sys N.NN total N.NN
      CPU per transaction, us:             usr N.NN sys N.NN total N.NN
  

With --verbosity=4, and in text files, the block of a process is complete.

  $ sysbench sleep.lua --tx-rate=50 --time=1 --threads=2 --verbosity=4 --report-file=all.txt run >all
  $ sed -n '/^Load generator/,/^$/p' all | grep -v 'CPU quota' | mask # in a container with a quota
  Load generator: sysbench
      CPU, % of the whole system:          usr N.NN sys N.NN total N.NN
      CPU, % of one CPU:                   usr N.NN sys N.NN total N.NN
      CPU per transaction, us:             usr N.NN sys N.NN total N.NN
      context switches:                    voluntary N involuntary N (N.NN per transaction)
      threads: N
      RSS: N.N MiB
      page faults:                         minor N major N
      storage, bytes:                      read N written N
      waited for a CPU: N.NNN s, N.NN us per transaction, N.N% of runnable time
  
  $ sed -n '/^Load generator/,/^$/p' all >from_stdout; sed -n '/^Load generator/,/^$/p' all.txt | cmp - from_stdout

Line parsers that take the first word of their kind find stock's: behind it no key begins with min, avg or max, or comes twice.

  $ sysbench sleep.lua --tx-rate=50 --time=1 --report-interval=1 --host-stats --server=$$ run | grep '^\[.* thds: ' >line
  $ ! grep -E ' (min|avg|max)' line
  $ sed 's/.*reconn.s: [^ ]*//; s/[|:()]/ /g' line | tr ' ' '\n' | grep '^[a-z]' | grep -vx n/a | sort | uniq -d

The columns of the table of percentiles.

  $ sed -n -E '/^    (ms|response|service|lag) /s/[0-9]/9/gp' out | awk '{ print length($0) }' | uniq
  69
  $ grep -oE '^    ms .*' out
      ms                p50        p95        p99    maximum       mean

Figures that belong together: response = lag + service, the latency block shows the response time.

  $ awk -v r=$(series response mean) -v s=$(series service mean) -v l=$(series lag mean) -v a=$(figure avg) \
  >   'BEGIN { d = r - s - l; e = r - a; print (d * d < 1e-4 + r * r * 1e-6), (e * e < 1e-3 + r * r * 1e-3) }'
  1 1
  $ timed 1 100 $(series service p50)
  $ for what in response service lag; do
  >   echo $(series $what p50) $(series $what p95) $(series $what p99) $(series $what max)
  > done | awk '{ print ($1 <= $2 && $2 <= $3 && $3 <= $4) }' | uniq
  1

A database workload: the same behind the longer line; there is no server without a connection.

  $ sysbench oltp_read_only --mysql-dry-run --tx-rate=50 --tx-spin=0 --time=1 --report-interval=1 run >out; exited $?
  $ grep '^\[.* thds: ' out | sed 's/ (oldest [0-9.]*s)//' | mask | cut -d '|' -f 1-2
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s: N.NN reconn/s: N.NN | offered N done N failed N dropped N unfinished N late N 
  $ grep '^Server' out
  Server: n/a (no connection to the server has been seen)

A series without samples is n/a, not 0.

  $ naps 2500000 block.lua
  $ sysbench block.lua --tx-rate=0.5 --tx-spin=0 --time=1 --report-interval=1 run >out
  $ grep -oE 'ms: .* svc-p99 [^ ]*' out | head -n 1
  ms: resp-p50 n/a resp-p99 n/a svc-p99 n/a

A checkpoint report has stock's blocks; those about the rate come at the end.

  $ sysbench sleep.lua --tx-rate=50 --tx-spin=0 --time=2 --report-checkpoints=1 run >out; accounts
  $ grep -c '^General statistics' out; grep -c '^Rate:' out
  2
  1

A script's own final report replaces stock's blocks, not ours.

  $ echo 'function sysbench.hooks.report_cumulative(stat) print(stat.events) end function event() end' >hook.lua
  $ sysbench hook.lua --tx-rate=10 --tx-spin=0 --events=3 run | sed -n '/^[0-9]/p; /^General/p; /^Rate/p'
  3
  Rate:

Nothing of it below notices.

  $ sysbench sleep.lua --tx-rate=50 --tx-spin=0 --time=1 --report-interval=1 --verbosity=2 run
