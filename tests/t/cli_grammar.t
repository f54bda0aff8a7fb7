The grammar of the command line: options anywhere, as --name=value and in no other way; two positionals.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows_per_load = {"a number", 7}}
  > local function show()
  >    print(sysbench.opt.threads, sysbench.opt.percentile, sysbench.opt.rows_per_load, sysbench.opt.debug)
  > end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench "$@" >out 2>err; exited $?; tail -n +3 out; cat err; }

Options before, between and after the positionals; the last one of a name wins.

  $ show --threads=2 show.lua --percentile=50 show --rows-per-load=3
  2\t50\t3\tfalse (esc)
  $ show show.lua show --threads=2 --threads=5
  5\t95\t7\tfalse (esc)

Dashes and underscores in names are the same, upper and lower case are not, and there are no abbreviations.

  $ show show.lua show --rows_per_load=1; show show.lua show --rows-per_load=2
  1\t95\t1\tfalse (esc)
  1\t95\t2\tfalse (esc)
  $ for o in Threads=2 thread=2 no-debug rows=1 no_such-Thing =2 ''; do refused show.lua show --$o; done
  invalid option: --Threads=2; did you mean --threads?
  invalid option: --thread=2; did you mean --threads?
  invalid option: --no-debug; did you mean --debug=off?
  invalid option: --rows=1; did you mean --rows-per-load?
  invalid option: --no_such-Thing; see 'sysbench --help' and 'sysbench TEST --help'
  invalid option: --=2; see 'sysbench --help' and 'sysbench TEST --help'
  invalid option: --; see 'sysbench --help' and 'sysbench TEST --help'

A value belongs behind the equals sign.

  $ refused --threads 2 show.lua show; for o in --threads --rows-per-load; do refused show.lua show $o 2; done
  Unrecognized command line argument: 2; did you mean --threads=2?
  Unrecognized command line argument: 2; did you mean --threads=2?
  Unrecognized command line argument: 2; did you mean --rows-per-load=2?
  $ refused show.lua --rows-per-load 3 show; refused show.lua --time 5; refused --time 5 show.lua; refused --time=5 --debug 5
  Unrecognized command line argument: 3; did you mean --rows-per-load=3?
  WARNING: Both event and time limits are disabled, running an endless test
  Unknown command: 5; did you mean --time=5?
  WARNING: Both event and time limits are disabled, running an endless test
  FATAL: Cannot find benchmark '5': no such built-in test, file or module; did you mean --time=5?
  FATAL: Cannot find benchmark '5': no such built-in test, file or module; 'sysbench --help' lists the tests

What begins with one dash is a positional, but for -h; two dashes alone are nothing. Options with too few dashes; the test or the
command in a wrong place. Dashes that were typeset are no mistake (legacy_options.t).

  $ for w in -x -t -R300 show=2 'show -threads=2' 'show threads=2'; do refused show.lua $w; done
  Unknown command: -x; options begin with two dashes: see 'sysbench --help'
  Unknown command: -t; options begin with two dashes: see 'sysbench --help'
  Unknown command: -R300; options begin with two dashes: did you mean --tx-rate?
  Unknown command: show=2; did you mean show?
  Unrecognized command line argument: -threads=2; did you mean --threads=2?
  Unrecognized command line argument: threads=2; did you mean --threads=2?

A third positional ends it before anything else, --help included.

  $ refused show.lua show me --help; wc -c <out; refused show.lua --debug show me
  Unrecognized command line argument: me (after the test 'show.lua' and the command 'show')
  0
  Unrecognized command line argument: me (after the test 'show.lua' and the command 'show')

A bare switch is on; what is neither on nor off is refused.

  $ for v in "" =on =true =1 =off =false =0; do sysbench show.lua --debug$v show | tail -n 1 | cut -f 4; done | xargs
  true true true true false false false
  $ for v in = =yes =ON =2 =maybe; do refused show.lua show --histogram$v; done
  invalid option: --histogram= (allowed: on, off)
  invalid option: --histogram=yes (allowed: on, off)
  invalid option: --histogram=ON (allowed: on, off)
  invalid option: --histogram=2 (allowed: on, off)
  invalid option: --histogram=maybe (allowed: on, off)
