The options of the steady rate: values that cannot be, and options that cannot be together.

  $ echo 'sysbench.cmdline.commands = {look = {function() print("fine") end}} function event() end' >look.lua
  $ look() { timeout 20 sysbench look.lua "$@" look 2>&1 | grep -v '^sysbench .*(using \|^$'; }
  $ rated() { look --tx-rate=10 "$@"; }

One of the mistakes with each: one sentence with the option, the value, and what is allowed.  (plan_test.c has the others.)

  $ for v in -1 nan 1e-7; do look --tx-rate=$v; done
  FATAL: Invalid value for --tx-rate: -1 (allowed: 0 to 1000000000)
  Invalid value for the 'tx_rate' option: 'nan' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  FATAL: Invalid value for --tx-rate: 1e-7 (allowed: 0, or 1e-6 to 1e+09)
  $ for o in jitter=inf burst=1.5 max-lag=1e11 spin=nan strict=1%% arrival=Even overload=wait; do rated --tx-$o; done
  Invalid value for the 'tx_jitter' option: 'inf' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  Invalid value for the 'tx_burst' option: '1.5' (a whole number, such as 500, 10k or 1M, is needed)
  FATAL: Invalid value for --tx-max-lag: 1e11 (allowed: 0 to 3600000000)
  Invalid value for the 'tx_spin' option: 'nan' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  FATAL: Invalid value for --tx-strict: '1%%' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-arrival: 'Even' (allowed: even, poisson, aligned); did you mean even?
  FATAL: Invalid value for --tx-overload: 'wait' (allowed: queue, drop, abort)

What is fine.

  $ for v in 0 1e-6 0.1 2.5 1e3 100000 1e9; do look --tx-rate=$v; done | uniq -c | sed 's/^ *//'
  7 fine
  $ for o in jitter=0 jitter=0.5 jitter=3.6e9 burst=1 burst=2147483647 max-lag=0.5 max-lag=3.6e9 strict strict= strict=0 \
  >   strict=0.5 strict=5% strict=100 arrival=even arrival=poisson arrival=aligned; do rated --tx-$o; done | uniq -c | sed 's/^ *//'
  16 fine

An option that has no effect is a mistake of the user's.

  $ for o in jitter=1 arrival=poisson burst=1 overload=drop max-lag=1 spin=1 strict; do look --tx-$o; done |
  >   sed -n 's/^FATAL: --tx-\(.*\) needs a rate: --tx-rate=N$/\1/p' | tr '\n' ' '
  jitter arrival burst overload max-lag spin strict  (no-eol)
  $ look --tx-rate=0 --tx-jitter=5; look --rate=5 --tx-jitter=5
  FATAL: --tx-jitter needs a rate: --tx-rate=N
  FATAL: --tx-jitter needs a rate: --tx-rate=N

What contradicts itself.

  $ look --rate=5 --tx-rate=5
  FATAL: --rate=5 and --tx-rate=5 cannot be combined
  $ for o in overload=queue,burst=5 arrival=aligned,max-lag=5,overload=abort overload=drop overload=abort; do
  >   rated $(echo --tx-$o | sed 's/,/ --tx-/g'); done
  FATAL: --tx-overload=queue drops nothing and cannot be combined with --tx-burst or --tx-max-lag
  FATAL: --tx-max-lag cannot be used with aligned arrivals, which drop nothing
  FATAL: --tx-overload=drop needs a limit: --tx-burst=N or --tx-max-lag=MS
  FATAL: --tx-overload=abort needs a limit: --tx-burst=N or --tx-max-lag=MS

The header says what was asked for.

  $ header() { sysbench look.lua --events=1 "$@" run | sed -n 's/^Target transaction rate: //p'; }
  $ header --tx-rate=1000 --tx-spin=0; header --tx-rate=2500.5 --tx-arrival=poisson
  > header --tx-rate=1000000 --tx-jitter=0.5; header --tx-rate=1000 --tx-arrival=aligned --threads=4
  1000/sec, even arrivals, jitter 0 usec
  2500.5/sec, Poisson arrivals, jitter 0 usec
  1000000/sec, even arrivals, jitter 0.5 usec
  1000/sec, aligned arrivals, jitter 400 usec
