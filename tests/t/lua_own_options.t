A script of 1.0 may declare an option of any name that 1.0 does not have: the name is the script's then, not ours.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >own.lua <<'END'
  > require "own_more"
  > sysbench.cmdline.options = {
  >    server = {"Name of it", "a"}, -- mysqld
  >    ["think-time"] = {'Seconds', 5},
  >    workers =
  >       { [[How many]], 3},
  >    seed_rng = {"Text", "none"},
  >    batch = {"Rows", 10},
  > }
  > for name, option in pairs(own_more) do sysbench.cmdline.options[name] = option end
  > function prepare()
  >    local o = sysbench.opt
  >    print(o.server, o.think_time + 1, o.workers + 1, o.seed_rng, o.batch + 1, o.label)
  > end
  > function init() prepare() end
  > function event() end
  > END
  $ echo 'own_more = {label = {--[[ of the rows ]] "Text", "z"}}' >own_more.lua
  $ sysbench own.lua prepare | tail -n 1
  a\t6\t4\tnone\t11\tz (esc)
  $ given="--server=b --think_time=7 --workers=4 --seed-rng=hello --batch=20 --label=no,colon"
  $ sysbench own.lua $given prepare | tail -n 1
  b\t8\t5\thello\t21\tno,colon (esc)

The run takes nothing from them: no workers, no rate of thinking clients, no seed, no server.

  $ sysbench own.lua $given --events=3 run >out; grep -E -c '^b.8.5.hello.21.no,colon$' out
  > grep -E 'events:|^Init|[Ww]orkers:|think|Rate|^Server' out
  1
  Initializing random number generator from current time
  Initializing worker threads...
      total number of events:              3
  $ sysbench own.lua $given --events=3 --report-file=json:r.json run >/dev/null; grep -o '"workers":"[^"]*"\|"server":"[^"]*"' r.json
  "server":"b"
  "workers":"4"
  "server":"b"
  "server":"not asked for (--server)"

The option file is read in the same way, and help lists the script's.

  $ printf 'server = c\nworkers=8\n' >file; sysbench --config-file=file own.lua prepare | tail -n 1
  c\t6\t9\tnone\t11\tz (esc)
  $ sysbench own.lua help | sed -n '/--server\|--workers/p'
    --server=STRING   Name of it [a]
    --workers=N       How many [3]

A value that does not fit the script's option is refused for that.

  $ sysbench own.lua --workers=many prepare 2>&1 | tail -n 1
  Invalid value for the 'workers' option: 'many' (a number, such as 0.5, 10k or 1M, is needed)

Otherwise the names are ours, as ever: in a comment, as a variable, in a script that declares something else.

  $ cat >other.lua <<'END'
  > -- server = {"Name of it", "a"}
  > local server = {1, 2}
  > local label = "x"
  > sysbench.cmdline.options = {servers = {"Names", "a"}, my_server = {"Name", "b"}}
  > function event() end
  > END
  $ for o in server label; do sysbench other.lua --events=1 --$o=nosuch run 2>&1 | grep nosuch; done
  FATAL: Invalid value for --server: 'nosuch': "nosuch" is not a process id (a number from 1 to 4194304)
  FATAL: Invalid value for --label: 'nosuch' (must be KEY=VALUE; a value cannot contain a comma)
  $ echo 'server = {"looks", "so"} sysbench.cmdline.options = {size = {"Size", 1}} function event() end' >looks.lua
  $ sysbench looks.lua --server=mysqld run 2>&1 | tail -n 1
  FATAL: Invalid value for --server: 'mysqld': "mysqld" is not a process id (a number from 1 to 4194304)

Found in text as people write it: other texts with dashes and quotes before it, modules in directories.

  $ mkdir lib; cat >written.lua <<'END'
  > require "lib.more"
  > sysbench.cmdline.options = {size = {"Rows, as in --table-size", 1}, note = {'say "x = {"', ""}, server = {"Name", "a"}}
  > for name, option in pairs(lib_more) do sysbench.cmdline.options[name] = option end
  > function prepare() print(sysbench.opt.server, sysbench.opt.label) end
  > END
  $ echo 'lib_more = {label = {"Text", "z"}}' >lib/more.lua
  $ sysbench written.lua --server=b --label=nocolon prepare | tail -n 1
  b\tnocolon (esc)

Not found in comments and texts of any brackets, as a local variable, and in scripts that declare nothing.

  $ cat >unlike.lua <<'END'
  > --[==[ ]] sysbench.cmdline.options = {label = {"Text", "z"}} ]==]
  > local label = {"a", "b"}
  > local usage = [=[ label = {"Text", "z"} ]] ]=] .. 'label = {"Text"}' .. "\"label = {'Text'}"
  > sysbench.cmdline.options = {size = {"Size", 1}}
  > function event() end
  > END
  $ echo 'label = {"a", "b"} function event() end' >none.lua
  $ for s in unlike none; do sysbench $s.lua --label=a=b --events=1 run | grep 'total number of events: *1$'; done | uniq -c
        2     total number of events:              1

Names of options that 1.0 has: the script sees its own type and default, and of the user's values those that fit.

  $ cat >shared.lua <<'END'
  > sysbench.cmdline.options = {
  >    mysql_port = {"Port", 14306}, histogram = {"Of what", "off"}, time = {"How long", "1h"}, percentile = {"Which", {95, 99}},
  >    threads = {"How many", "4"}, verbosity = {"Much", true}, mysql_host = {"Hosts", "a,b"}, db_driver = {"Name"},
  >    ["report-interval"] = {"Seconds", 1.5}, events = {"Of them", "10", sysbench.cmdline.ARG_SIZE}, rate = {"Rate", "abc"},
  >    mysql_user = {"One", nil, sysbench.cmdline.ARG_BOOL}, mysql_ssl = {"Number", 3}, mysql_db = {"Number", 7},
  > }
  > local function show(v) return type(v) == "table" and "{" .. table.concat(v, ";") .. "}" or type(v):sub(1, 3) .. " " .. tostring(v) end
  > function help()
  >    local names, seen = {}, {}
  >    for name in pairs(sysbench.cmdline.options) do names[#names + 1] = name:gsub("-", "_") end
  >    table.sort(names)
  >    for i, name in ipairs(names) do seen[i] = name .. " = " .. show(sysbench.opt[name]) end
  >    print(table.concat(seen, ", "))
  > end
  > END
  $ sysbench shared.lua help | tail -n 1
  db_driver = str , events = num 10, histogram = str off, mysql_db = num 7, mysql_host = str a,b, mysql_port = num 14306, mysql_ssl = num 3, mysql_user = boo true, percentile = {95;99}, rate = str abc, report_interval = num 1.5, threads = str 4, time = str 1h, verbosity = boo true
  $ sysbench shared.lua --db-driver=pgsql --events=2k --histogram --mysql-db=db --mysql-host=x,y --mysql-port=5,6 --mysql-ssl \
  >   --mysql-user=joe --percentile=50 --rate=9 --report-interval=3 --threads=2 --time=90s --verbosity=3 help | tail -n 1
  db_driver = str pgsql, events = num 2000, histogram = str on, mysql_db = num 7, mysql_host = str x,y, mysql_port = num 14306, mysql_ssl = num 3, mysql_user = boo true, percentile = {50}, rate = str 9, report_interval = num 3, threads = str 2, time = str 90s, verbosity = boo true

Whoever looks at all options finds those of stock, the script's, and of ours those that were given.

  $ cat >all.lua <<'END'
  > sysbench.cmdline.options = {mine = {"Text", "z"}, server = {"Name", "a"}}
  > local ours = {workers = true, think_time = true, at = true, cluster = true, mine = true, server = true}
  > local stock = {threads = true, rate = true, tx_rate = true, mysql_host = true, percentile = true, pgsql_db = true}
  > local function look()
  >    local n, found = 0, {}
  >    for name in pairs(sysbench.opt) do
  >       n = n + 1
  >       if ours[name] or stock[name] then found[#found + 1] = name end
  >    end
  >    table.sort(found)
  >    print(n < 70 and "few" or n, table.concat(found, " "), sysbench.opt.think_time, type(sysbench.opt.at), sysbench.opt.workers,
  >       sysbench.opt.mine, rawget(sysbench.opt, "nosuch"), sysbench.opt.mysql_host[1])
  > end
  > thread_init = look
  > function event() end
  > END
  $ for w in 0 '1,lua-state=worker'; do
  >   sysbench all.lua --think-time=7 --workers=$w --mine=b --events=1 --threads=2 run | grep '^few'
  > done | uniq -c
        2 few\tmine mysql_host percentile pgsql_db rate server think_time threads tx_rate workers\t7\ttable\t0\tb\tnil\tlocalhost (esc)
        2 few\tmine mysql_host percentile pgsql_db rate server think_time threads tx_rate workers\t7\ttable\t1\tb\tnil\tlocalhost (esc)

A script that declares none finds stock's as globals, and of ours those that were given: the others may be names of its own.

  $ echo 'function event() print("globals", at, workers, server, batch, think_time, tx_rate, threads) end' >globals.lua
  $ sysbench globals.lua --events=1 --think-time=0 run | grep ^globals
  globals\tnil\tnil\tnil\tnil\t0\t0\t1 (esc)

A mebibyte of a long script is searched, and nothing behind it (a sanitizer would say so).

  $ { echo 'function event() end'; head -c 1048554 /dev/zero | tr '\0' '-'; echo; } >long.lua; wc -c <long.lua
  1048576
  $ sysbench long.lua --tx-rate=1000 --events=2 run 2>/dev/null | grep events:
      total number of events:              2
