A script is found, loaded, and asked for its options and commands.

  $ . "$TESTDIR/../include/common.sh"
  $ cp "$TESTDIR"/../data/lua/*.lua .

Where it comes from: a file, a module on the search path, standard input.

  $ echo 'print("top level", ..., sysbench.cmdline.script_path)' >x.lua
  $ for x in x.lua x; do sysbench $x | tail -n +3; done
  top level\tnil\tx.lua (esc)
  top level\tx\tx (esc)
  $ sysbench - ignored --whatever <x.lua | tail -n +3
  top level\tnil\tnil (esc)
  $ printf '\nerror("top")' | sysbench - | tail -n +3
  FATAL: stdin:2: top
  $ mkdir sub && cp x.lua sub/mod.lua
  $ sysbench sub.mod | tail -n +3
  top level\tsub.mod\tsub.mod (esc)
  $ LUA_PATH="$PWD/sub/?.lua;;" sysbench mod | tail -n +3
  top level\tmod\tmod (esc)
  $ printf '#!/usr/bin/env sysbench\nprint("shebang")\n' >run.lua && chmod +x run.lua
  $ ./run.lua | tail -n +3
  shebang

A pipe is read once, also where the number of clients asks whether it is a bundled script.

  $ echo 'function event() end' >noop.lua; mkfifo pipe
  $ for n in 1 256
  > do
  >   cat noop.lua >pipe & timeout 20 sysbench pipe --threads=$n --events=512 --time=0 run | grep 'number of events'
  >   wait
  > done | uniq -c
        2     total number of events:              512

What goes wrong while it is loaded.

  $ echo 'x = = 3' >syntax.lua; echo '\set aid random(1, 10)' >tpcb.sql; printf '\nerror("boom")\n' >boom.lua
  > echo 'error({})' >table.lua; echo 'require("no.such.module")' >req.lua
  $ for test in nosuch . syntax.lua tpcb.sql boom.lua table.lua req.lua syntax; do refused $test run | head -n 2; done
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module; 'sysbench --help' lists the tests
  FATAL: Cannot find benchmark '.': no such built-in test, file or module; it is a directory
  FATAL: syntax.lua:1: unexpected symbol near '='
  FATAL: tpcb.sql:1: unexpected symbol near '\'; a test is a Lua script: docs/from-pgbench.md translates pgbench's
  FATAL: boom.lua:2: boom
  FATAL: (not a string)
  FATAL: req.lua:1: module 'no.such.module' not found:
  \tno field package.preload['no.such.module'] (esc)
  FATAL: error loading module 'syntax' from file './syntax.lua':
  \t./syntax.lua:1: unexpected symbol near '=' (esc)
  $ export LUA_PATH="/nowhere/?.lua"; refused oltp_read_only help; unset LUA_PATH
  FATAL: Cannot find benchmark 'oltp_read_only': no such built-in test, file or module; LUA_PATH replaces the search path of the bundled tests: append ';;' to it

Options of a script.

  $ sysbench options.lua help | tail -n +3
  options.lua options:
    --count=N            an integer [5]
    --empty=STRING       a text without default
    --list=[LIST,...]    a list [a,b]
    --name=STRING        a text [x]
    --odd=N              an odd integer [3]
    --rows=N             a number [100]
    --size=SIZE          a size [16K]
    --threads=N          a general name [8]
    --with-dash[=on|off] a flag [off]
    --words=[LIST,...]   a list of that type [x,y]
  
  $ show() { sysbench options.lua "$@" show | tail -n +3 | tr '\t' ' ' | paste -sd '|' | sed 's/|\([a-z_]* [a-z]* \)/, \1/g'; }
  $ show; show --rows=1.5 --with_dash --name= --empty=q --list=1,,2 --count=-1 --size=2M --odd=5 --threads=3
  rows number 100, with_dash boolean false, name string x, empty string , list table a|b, count number 5, size number 16384, odd number 3, threads number 8, words table x|y, debug boolean false, thread_stack_size number 65536
  rows number 1.5, with_dash boolean true, name string , empty string q, list table 1|2, count number -1, size number 2097152, odd number 5, threads number 3, words table x|y, debug boolean false, thread_stack_size number 65536
  $ sysbench options.lua --rows=1.5M --count=20k show | grep -E '^(rows|count)'
  rows\tnumber\t1500000 (esc)
  count\tnumber\t20000 (esc)
  $ for bad in --rows=10T --rows=x --count=1.5 --with-dash=yes --odd=4 --nosuch=1; do refused options.lua $bad show; done
  Invalid value for the 'rows' option: '10T' (a number, such as 0.5, 10k or 1M, is needed)
  Invalid value for the 'rows' option: 'x' (a number, such as 0.5, 10k or 1M, is needed)
  Invalid value for the 'count' option: '1.5' (a whole number, such as 500, 10k or 1M, is needed)
  invalid option: --with-dash=yes (allowed: on, off)
  invalid option: --odd=4
  invalid option: --nosuch=1; see 'sysbench --help' and 'sysbench TEST --help'

Commands of a script.

  $ for c in good silent broken run prepare cleanup help other; do
  >   sysbench commands.lua $c >out; echo "$c $?: $(tail -n +3 out)"
  > done
  good 0: 
  silent 1: says why
  broken 1: FATAL: `sysbench.cmdline.call_command' function failed: commands.lua:8: out of luck
  run 0: my own run
  prepare 0: classic prepare\t1 (esc)
  cleanup 1: FATAL: `cleanup' function failed: (not a string)
  'commands.lua' test does not implement the 'help' command.
  help 1: 
  Unknown command: other; most tests have prepare, run, cleanup and help
  other 1: 
  $ for c in each some; do sysbench commands.lua --threads=3 $c >out; echo "$c $?: $(tail -n +5 out)"; done
  each 0: 
  some 1: FATAL: `sysbench.cmdline.call_command' function failed: commands.lua:10: thread 1 cannot
  $ sysbench oltp_common run | grep -o 'FATAL: `init.*function failed'
  FATAL: `init' function failed
  $ sysbench oltp_read_only | grep -o 'Command is required.*'
  Command is required. Supported commands: prepare, prewarm, run, cleanup, help

The random numbers that stock draws: also beside a histogram of the script's own, and where Lua would not write digits.

  $ cat >drawn.lua <<'END'
  > local h
  > local function draw() local n = sysbench.rand.uniform(1, 1000) h:update(n) return n end
  > function thread_init() h = sysbench.histogram.new(100, 1, 1000) end
  > function event() print("drawn", draw(), draw(), sysbench.rand.uniform(1, 1000), sysbench.rand.default(1, 1000)) end
  > local rand = sysbench.rand
  > sysbench.cmdline.commands = {wide = {function()
  >    print(rand.default(8e15, 9e15) .. "", rand.uniform(8e15, 9e15) .. "", sb_rand(8e15, 9e15) .. "", sb_rand_uniform(8e15, 9e15) .. "")
  >    print((rand.uniform(1e14 - 2, 1e14 - 1) .. ""):sub(1, -2), (sb_rand(2^33, 1e13) .. ""):match("^%d+$") and "digits")
  > end}}
  > END
  $ sysbench drawn.lua --events=3 --rand-seed=5 run | grep ^drawn
  drawn\t634\t421\t495\t500 (esc)
  drawn\t374\t465\t10\t500 (esc)
  drawn\t125\t576\t275\t503 (esc)
  $ sysbench drawn.lua wide | tail -n +3
  2031793538\t1680668379\t2034090754\t2358506525 (esc)
  9999999999999\tdigits (esc)
