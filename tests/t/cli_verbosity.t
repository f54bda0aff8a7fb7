What is printed at each --verbosity, on which stream, and with which prefix.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >script.lua <<'END'
  > sysbench.cmdline.options = {fail = {"fail in event", false}}
  > function event() if sysbench.opt.fail then error("no") end end
  > function thread_init() print("from the script") end
  > END
  $ run() { sysbench script.lua --events=3 "$@" run | sed -E 's/[0-9.]+ \(using .*/X/'; }

3 is the default: banner, header and reports.  Everything is on stdout.

  $ run >normal; { run --verbosity=3; cat normal; } | wc -l
  56
  $ sysbench script.lua --events=3 run 2>&1 >/dev/null

From 2 down, only what the script prints and what goes wrong.

  $ for v in 2 1 0; do run --verbosity=$v; run --verbosity=$v --fail; done | sort | uniq -c
        3 FATAL: `thread_run' function failed: script.lua:2: no
        6 from the script

4 adds why the threads ended and that they have; 5, which --debug forces, what they did.

  $ run --verbosity=4 | grep -vxF -f normal | grep -v '[0-9]'
  Event limit exceeded, exiting...
  Done.
  $ run --verbosity=4 --events=0 --time=1 | grep exceeded
  Time limit exceeded, exiting...
  $ run --verbosity=5 --threads=2 --report-interval=5 --report-checkpoints=6 | grep '^DEBUG' | sort
  DEBUG: Checkpoints report thread started
  DEBUG: Reporting thread started
  DEBUG: Worker thread (#0) initialized
  DEBUG: Worker thread (#0) started
  DEBUG: Worker thread (#1) initialized
  DEBUG: Worker thread (#1) started
  $ run --verbosity=0 --debug | sed -n -E 's/[0-9]+\.[0-9]+/N/g; /^DEBUG/p'
  DEBUG: Worker thread (#0) started
  DEBUG: Worker thread (#0) initialized
  DEBUG: Verbose per-thread statistics:
  DEBUG:     thread #  0: min: Ns  avg: Ns  max: Ns  events: 3
  DEBUG:                  total time taken by event execution: Ns

Out of range.

  $ for v in 6 -1; do refused script.lua --verbosity=$v run; done
  Invalid value for verbosity: 6
  Invalid value for verbosity: -1
