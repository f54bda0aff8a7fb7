Which script is meant, what can be wrong with it, and where that is said.

  $ sb() { sysbench "$@" >out 2>err; echo "exit $?"; sed -n '3,$p' out; cat err; }
  $ echo 'function event() end' >noop.lua

Without a command the script's top level runs, nothing else.

  $ sb noop.lua
  exit 0
  $ echo 'print("top", sysbench.cmdline.command)' | sb
  exit 0
  top\tnil (esc)
  $ echo 'print("top", sysbench.cmdline.command)' | sb - run
  exit 0
  top\trun (esc)
  $ sb - </dev/null
  exit 0
  $ : >empty.lua; sb empty.lua
  exit 0

A run needs an event(); it is missed after init() and before anything is printed about the run.

  $ sb empty.lua run
  exit 1
  FATAL: cannot find the event() function in empty.lua
  $ echo 'function init() print("init") end' >init.lua; sb init.lua run
  exit 1
  init
  FATAL: cannot find the event() function in init.lua
  $ echo 'event = 5' >number.lua; sb number.lua run
  exit 1
  FATAL: cannot find the event() function in number.lua

Commands that are not there.

  $ sb noop.lua bogus
  exit 1
  Unknown command: bogus; most tests have prepare, run, cleanup and help
  $ sb noop.lua prepare
  exit 1
  'noop.lua' test does not implement the 'prepare' command.
  $ sb noop.lua help
  exit 1
  'noop.lua' test does not implement the 'help' command.
  $ sb oltp_read_only bogus
  exit 1
  Unknown command: bogus; most tests have prepare, run, cleanup and help
  $ sb bulk_insert help
  exit 1
  'bulk_insert' test does not implement the 'help' command.

Scripts that are not there, or cannot be read.

  $ sb nosuch run
  exit 1
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ sb nosuch
  exit 1
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ sb ./nosuch.lua run
  exit 1
  FATAL: Cannot find benchmark './nosuch.lua': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ sb oltp_read_only.lua run
  exit 1
  FATAL: Cannot find benchmark 'oltp_read_only.lua': no such built-in test, file or module; did you mean oltp_read_only?
  $ mkdir dir; sb dir run; sb dir/ run; sb '' run
  exit 1
  FATAL: Cannot find benchmark 'dir': no such built-in test, file or module; it is a directory
  exit 1
  FATAL: Cannot find benchmark 'dir/': no such built-in test, file or module; it is a directory
  exit 1
  FATAL: Cannot find benchmark '': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ sb /proc/self/mem run
  exit 1
  FATAL: cannot read /proc/self/mem: Input/output error
  $ cp noop.lua secret.lua; chmod 0 secret.lua
  $ if [ -r secret.lua ]; then echo "FATAL: cannot read script 'secret.lua': Permission denied"; else sb secret.lua run | tail -n +2; fi
  FATAL: cannot read script 'secret.lua': Permission denied

Texts that are no Lua.

  $ printf 'event = function(\n' >half.lua; sb half.lua run
  exit 1
  FATAL: half.lua:2: <name> or '...' expected near '<eof>'
  $ printf '\033LJ\002\377\377' >bytes.lua; sb bytes.lua run | head -n 1
  exit 1
  $ printf 'x = 1\0\nsyntax error' >nul.lua; sb nul.lua run
  exit 1
  FATAL: nul.lua:1: unexpected symbol
  $ head -c 100000 /dev/zero | tr '\0' '(' >deep.lua; sb deep.lua run
  exit 1
  FATAL: deep.lua:1: chunk has too many syntax levels

What a script does to itself.

  $ echo 'os.exit(7)' >exit.lua; sb exit.lua run
  exit 7
  $ echo 'error()' >nothing.lua; sb nothing.lua run
  exit 1
  FATAL: (not a string)
  $ echo 'local function f() return f() + 1 end f()' >stack.lua; sb stack.lua run | cut -c 1-60
  exit 1
  FATAL: stack.lua:1: stack overflow
  $ echo 'sysbench = nil' >nil.lua; sb nil.lua run | head -n 2
  exit 1
  FATAL: `sysbench.cmdline.read_cmdline_options' function failed: attempt to call a nil value
  $ echo 'sysbench.cmdline = 5' >cmdline.lua; sb cmdline.lua run | head -n 2
  exit 1
  FATAL: `sysbench.cmdline.read_cmdline_options' function failed: attempt to call a nil value
  $ echo 'function event() sysbench = 5 end' >late.lua; sb late.lua --events=3 run | grep events:
      total number of events:              3

An error in a thread ends all of them, and the program says so with its status.

  $ cp "$TESTDIR/../include/began.lua" .
  $ cat >third.lua <<'END'
  > local began = require("began")
  > function event(tid) if tid == 2 then began.all(1) error("thread 2 cannot") end began.one(tid) ffi.C.usleep(1000) end
  > END
  $ sysbench third.lua --threads=4 --time=30 run >out; echo $?
  1
  $ sed -n '/^FATAL/p; /General/p; /SQL/p' out
  FATAL: `thread_run' function failed: third.lua:2: thread 2 cannot
  General statistics:

A script without an end is none.

  $ sysbench /dev/zero run 2>&1 | tail -n 1; yes x=1 | sysbench 2>&1 | tail -n 1
  FATAL: cannot read /dev/zero: no end within 64 MiB
  FATAL: cannot read the script from the standard input: no end within 64 MiB
