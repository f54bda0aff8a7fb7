Which script is meant, what can be wrong with it, and where that is said.

  $ . "$TESTDIR/../include/common.sh"
  $ sb() { sysbench "$@" >out 2>err; exited $?; sed -n '3,$p' out; cat err; }
  $ echo 'function event() end' >noop.lua

Without a command the script's top level runs, nothing else.

  $ sb noop.lua
  $ echo 'print("top", sysbench.cmdline.command)' | sb
  top\tnil (esc)
  $ echo 'print("top", sysbench.cmdline.command)' | sb - run
  top\trun (esc)
  $ sb - </dev/null
  $ : >empty.lua; sb empty.lua

A run needs an event(); it is missed after init() and before anything is printed about the run.

  $ echo 'function init() print("init") end' >init.lua; echo 'event = 5' >number.lua
  $ for t in empty init number; do refused $t.lua run; done
  FATAL: cannot find the event() function in empty.lua
  init
  FATAL: cannot find the event() function in init.lua
  FATAL: cannot find the event() function in number.lua

Commands that are not there.

  $ for c in bogus prepare help; do refused noop.lua $c; done; refused oltp_read_only bogus; refused bulk_insert help
  Unknown command: bogus; most tests have prepare, run, cleanup and help
  'noop.lua' test does not implement the 'prepare' command.
  'noop.lua' test does not implement the 'help' command.
  Unknown command: bogus; most tests have prepare, run, cleanup and help
  'bulk_insert' test does not implement the 'help' command.

Scripts that are not there, or cannot be read.

  $ mkdir dir; refused nosuch
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ for t in ./nosuch.lua oltp_read_only.lua dir dir/ '' /proc/self/mem; do refused "$t" run; done
  FATAL: Cannot find benchmark './nosuch.lua': no such built-in test, file or module; 'sysbench --help' lists the tests
  FATAL: Cannot find benchmark 'oltp_read_only.lua': no such built-in test, file or module; did you mean oltp_read_only?
  FATAL: Cannot find benchmark 'dir': no such built-in test, file or module; it is a directory
  FATAL: Cannot find benchmark 'dir/': no such built-in test, file or module; it is a directory
  FATAL: Cannot find benchmark '': no such built-in test, file or module; 'sysbench --help' lists the tests
  FATAL: cannot read /proc/self/mem: Input/output error
  $ cp noop.lua secret.lua; chmod 0 secret.lua
  $ if [ -r secret.lua ]; then echo "FATAL: cannot read script 'secret.lua': Permission denied"; else refused secret.lua run; fi
  FATAL: cannot read script 'secret.lua': Permission denied

Texts that are no Lua.

  $ printf 'event = function(\n' >half.lua; printf 'x = 1\0\nsyntax error' >nul.lua; head -c 100000 /dev/zero | tr '\0' '(' >deep.lua
  $ for t in half nul deep; do refused $t.lua run; done
  FATAL: half.lua:2: <name> or '...' expected near '<eof>'
  FATAL: nul.lua:1: unexpected symbol
  FATAL: deep.lua:1: chunk has too many syntax levels
  $ printf '\033LJ\002\377\377' >bytes.lua; refused bytes.lua run | grep -c FATAL
  1

What a script does to itself.

  $ echo 'os.exit(7)' >exit.lua; sb exit.lua run
  exit 7
  $ echo 'error()' >nothing.lua; echo 'local function f() return f() + 1 end f()' >stack.lua; echo 'sysbench = nil' >nil.lua
  $ echo 'sysbench.cmdline = 5' >cmdline.lua
  $ for t in nothing stack nil cmdline; do refused $t.lua run | sed -n 1p | cut -c 1-120; done
  FATAL: (not a string)
  FATAL: stack.lua:1: stack overflow
  FATAL: `sysbench.cmdline.read_cmdline_options' function failed: attempt to call a nil value
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
