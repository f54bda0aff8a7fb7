A recursion that uses up the C stack ends the process with a sentence that names the client.

  $ . "$TESTDIR/../include/workers.sh"

The sanitizers have a handler of their own.

  $ ldd "$(command -v sysbench)" | grep -q -e libtsan -e libasan && skip 'built with a sanitizer'
  [1]
  $ ulimit -c 0
  $ cat >deep.lua <<'END'
  > ffi.cdef("int usleep(unsigned);")
  > local events = 0
  > function deep(n) return (string.gsub("x", ".", function() return deep(n + 1) end)) end
  > function event(tid)
  >    ffi.C.usleep(1000)
  >    events = events + 1
  >    if tid == 0 and events == 20 then deep(1) end
  > end
  > function thread_done(tid) print("done: " .. tid) end
  > END
  $ deep() { sysbench $2.lua --threads=3 $(carried $3) $1 --tx-spin=0 run >out; exited $?; grep -e '^FATAL' -e '^done' out; }
  $ each_way deep --tx-rate=500 deep
  exit 1
  FATAL: C stack overflow in client 0: calls of C functions and callbacks are nested too deeply

The same in a hook, while clients begin, and in a command.

  $ sed \
  >   's/^function event.*/function event() end function init() deep(1) end function prepare() deep(1) end function other()/' \
  >   deep.lua >hook.lua
  $ for c in prepare run; do sysbench hook.lua $c >out; exited $?; grep FATAL out; done
  exit 1
  FATAL: C stack overflow: calls of C functions and callbacks are nested too deeply
  exit 1
  FATAL: C stack overflow: calls of C functions and callbacks are nested too deeply
  $ sed \
  >   's/^function event(tid)/function event() end function thread_init(tid) if tid == 1 then deep(1) end end function other(tid)/' \
  >   deep.lua >begin.lua
  $ each_way deep --tx-rate=500 begin
  exit 1
  FATAL: C stack overflow in client 1: calls of C functions and callbacks are nested too deeply

A limit that is too low for the threads of workers does not hold for them; one that is too low for the program is named.

  $ echo 'function event() end' >none.lua; low() { (ulimit -s $1; shift; sysbench "$@" run >out; exited $?); grep FATAL out; }
  $ low 64 none.lua --workers=2 --threads=64 --events=64
  [1]
  $ low 48 cpu
  exit 1
  FATAL: this process needs a stack of 64 KiB, and ulimit -s is 48

Any other fault is one.

  $ echo 'function event() ffi.cast("int *", 8)[0] = 1 end' >null.lua
  $ for w in 0 1; do (sysbench null.lua $(carried $w) run >out; exited $?) 2>err; done
  exit 139
  exit 139
