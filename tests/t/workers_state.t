Clients that share a Lua state: --workers=lua-state.

  $ . "$TESTDIR/../include/workers.sh"; data=$TESTDIR/../data/lua-state

Whose states.

  $ echo 'function event() end' >nothing.lua
  $ for t in nothing.lua 'nothing.lua --threads=300' 'cpu --threads=300' 'oltp_point_select --threads=7'
  > do refused $t --workers=lua-state=worker run; done | uniq -c
        4 FATAL: --workers=lua-state=worker needs --workers=N: without it, only the bundled scripts use workers, with 8 threads or more
  $ refused oltp_point_select --threads=300 --workers=0 --workers=lua-state=worker run
  > for v in '' each Worker; do refused nothing.lua --workers=1 --workers=lua-state=$v run; done
  FATAL: --workers=lua-state=worker and --workers=0 cannot be combined: each thread has its own Lua state
  FATAL: --workers=lua-state needs a value
  FATAL: Invalid value for --workers=lua-state: 'each' (allowed: auto, client, worker)
  FATAL: Invalid value for --workers=lua-state: 'Worker' (allowed: auto, client, worker); did you mean worker?
  $ cat >whose.lua <<'END'
  > -- the registry belongs to the state
  > local r = debug.getregistry()
  > r.met = (r.met or 0) + 1
  > function event() end
  > function thread_done() print("clients in this state: " .. r.met) end
  > END
  $ whose() { sysbench whose.lua --events=1 "$@" run | grep '^clients' | sort | uniq -c | sed 's/^ *//'; }
  $ whose --threads=4 --workers=lua-state=client; whose --threads=4 --workers=2; whose --threads=63 --workers=1
  4 clients in this state: 1
  4 clients in this state: 1
  63 clients in this state: 1
  $ whose --threads=4 --workers=1 --workers=lua-state=worker; whose --threads=6 --workers=2 --workers=lua-state=worker
  > whose --threads=64 --workers=1; whose --threads=64 --workers=1 --workers=lua-state=client
  4 clients in this state: 4
  6 clients in this state: 3
  64 clients in this state: 64
  64 clients in this state: 1

A client cannot tell: everything that it changes is its own.

  $ mkdir lib
  > echo 'loads = (loads or 0) + 1; local m = {name = ...}; function m.whose() return sysbench.tid, me end; return m' \
  >   >lib/mod.lua
  $ echo 'module("old", package.seeall); function f() return tostring(sysbench.tid) .. _NAME end' >lib/old.lua
  $ echo 'dofile_ran = (dofile_ran or 0) + 1; return sysbench.tid' >part.lua
  $ echo 'this is not Lua' >lib/broken.lua
  $ cp "$data/isolation.lua" .
  $ for w in 0 client worker
  > do
  >   sysbench isolation.lua $(carried $w) --threads=5 --rand-seed=3 run >is.$w; exited $?
  >   grep -v '^[0-9]' is.$w | grep -E 'FATAL|WARN'; grep '^[0-9]' is.$w | sort -s -k1,1 >said.$w
  > done
  $ grep -c 'done' said.0; for w in client worker; do diff said.0 said.$w; done
  5

Waits at every place where Lua can call, with a compiler in a hurry and a busy collector: each client computes what it
computes alone.

  $ cp "$data/stress.lua" .
  > echo 'loads = (loads or 0) + 1 local m = {n = 0} function m.up() m.n = m.n + 1 return m.n end return m' >mod.lua
  $ for w in client worker workers
  > do
  >   sysbench stress.lua $(carried $w) --threads=20 --rand-seed=7 --time=0 run >st.$w; exited $?
  >   grep '^tid' st.$w | sort >sums.$w
  > done
  $ wc -l <sums.client; for w in worker workers; do diff sums.client sums.$w; done
  20

What blocks in C blocks the worker, and never switches.

  $ cat >blocks.lua <<'END'
  > ffi.cdef("int usleep(unsigned us); void *dlsym(void *h, const char *name);")
  > local direct = ffi.cast("int (*)(unsigned)", ffi.cast("void *", ffi.C.dlsym(nil, "usleep"))) -- not through ffi.C
  > local n, inside = 0, debug.getregistry()
  > function event(tid)
  >    for i = 1, 300 do -- compiled
  >       inside.who = tid
  >       direct(200)
  >       assert(inside.who == tid, "another client ran")
  >    end
  >    n = n + 1
  >    ffi.C.usleep(10)
  > end
  > function thread_done() print("did " .. n) end
  > END
  $ # on a machine that stands still an event lasts ten times as long, which has a warning of its own
  > sysbench blocks.lua $(carried worker) --threads=3 --events=6 --workers=warn=10 run >out
  $ grep -E 'FATAL|^WARN' out | grep -v ' has blocked ' |
  >   sed -E 's/client [0-9]+ /client N /; s/[0-9]+ ms/N ms/; s/ at blocks.lua:[0-9]+//' | sort | uniq
  WARNING: client N blocked its worker for more than N ms: the other clients of the worker had to wait. A script must not compute or block for so long with --workers.
  $ figure 'total number of events'
  6
  $ echo \
  >   'ffi.cdef("int usleep(unsigned us);") function event(tid) local p = newproxy(true) getmetatable(p).__gc = function() '\
  > 'ffi.C.usleep(1000) end p = nil ffi.C.usleep(1) collectgarbage() end' \
  >   >gc.lua
  $ sysbench gc.lua $(carried worker) --threads=10 --events=100 run >out; exited $?; figure 'total number of events'
  100

The place is a line of the script, also where one of our modules keeps the worker.

  $ echo 'function event() sysbench.rand.string(string.rep("@", 3e7)) end' >long.lua
  $ for s in client worker
  > do
  >   sysbench long.lua --workers=1 --workers=lua-state=$s --threads=2 --events=2 --workers=warn=10 run >out
  >   grep -o 'ms at [^:,]*:[^:,]*' out | sort -u
  > done | uniq -c
        2 ms at long.lua:1

A client that fails does not take others with it.

  $ for where in thread_init event thread_done; do
  >   echo \
  >     "ffi.cdef('int usleep(unsigned us);') function event() ffi.C.usleep(1000) end function $where(tid) ffi.C.usleep(1000) "\
  > "if tid == 2 then error('no ' .. tid) end end" \
  >     >fails.lua
  >   n=2000; [ $where != event ] || n=200000 # client 2 may come late
  >   both $where fails.lua --threads=4 --events=$n
  >   grep -E '^(FATAL|exit)' $where.s
  > done
  FATAL: `thread_init' function failed: fails.lua:1: no 2
  FATAL: Thread initialization failed!
  exit 1
  FATAL: `thread_run' function failed: fails.lua:1: no 2
  exit 1
  FATAL: `thread_done' function failed: fails.lua:1: no 2
  exit 1
  $ echo 'error("at once") function event() end' >top.lua
  > echo 'if sysbench.tid == 3 and sysbench.opt then nonsense() end function event() end' >third.lua
  $ both third third.lua --threads=5 --events=10; both top top.lua --threads=2; grep -E '^(FATAL|exit)' top.s
  FATAL: top.lua:1: at once
  exit 1

Restarts, loops of one's own, --debug, --luajit-cmd.

  $ echo \
  >   'function event(tid) tries = (tries or 0) + 1 if tries % 3 ~= 0 then error({errcode = sysbench.error.RESTART_EVENT}) end end' \
  >   >again.lua
  $ both again again.lua --threads=3 --events=30; figure 'total number of events' again.s
  30
  $ echo \
  >   'local C = ffi.C function event() end function thread_run(tid) for i = 1, 5 do if C.sb_more_events(tid) then '\
  > 'C.sb_event_start(tid) C.sb_event_stop(tid) end end end' \
  >   >own.lua
  $ both own own.lua --threads=4; figure 'total number of events' own.s
  20
  $ echo 'function event() deep() end function deep() local x = nil; return x.y .. "" end' >trace.lua
  $ for w in client worker; do
  >   sysbench trace.lua --debug --events=1 $(carried $w) run 2>&1 | grep -m1 -A3 '^DEBUG: trace.lua' >trace.$w; done
  > cat trace.client; diff trace.client trace.worker
  DEBUG: trace.lua:1: attempt to index local 'x' (a nil value)
  stack traceback:
  \ttrace.lua:1: in function 'deep' (esc)
  \ttrace.lua:1: in function <trace.lua:1> (esc)
  $ echo 'function event() end function thread_init() print(jit.status()) end' >jit.lua
  $ sysbench jit.lua --luajit-cmd=off --threads=2 --events=1 $(carried worker) run | grep -c '^false'
  2
  $ {
  >   LUA_PATH=";;" luajit -e 'require("jit.v")' 2>/dev/null || ls /usr/share/luajit-2.1*/jit/v.lua >/dev/null 2>&1
  > } || {
  >   echo 'module missing' >v.txt
  > }
  $ [ -e v.txt ] || sysbench jit.lua --luajit-cmd=v=v.txt --threads=2 --events=10000 $(carried worker) run >out
  > grep -q -e '^\[TRACE' -e missing v.txt
  $ sysbench jit.lua --luajit-cmd=nonsense --events=1 $(carried worker) run | grep FATAL
  FATAL: unknown luaJIT command or jit.* modules not installed: --luajit-cmd=nonsense
