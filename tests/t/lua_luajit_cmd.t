--luajit-cmd: what `luajit -j` takes, in every Lua state before the script is loaded.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >status.lua <<'END'
  > print(sysbench.tid, (jit.status()))
  > function event() end
  > END
  $ status() { sysbench status.lua --events=100000 "$@" run 2>err | sed -n -E 's/^([0-9])\t(true|false)$/\1 \2/p' | sort | uniq -c; }
  $ status --luajit-cmd=off --threads=2
        2 0 false
        1 1 false
  $ for c in on flush ''; do status --luajit-cmd=$c; done | uniq -c
        3       2 0 true

Unknown commands end the program before the script runs; so do known ones that LuaJIT refuses.

  $ for c in nosuch nosuch=1 off,on = util version v.x ../v; do
  >   sysbench status.lua --luajit-cmd=$c run 2>&1 | tail -n +3 | sed "s#-cmd=$c\$#-cmd=IT#"
  > done | uniq -c | sed 's/^ *//'
  8 FATAL: unknown luaJIT command or jit.* modules not installed: --luajit-cmd=IT
  $ sysbench status.lua --luajit-cmd=nosuch run >out; echo $?; echo 'print(1)' | sysbench --luajit-cmd=nosuch >out
  1
  [1]
  $ sysbench status.lua --luajit-cmd=attach run | tail -n 1
  FATAL: bad argument #1 to .*: --luajit-cmd=attach (re)

The modules that come with LuaJIT are found, where it has them, though scripts have a path of their own.

  $ found() { LUA_PATH=";;" luajit -e 'require("jit.v")' 2>/dev/null || ls /usr/share/luajit-2.1*/jit/v.lua >/dev/null 2>&1; }
  $ found || skip 'no modules jit.* of LuaJIT'
  $ sysbench status.lua --luajit-cmd=v=trace.txt --events=100000 run >out; exited $?; grep -c '^\[TRACE' trace.txt >n; [ $(cat n) -gt 0 ]
  $ sysbench status.lua --luajit-cmd=dump=T,dump.txt --events=100000 run >out; exited $?; grep -q '^---- TRACE' dump.txt
