Names of older generations are still understood, and say what they are called now.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {}
  > local function show() local o = sysbench.opt print(o.threads, o.events, o.time) end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench show.lua "$@" show >out 2>err; exited $?; grep -v '^sysbench\|^$' out; cat err; }
  $ show --max-time=3 --num-threads=4 --max-requests=5
  WARNING: --num-threads is deprecated, use --threads instead
  WARNING: --max-requests is deprecated, use --events instead
  WARNING: --max-time is deprecated, use --time instead
  4\t5\t3 (esc)

They override the new name wherever they stand, but not with the value that means "not used".

  $ show --num-threads=4 --threads=2
  WARNING: --num-threads is deprecated, use --threads instead
  4\t0\t10 (esc)
  $ show --num-threads=1 --max-requests=0 --max-time=0 --threads=2 --events=6 --time=7
  2\t6\t7 (esc)

Whatever the verbosity.

  $ show --verbosity=0 --num-threads=4
  WARNING: --num-threads is deprecated, use --threads instead
  4\t0\t10 (esc)

--test names the script; its command comes behind it.

  $ sysbench --test=show.lua show >out 2>err; echo $?; tail -n +3 out; cat err
  0
  1\t0\t10 (esc)
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  $ sysbench --num-threads=2 --test=nosuch --test=show.lua show >out 2>err; echo $?; tail -n 1 out; cat err
  0
  2\t0\t10 (esc)
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  $ sysbench show --test=show.lua 2>/dev/null | tail -n +3
  $ sysbench --test show.lua show 2>&1 >/dev/null
  invalid option: --test; see 'sysbench --help' and 'sysbench TEST --help'
  [1]

--tx-rate is not an old name of --rate any more: it is the steady rate. A run that asked for 1.0's ways, and gives it with no
option that 1.0 and 1.1 do not have, says so once on stderr, whatever the verbosity; stdout is as it would be without.

  $ echo 'function event() end' >noop.lua
  $ rated() { sysbench "$@" --tx-rate=100 --events=3 --threads=2 --report-interval=9 run 2>&1 >/dev/null; exited $?; }
  $ rated noop.lua
  $ export SYSBENCH_COMPAT=1.0; rated noop.lua
  NOTE: --tx-rate holds an even rate and adds lines to the reports (see sysbench-rate(7)); use --rate=N for the Poisson arrivals that it stood for in sysbench 1.0
  $ rated cpu --verbosity=0 --percentile=99 --histogram | cut -c1-16
  NOTE: --tx-rate 
  $ echo tx-rate=100 >old.cnf; sysbench --config-file=old.cnf noop.lua --events=3 run 2>&1 >/dev/null | cut -c1-16
  NOTE: --tx-rate 

Nothing is said with an option that is ours, on the command line or in a file, without a rate, or when nothing is run.

  $ for o in --tx-arrival=even --tx-burst=0 --server=off --think-time=1 --compat=1.0 --report-statements=off \
  >   --report-file=text:report --prepare-method=auto --idle-connections=0; do rated noop.lua $o; done | sort -u
  $ echo tx-jitter=10 >new.cnf; rated noop.lua --config-file=new.cnf
  $ sysbench noop.lua --tx-rate=0 --events=3 run 2>&1 >/dev/null
  $ sysbench cpu --tx-rate=5 help 2>&1 >/dev/null
  $ show --tx-rate=100
  1\t0\t10 (esc)
  $ sysbench noop.lua --tx-rate=1e-9 run >out 2>&1; exited $?; banner <out
  exit 1
  sysbench 1.0.20 (using system LuaJIT VERSION)
  
  FATAL: Invalid value for --tx-rate: 1e-9 (allowed: 0, or 1e-6 to 1e+09)

Both at once are one too many.

  $ show --tx-rate=100 --rate=100
  exit 1
  FATAL: --rate=100 and --tx-rate=100 cannot be combined
