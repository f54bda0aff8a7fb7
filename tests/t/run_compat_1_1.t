--compat=1.1: the reports of 1.1, byte for byte but for the figures, and its defaults.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ echo 'function event() end' >noop.lua
  $ echo 'function event() return true end' >none.lua
  $ changed() { # ARGUMENT...: the lines of 1.0's output, figures masked, that are others with 1.1
  >   for v in 0 1; do sysbench "$@" --compat=1.$v run | sed '1d' | mask | brief >of_1.$v; done; diff of_1.0 of_1.1; }

What run_output.t shows of 1.0 but for one block. A run without events has no figures to mask, but for its time.

  $ for v in 0 1; do sysbench none.lua --compat=1.$v --rand-seed=42 --warmup-time=0 run |
  >   sed -E '1d; s/ [0-9]+\.[0-9]{4}s$/ 0.NNNNs/' >none_1.$v; done; diff none_1.0 none_1.1 | tr '<>' '-+'
  12,13c12,14
  - General statistics:
  -     total time:                          0.NNNNs
  ---
  + Throughput:
  +     events/s (eps):                      0.0000
  +     time elapsed:                        0.NNNNs

With a warm-up, and everything else that a header can have, it is the same.

  $ for v in 0 1; do sysbench none.lua --compat=1.$v --threads=2 --rate=10 --warmup-time=1 --time=5 --report-interval=2 \
  >   --report-checkpoints=4,2 --validate --forced-shutdown=3 run | sed -n '/^Running/,/^Warming/p' >header_1.$v
  > done; diff header_1.0 header_1.1; tail -n 1 header_1.1
  Warming up for 1 seconds...

The built-in tests and a database workload: what is 1.0's stands before the new block.

  $ for t in 'cpu --events=5' 'memory --memory-total-size=1M' 'threads --events=4' 'mutex --mutex-locks=10' \
  >   'oltp_read_write --mysql-dry-run --events=100'; do changed $t; done | grep '^[<>]' | sort | uniq -c | tr -s ' '
   5 < (General statistics, Latency, Threads fairness)
   5 > (Throughput, Latency, Threads fairness)

fileio has a report of its own in 1.1, and no fairness.

  $ files="--file-num=2 --file-total-size=1M"
  $ sysbench fileio $files prepare >prepared
  $ changed fileio $files --file-test-mode=rndrw --events=50 | sed -n 's/^> //p'
           read:  IOPS=N.NN N.NN MiB/s (N.NN MB/s)
           write: IOPS=N.NN N.NN MiB/s (N.NN MB/s)
           fsync: IOPS=N.NN
  Latency (ms):
           min: N.NN
           avg: N.NN
           max: N.NN
   Nth percentile: N.NN
           sum: N.NN
  $ sysbench fileio $files --compat=1.1 --file-test-mode=rndrd --time=2 --report-checkpoints=1 --report-interval=2 run |
  >   sed '1,/^Threads started/d' | grep -E '^(\[|[A-Z])' | mask
  [ Ns ] Checkpoint report:
  Throughput:
  Latency (ms):
  [ Ns ] reads: N.NN MiB/s writes: N.NN MiB/s fsyncs: N.NN/s latency (ms,N%): N.NNN
  Throughput:
  Latency (ms):

Events per second are the events since the last checkpoint by the time since then; the time elapsed counts from the start.

  $ echo 'ffi.cdef("int usleep(unsigned)") function event() ffi.C.usleep(10000) end' >sleep.lua
  $ sysbench sleep.lua --compat=1.1 --time=3 --report-checkpoints=2 run >out
  $ awk '/eps/ { eps = $3 } /elapsed/ { t = $3 + 0 } /number of events/ { n = $5; at = t - last; last = t
  >   d = eps * at / n; print (d > 0.99 && d < 1.01) }' out
  1
  1

Scripts see 1.1's version first; options that nobody declared are refused; a failed thread_init() is told in 1.1's words.

  $ cat >version.lua <<'END'
  > sysbench.cmdline.commands = {version = {function() print(sysbench.version, sysbench.version_string, sysbench.tx_version,
  >   sysbench.opt.rand_type) end}}
  > END
  $ for v in 1.0 1.1 ''; do sysbench version.lua --compat=$v version | tail -n 1 | tr '\t' ' '; done
  1\.0\.20 sysbench 1\.0\.20 \d+\.\d+\.\d+ special (re)
  1\.1\.0 sysbench 1\.1\.0 \d+\.\d+\.\d+ uniform (re)
  FATAL: --compat needs a value
  $ sysbench version.lua --compat=1.1 --rand-type=pareto version | tail -n 1 | cut -f 4
  pareto
  $ sysbench noop.lua --compat=1.1 --nobody=1 --events=1 run >/dev/null; echo $?
  invalid option: --nobody=1; see 'sysbench --help' and 'sysbench TEST --help'
  1
  $ sysbench noop.lua --nobody=1 --events=1 run >/dev/null; exited $?
  $ echo 'function thread_init() error("no") end function event() end' >init.lua
  $ sysbench init.lua --compat=1.1 run | grep FATAL
  FATAL: `thread_init' function failed: init.lua:1: no
  FATAL: Threads initialization failed!
  $ sysbench init.lua --compat=1.0 run | tail -n 1
  FATAL: Thread initialization failed!

--version and the first line are stock's of the generation; --verbose names ourselves.

  $ for v in '' --compat=1.0 --compat=1.1; do sysbench --version $v; sysbench cpu $v help | sed -n 1p; done 2>/dev/null
  sysbench 1.0.20
  sysbench 1\.0\.20 \(using system LuaJIT .*\) (re)
  sysbench 1.0.20
  sysbench 1\.0\.20 \(using system LuaJIT .*\) (re)
  sysbench 1.1.0
  sysbench 1\.1\.0 \(using system LuaJIT .*\) (re)
  $ sysbench --version >own; for v in 7 ''; do sysbench --version --compat=$v | cmp - own; done
  $ sysbench --version --verbose --compat=1.1 | sed -n 1,2p
  sysbench 1.1.0
  package: sysbench-tx \d+\.\d+\.\d+ (re)

--help: 1.1's default of --rand-type; the aliases of 1.0 are not listed, though accepted. The rest is the same.

  $ sysbench --help=all >help_1_0; sysbench --help=all --compat=1.1 >help_1_1
  $ diff help_1_0 help_1_1 | sed -n -E 's/^< +(.*)=.*(\[.*)/1.0: \1 \2/p; s/^> +(.*)=.*(\[.*)/1.1: \1 \2/p'
  1.0: --max-requests [0]
  1.0: --max-time [0]
  1.0: --num-threads [1]
  1.0: --rand-type [special]
  1.1: --rand-type [uniform]
  $ sysbench noop.lua --compat=1.1 --max-requests=3 run | grep -E 'WARNING|events:'
  WARNING: --max-requests is deprecated, use --events instead
      total number of events:              3

1.0 can be named, too.

  $ sysbench noop.lua --compat=1.0 --events=1 run | grep -cE '^General statistics:|total time:'
  2
