Output that cannot be written is an error of the program; a reader that goes away is none to talk about.

  $ . "$TESTDIR/../include/common.sh"
  $ echo 'function event() end' >noop.lua
  $ [ -w /dev/full ] || skip 'no /dev/full'

A full disk; a failure of the run keeps its own status.

  $ echo 'function event() error("no") end' >fails.lua
  $ for c in 'noop.lua --events=10 run' 'noop.lua --tx-rate=10 --tx-spin=0 --time=1 --report-interval=1 run' --help --version \
  >   'oltp_read_only help' noop.lua 'oltp_read_only --mysql-dry-run prepare' 'fails.lua run'; do
  >   sysbench $c 2>err >/dev/full; echo $? $(cat err); done | uniq -c | sed 's/^ *//'
  8 1 sysbench: cannot write to standard output: No space left on device

No stdout at all.

  $ sysbench noop.lua --events=10 run 2>err >&-; echo $? $(cat err)
  1 sysbench: cannot write to standard output: Bad file descriptor

A reader that has seen enough.

  $ sysbench noop.lua --time=1 --report-interval=1 run 2>err | sed 1q >/dev/null; cat err
  $ (sysbench noop.lua --time=30 --report-interval=1 run 2>err; echo $? >status) | sed 1q >/dev/null; cat status err
  141
