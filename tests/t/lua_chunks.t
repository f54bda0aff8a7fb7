Every client runs the same text, compiled once: nobody can tell.

  $ . "$TESTDIR/../include/common.sh"
  $ mkdir one two
  $ echo 'local m = {from = "one", n = 0} function m.fail() error("in one") end counter = (counter or 0) + 1 return m' >one/mod.lua
  $ echo 'return {from = "two"}' >two/mod.lua
  $ echo 'return {from = "late", source = require("debug").getinfo(1, "S").source}' >late.lua
  $ cat >main.lua <<'END'
  > package.path = "./one/?.lua;" .. package.path
  > m = require("mod")
  > function thread_init(tid)
  >    m.n = m.n + 1
  >    local info = require("debug").getinfo(thread_init, "Sl")
  >    late = require("late")
  >    package.path = "./two/?.lua;" .. package.path
  >    package.loaded.mod = nil
  >    local other = require("mod")
  >    print(tid, m.from, m.n, counter, other.from, late.from, late.source, info.source, info.linedefined)
  > end
  > function event(tid)
  >    local ok, err = pcall(m.fail)
  >    print(tid, err)
  >    error("my own")
  > end
  > END
  $ for w in 0 1 2
  > do
  >   sysbench main.lua --threads=3 --events=1 --workers=$w run >out; grep '^[0-9]' out | sort | uniq | grep -v one/mod
  > done | sort | uniq -c | sed 's/^ *//'
  3 0\tone\t1\t1\ttwo\tlate\t@./late.lua\t@main.lua\t3 (esc)
  3 1\tone\t1\t1\ttwo\tlate\t@./late.lua\t@main.lua\t3 (esc)
  3 2\tone\t1\t1\ttwo\tlate\t@./late.lua\t@main.lua\t3 (esc)
  $ grep -o './one/mod.lua:1: in one' out | uniq; grep '^FATAL' out
  ./one/mod.lua:1: in one
  FATAL: `thread_run' function failed: main.lua:15: my own

A module that is not there, that does not parse, and one that fails, in the main state and in a client's only.

  $ echo 'local x = = 1' >syntax.lua; echo 'error("at load")' >atload.lua
  $ for m in nosuch syntax atload; do
  >   echo "require('$m') function event() end" >top.lua; sysbench top.lua --events=1 run | grep '^FATAL' | cut -c1-90
  >   echo "function thread_init() require('$m') end function event() end" >init.lua
  >   sysbench init.lua --events=1 run | grep '^FATAL: .thr' | cut -c1-110
  > done
  FATAL: top.lua:1: module 'nosuch' not found:
  FATAL: `thread_init' function failed: init.lua:1: module 'nosuch' not found:
  FATAL: error loading module 'syntax' from file './syntax.lua':
  FATAL: `thread_init' function failed: error loading module 'syntax' from file './syntax.lua':
  FATAL: ./atload.lua:1: at load
  FATAL: `thread_init' function failed: ./atload.lua:1: at load

Scripts that have loaders of their own, or look at them.

  $ cat >own.lua <<'END'
  > if #package.loaders ~= 4 then error("loaders: " .. #package.loaders) end
  > table.insert(package.loaders, 2, function(name) if name == "made" then return function() return {made = true} end end end)
  > package.preload.pre = function() return {pre = true} end
  > a, b = require("made"), require("pre")
  > function event() assert(a.made and b.pre and require("late").from == "late") end
  > END
  $ sysbench own.lua --threads=2 --events=4 run | grep -E 'FATAL|number of events'
      total number of events:              4
