The options of the steady rate: values that cannot be, and options that cannot be together.

  $ echo 'sysbench.cmdline.commands = {look = {function() print("fine") end}} function event() end' >look.lua
  $ look() { timeout 20 sysbench look.lua "$@" look 2>&1 | grep -v '^sysbench .*(using \|^$'; }
  $ rated() { look --tx-rate=10 "$@"; }

Each of them with what it might be given by mistake: one sentence with the option, the value, and what is allowed.

  $ for v in -1 -0.001 nan inf 1e10 ten 5/s 10T 1e-7 '1 0' 0x; do look --tx-rate="$v"; done
  FATAL: Invalid value for --tx-rate: -1 (allowed: 0 to 1000000000)
  FATAL: Invalid value for --tx-rate: -0.001 (allowed: 0 to 1000000000)
  Invalid value for the 'tx_rate' option: 'nan' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  Invalid value for the 'tx_rate' option: 'inf' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  FATAL: Invalid value for --tx-rate: 1e10 (allowed: 0 to 1000000000)
  Invalid value for the 'tx_rate' option: 'ten' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  Invalid value for the 'tx_rate' option: '5/s' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  Invalid value for the 'tx_rate' option: '10T' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  FATAL: Invalid value for --tx-rate: 1e-7 (allowed: 0, or 1e-6 to 1e+09)
  Invalid value for the 'tx_rate' option: '1 0' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  Invalid value for the 'tx_rate' option: '0x' (a number, such as 0.5, 10k or 1M, stages, such as 500:60s,900:60s, or a trace, such as @noon.csv, is needed)
  $ for v in -1 nan inf 1e11; do rated --tx-jitter="$v"; done
  FATAL: Invalid value for --tx-jitter: -1 (allowed: 0 to 3600000000)
  Invalid value for the 'tx_jitter' option: 'nan' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  Invalid value for the 'tx_jitter' option: 'inf' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  FATAL: Invalid value for --tx-jitter: 1e11 (allowed: 0 to 3600000000)
  $ for v in -1 1.5 nan 99999999999 many; do rated --tx-burst="$v"; done
  FATAL: Invalid value for --tx-burst: -1 (allowed: 0 to 2147483647)
  Invalid value for the 'tx_burst' option: '1.5' (a whole number, such as 500, 10k or 1M, is needed)
  Invalid value for the 'tx_burst' option: 'nan' (a whole number, such as 500, 10k or 1M, is needed)
  Invalid value for the 'tx_burst' option: '99999999999' (at most 2147483647)
  Invalid value for the 'tx_burst' option: 'many' (a whole number, such as 500, 10k or 1M, is needed)
  $ for v in -1 nan inf 1e11; do rated --tx-max-lag="$v"; done
  FATAL: Invalid value for --tx-max-lag: -1 (allowed: 0 to 3600000000)
  Invalid value for the 'tx_max_lag' option: 'nan' (a number of milliseconds, or a time such as 500us or 2s, is needed)
  Invalid value for the 'tx_max_lag' option: 'inf' (a number of milliseconds, or a time such as 500us or 2s, is needed)
  FATAL: Invalid value for --tx-max-lag: 1e11 (allowed: 0 to 3600000000)
  $ for v in -1 nan inf 1e7; do rated --tx-spin="$v"; done
  FATAL: Invalid value for --tx-spin: -1 (allowed: 0 to 1000000)
  Invalid value for the 'tx_spin' option: 'nan' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  Invalid value for the 'tx_spin' option: 'inf' (a number of microseconds, or a time such as 50us or 2ms, is needed)
  FATAL: Invalid value for --tx-spin: 1e7 (allowed: 0 to 1000000)
  $ for v in -1 nan inf 101 1%% one x5; do rated --tx-strict="$v"; done
  FATAL: Invalid value for --tx-strict: '-1' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: 'nan' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: 'inf' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: '101' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: '1%%' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: 'one' (a percentage from 0 to 100)
  FATAL: Invalid value for --tx-strict: 'x5' (a percentage from 0 to 100)
  $ for v in Even steady 'even ' even,poisson; do rated --tx-arrival="$v"; done
  FATAL: Invalid value for --tx-arrival: 'Even' (allowed: even, poisson, aligned); did you mean even?
  FATAL: Invalid value for --tx-arrival: 'steady' (allowed: even, poisson, aligned)
  FATAL: Invalid value for --tx-arrival: 'even ' (allowed: even, poisson, aligned); did you mean even?
  FATAL: Invalid value for --tx-arrival: 'even,poisson' (allowed: even, poisson, aligned)
  $ for v in Drop wait 0; do rated --tx-overload="$v"; done
  FATAL: Invalid value for --tx-overload: 'Drop' (allowed: queue, drop, abort); did you mean drop?
  FATAL: Invalid value for --tx-overload: 'wait' (allowed: queue, drop, abort)
  FATAL: Invalid value for --tx-overload: '0' (allowed: queue, drop, abort)

What is fine.

  $ for v in 0 1e-6 0.1 2.5 1e3 100000 1e9; do echo $v $(look --tx-rate=$v); done
  0 fine
  1e-6 fine
  0.1 fine
  2.5 fine
  1e3 fine
  100000 fine
  1e9 fine
  $ for v in 0 0.5 3.6e9; do rated --tx-jitter=$v; done
  fine
  fine
  fine
  $ for v in 1 2147483647; do rated --tx-burst=$v; done
  fine
  fine
  $ for v in 0.5 3.6e9; do rated --tx-max-lag=$v; done
  fine
  fine
  $ for v in '' =0 =0.5 =5% =100; do rated --tx-strict$v; done
  fine
  fine
  fine
  fine
  fine
  $ for v in even poisson aligned; do rated --tx-arrival=$v; done
  fine
  fine
  fine

An option that has no effect is a mistake of the user's.

  $ for o in jitter=1 arrival=poisson burst=1 overload=drop max-lag=1 spin=1 strict; do look --tx-$o; done
  FATAL: --tx-jitter needs a rate: --tx-rate=N
  FATAL: --tx-arrival needs a rate: --tx-rate=N
  FATAL: --tx-burst needs a rate: --tx-rate=N
  FATAL: --tx-overload needs a rate: --tx-rate=N
  FATAL: --tx-max-lag needs a rate: --tx-rate=N
  FATAL: --tx-spin needs a rate: --tx-rate=N
  FATAL: --tx-strict needs a rate: --tx-rate=N
  $ look --tx-rate=0 --tx-jitter=5
  FATAL: --tx-jitter needs a rate: --tx-rate=N
  $ look --rate=5 --tx-jitter=5
  FATAL: --tx-jitter needs a rate: --tx-rate=N

What contradicts itself.

  $ look --rate=5 --tx-rate=5
  FATAL: --rate=5 and --tx-rate=5 cannot be combined
  $ rated --tx-overload=queue --tx-burst=5
  FATAL: --tx-overload=queue drops nothing and cannot be combined with --tx-burst or --tx-max-lag
  $ rated --tx-overload=queue --tx-max-lag=5
  FATAL: --tx-overload=queue drops nothing and cannot be combined with --tx-burst or --tx-max-lag
  $ rated --tx-arrival=aligned --tx-burst=5
  FATAL: --tx-burst cannot be used with aligned arrivals, which drop nothing
  $ rated --tx-arrival=aligned --tx-max-lag=5 --tx-overload=abort
  FATAL: --tx-max-lag cannot be used with aligned arrivals, which drop nothing
  $ rated --tx-overload=drop
  FATAL: --tx-overload=drop needs a limit: --tx-burst=N or --tx-max-lag=MS
  $ rated --tx-overload=abort
  FATAL: --tx-overload=abort needs a limit: --tx-burst=N or --tx-max-lag=MS
  $ rated --tx-overload=abort --tx-max-lag=5
  fine
  $ rated --tx-overload=drop --tx-burst=5
  fine
  $ rated --tx-overload=queue
  fine

The header says what was asked for.

  $ header() { sysbench look.lua --events=1 "$@" run | grep '^Target'; }
  $ header --tx-rate=1000 --tx-spin=0
  Target transaction rate: 1000/sec, even arrivals, jitter 0 usec
  $ header --tx-rate=2500.5 --tx-arrival=poisson
  Target transaction rate: 2500.5/sec, Poisson arrivals, jitter 0 usec
  $ header --tx-rate=1000000 --tx-jitter=0.5
  Target transaction rate: 1000000/sec, even arrivals, jitter 0.5 usec
  $ header --tx-rate=1000 --tx-arrival=aligned --threads=4
  Target transaction rate: 1000/sec, aligned arrivals, jitter 400 usec
