The grammar of the command line: options anywhere, as --name=value and in no other way; two positionals.

  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows_per_load = {"a number", 7}}
  > local function show()
  >    print(sysbench.opt.threads, sysbench.opt.percentile, sysbench.opt.rows_per_load, sysbench.opt.debug)
  > end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench "$@" >out 2>err; echo "exit $?"; tail -n +3 out; cat err; }

Options before, between and after the positionals; the last one of a name wins.

  $ show --threads=2 show.lua --percentile=50 show --rows-per-load=3
  exit 0
  2\t50\t3\tfalse (esc)
  $ show show.lua show --threads=2 --threads=5
  exit 0
  5\t95\t7\tfalse (esc)

Dashes and underscores in names are the same, upper and lower case are not, and there are no abbreviations.

  $ show show.lua show --rows_per_load=1
  exit 0
  1\t95\t1\tfalse (esc)
  $ show show.lua show --rows-per_load=2
  exit 0
  1\t95\t2\tfalse (esc)
  $ show show.lua show --Threads=2
  exit 1
  invalid option: --Threads=2; did you mean --threads?
  $ show show.lua show --thread=2
  exit 1
  invalid option: --thread=2; did you mean --threads?
  $ show show.lua show --no-debug
  exit 1
  invalid option: --no-debug; did you mean --debug=off?

A value belongs behind the equals sign.

  $ show --threads 2 show.lua show
  exit 1
  Unrecognized command line argument: 2; did you mean --threads=2?
  $ show show.lua show --threads 2
  exit 1
  Unrecognized command line argument: 2; did you mean --threads=2?

What begins with one dash is a positional, but for -h; two dashes alone are nothing.

  $ sysbench -h >out; echo $?
  0
  $ sysbench --help | cmp - out
  $ show show.lua -x
  exit 1
  Unknown command: -x; options begin with two dashes: see 'sysbench --help'
  $ show show.lua show --
  exit 1
  invalid option: --; see 'sysbench --help' and 'sysbench TEST --help'
  $ show show.lua show --=2
  exit 1
  invalid option: --=2; see 'sysbench --help' and 'sysbench TEST --help'

A third positional ends it before anything else, --help included.

  $ show show.lua show me
  exit 1
  Unrecognized command line argument: me (after the test 'show.lua' and the command 'show')
  $ wc -c <out
  0
  $ show show.lua show me --help
  exit 1
  Unrecognized command line argument: me (after the test 'show.lua' and the command 'show')

A bare switch is on; what is neither on nor off is refused.

  $ for v in "" =on =true =1 =off =false =0; do sysbench show.lua --debug$v show | tail -n 1 | cut -f 4; done
  true
  true
  true
  true
  false
  false
  false
  $ for v in = =yes =ON =2 =maybe; do show show.lua show --histogram$v; done
  exit 1
  invalid option: --histogram= (allowed: on, off)
  exit 1
  invalid option: --histogram=yes (allowed: on, off)
  exit 1
  invalid option: --histogram=ON (allowed: on, off)
  exit 1
  invalid option: --histogram=2 (allowed: on, off)
  exit 1
  invalid option: --histogram=maybe (allowed: on, off)

Options with too few dashes; the test or the command in a wrong place. Dashes that were typeset are no mistake
(legacy_options.t).

  $ show show.lua show -threads=2
  exit 1
  Unrecognized command line argument: -threads=2; did you mean --threads=2?
  $ show show.lua show threads=2
  exit 1
  Unrecognized command line argument: threads=2; did you mean --threads=2?
  $ show show.lua -t
  exit 1
  Unknown command: -t; options begin with two dashes: see 'sysbench --help'
  $ show show.lua -R300
  exit 1
  Unknown command: -R300; options begin with two dashes: did you mean --tx-rate?
  $ show show.lua show=2
  exit 1
  Unknown command: show=2; did you mean show?
  $ show show.lua --rows-per-load 3 show
  exit 1
  Unrecognized command line argument: 3; did you mean --rows-per-load=3?
  $ show show.lua show --rows-per-load 3
  exit 1
  Unrecognized command line argument: 3; did you mean --rows-per-load=3?
  $ show show.lua --debug show me
  exit 1
  Unrecognized command line argument: me (after the test 'show.lua' and the command 'show')
  $ show show.lua --time 5
  exit 1
  
  Unknown command: 5; did you mean --time=5?
  $ show --time 5 show.lua
  exit 1
  
  FATAL: Cannot find benchmark '5': no such built-in test, file or module; did you mean --time=5?
  $ show --time=5 --debug 5
  exit 1
  FATAL: Cannot find benchmark '5': no such built-in test, file or module; 'sysbench --help' lists the tests

Unknown names, in the words that were typed.

  $ show show.lua show --rows=1 --no-such-thing=2
  exit 1
  invalid option: --rows=1; did you mean --rows-per-load?
  $ show show.lua show --no_such-Thing
  exit 1
  invalid option: --no_such-Thing; see 'sysbench --help' and 'sysbench TEST --help'
