Names of older generations are still understood, and say what they are called now.

  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {}
  > local function show() local o = sysbench.opt print(o.threads, o.events, o.time) end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench show.lua "$@" show >out 2>err; echo "exit $?"; grep -v '^sysbench\|^$' out; cat err; }
  $ show --max-time=3 --num-threads=4 --max-requests=5
  exit 0
  WARNING: --num-threads is deprecated, use --threads instead
  WARNING: --max-requests is deprecated, use --events instead
  WARNING: --max-time is deprecated, use --time instead
  4\t5\t3 (esc)

They override the new name wherever they stand, but not with the value that means "not used".

  $ show --num-threads=4 --threads=2
  exit 0
  WARNING: --num-threads is deprecated, use --threads instead
  4\t0\t10 (esc)
  $ show --num-threads=1 --max-requests=0 --max-time=0 --threads=2 --events=6 --time=7
  exit 0
  2\t6\t7 (esc)

Whatever the verbosity.

  $ show --verbosity=0 --num-threads=4
  exit 0
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

--tx-rate is not an old name of --rate any more: it is the steady rate.

  $ show --tx-rate=100 --rate=100
  exit 1
  FATAL: --rate=100 and --tx-rate=100 cannot be combined
