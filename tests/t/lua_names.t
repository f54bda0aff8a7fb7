The C names that scripts find declared, without declaring them.

  $ . "$TESTDIR/../include/workers.sh"; lua=$SB_SOURCE/tests/sidebyside/lua
  $ cp "$TESTDIR"/../data/lua/names.lua .

All of them, in the main state and in each client's, of either generation: type, value, and that the function does its work; also after a
script has declared them once more.

  $ for g in 1.0 1.1; do sysbench names.lua --compat=$g --verbosity=0 look; done
  88 names, 0 wrong
  90 names, 0 wrong
  $ for g in 1.0 1.1; do
  >   for w in 0 client worker workers
  >   do
  >     sysbench names.lua --compat=$g --verbosity=0 $(carried $w) --threads=4 run | sort
  >   done
  > done | uniq -c
       16 88 names, 0 wrong
       16 90 names, 0 wrong

Counters of a script are in the report, whatever carries it.

  $ cat >count.lua <<'END'
  > ffi.cdef[[ void sb_counter_inc(int, sb_counter_type); ]]
  > function event(tid)
  >    sysbench.sql.driver()
  >    for name, n in pairs{SB_CNT_OTHER = 1, SB_CNT_READ = 2, SB_CNT_WRITE = 3, SB_CNT_ERROR = 4, SB_CNT_RECONNECT = 5} do
  >       for i = 1, n do ffi.C.sb_counter_inc(tid, ffi.C[name]) end
  >    end
  > end
  > END
  $ needs_mysql
  $ for w in 0 client worker
  > do
  >   sysbench count.lua --db-driver=mysql --mysql-dry-run --threads=3 --events=30 $(carried $w) run >out; counts out
  > done | uniq -c
        3 60 90 30 30 120 150

A declaration that is not alike is refused, as ever, where it stands.

  $ printf '\nffi.cdef[[ typedef enum { SB_CNT_OTHER, SB_CNT_READ = 7 } sb_counter_type; ]]\n' >other.lua; sysbench other.lua | tail -n 1
  FATAL: other.lua:2: attempt to redefine 'SB_CNT_OTHER'
  $ printf 'ffi.cdef[[ typedef enum { SB_CNT_OTHER ]]\n' >open.lua; sysbench open.lua | tail -n 1 | grep -o '^FATAL: open.lua:1: '
  FATAL: open.lua:1: 

Options that a script declares through C.

  $ show() { sysbench "$lua/c_options.lua" "$@" >out 2>&1; exited $?; tail -n +3 out; }
  $ show help
  set\t0 (esc)
  c_options.lua options:
    --zeta=N           a number [5]
    --alpha[=on|off]   a flag
    --with-dash=STRING a text
    --list=[LIST,...]  a list [a,b]
    --off[=on|off]     a flag that is off [off]
    --size=SIZE        a size [2K]
  
  $ show --zeta=9 --alpha=off --with_dash=x --list=1,2 --off --size=1M prepare | head -n 2
  set\t0 (esc)
  values\t9\tfalse\tx\t1|2\ttrue\t1048576 (esc)
  $ show --zeta=x prepare | grep -v '^set'; show --nosuch prepare | grep -v '^set'
  exit 1
  Invalid value for the 'zeta' option: 'x' (a whole number, such as 500, 10k or 1M, is needed)
  exit 1
  invalid option: --nosuch; see 'sysbench --help' and 'sysbench TEST --help'
  $ show cleanup
  set\t0 (esc)
  set\t0 (esc)
    --late=N for the help alone [1]
  
  late\tnil (esc)

Their validators, which may be functions of Lua.

  $ cat >valid.lua <<'END'
  > local odd = ffi.cast("sb_opt_validate_t *", function(name, value)
  >    return ffi.string(name) == "odd" and tonumber(ffi.string(value)) % 2 == 1
  > end)
  > sysbench.cmdline.read_cmdline_options = function()
  >    local args = ffi.new("sb_arg_t[1]", {{"odd", "an odd number", "4", "SB_ARG_TYPE_INT", odd}})
  >    ffi.C.sb_lua_set_test_args(args, 1)
  > end
  > function prepare() print(sysbench.opt.odd) end
  > END
  $ for v in '' --odd=7 --odd=8; do sysbench valid.lua $v prepare 2>&1 | tail -n 1; done
  4
  7
  invalid option: --odd=8

What is no option, no driver, no statement, no result is refused.

  $ cat >bad.lua <<'END'
  > local C = ffi.C
  > function prepare()
  >    for _, bad in ipairs{{nil, "d", nil, 1}, {"", "d", nil, 1}, {"n", nil, nil, 1}, {"n", "d", nil, 0}, {"n", "d", nil, 8}} do
  >       local args = ffi.new("sb_arg_t[2]", {{name = "fine", desc = "d", type = 2}})
  >       for i, member in ipairs{"name", "desc", "value", "type"} do args[1][member] = bad[i] end
  >       print(C.sb_lua_set_test_args(args, 2))
  >    end
  >    print(C.sb_lua_set_test_args(nil, 0), C.db_destroy(ffi.cast("sql_driver *", 1)), C.db_bind_result(nil, nil, 0))
  > end
  > END
  $ sysbench bad.lua prepare | tail -n +3
  ALERT: sb_lua_set_test_args: option 2 of 2 has no name
  1
  1
  (last message repeated 1 times)
  ALERT: sb_lua_set_test_args: option 2 of 2 has no description
  1
  ALERT: sb_lua_set_test_args: option 2 of 2 has no known type
  1
  1
  (last message repeated 1 times)
  ALERT: attempt to release an invalid database driver
  ALERT: attempt to bind results to a closed statement
  0\t1\t1 (esc)

A flag without a default is on, and its help shows none.

  $ flags() { sysbench "$lua/flags.lua" "$@" | tail -n +3; }
  $ flags help | sed -n 's/^ *\(.*\)\[=on|off\] */\1 /p' | paste -sd ';'
  --false off [false];--off off [off];--on on [on];--one on [1];--text write texts;--true on [true];--with-dash write dashes;--word_off off [off];--word_on on [on];--zero off [0]
  $ flags prepare | paste -sd' '
  text\ttrue with_dash\ttrue on\ttrue off\tfalse word_on\ttrue word_off\tfalse true\ttrue false\tfalse one\ttrue zero\tfalse (esc)
  $ flags --text=off --with-dash=off --off prepare | head -n 4 | paste -sd' '
  text\tfalse with_dash\tfalse on\ttrue off\ttrue (esc)
