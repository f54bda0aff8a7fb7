Command lines of 0.4 and 0.5: their grammar, their options, and what they are called today.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ said() { sysbench "$@" >out 2>err </dev/null; exited $?
  > grep -v -e '^sysbench .*(using ' -e '^No DB drivers' -e '^$' out | sed '/^Usage:$/,$ { s/^Usage:$/(usage)/p; d }'
  > cat err; }
  $ # of each line of words what they lead to, in one line
  $ each() { while read -r words; do eval "said $words" 2>&1 | sed 's/:  multi-thr.*mark$//' | paste -sd '|' -; done; }
  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows = {"a number", 7}, fast = {"a flag", false}}
  > function help()
  >    local o = sysbench.opt
  >    print(o.threads, o.events, o.time, o.verbosity, o.rand_seed, o.rows, o.fast)
  > end
  > END

Which program it is.

  $ for v in 0.4 0.5 0.4-TX 0.4-drizzle; do sysbench --version --compat=$v; done
  sysbench 0.4.12
  sysbench 0.5
  sysbench 0.4.12
  sysbench 0.4.12
  $ sysbench --version --verbose --compat=0.4 | sed -n 2p | sed 's/ [0-9.]*$/ X/'
  package: sysbench-tx X
  $ echo 'sysbench.cmdline.commands = {version = {function() print "its own" end}}' >own.lua
  $ for words in --compat=0.4 '--compat=0.5 --test=cpu' '' --test=cpu --test=show.lua --test=own.lua; do
  >   sysbench $words version 2>/dev/null | tail -n 1
  > done
  sysbench 0.4.12
  sysbench 0.5
  sysbench 1.0.20
  sysbench 1.0.20
  sysbench 1.0.20
  its own
  $ sysbench --compat=0.4 --test=cpu --help | sed -n 1p
  cpu options:
  $ sysbench --compat=0.4 --test=cpu help | sed -n 1,3p
  sysbench 0.4.12:  multi-threaded system evaluation benchmark
  
  cpu options:

The environment is the default of --compat.

  $ for v in 0.4.12 L0 l0+tc L0-D L1 L2 M0 M1; do said --compat=$v cpu run; done | grep FATAL
  FATAL: Invalid value for --compat: '0.4.12' (it is 0.4 now)
  FATAL: Invalid value for --compat: 'L0' (it is 0.4 now)
  FATAL: Invalid value for --compat: 'l0+tc' (it is 0.4-tx now)
  FATAL: Invalid value for --compat: 'L0-D' (it is 0.4-drizzle now)
  FATAL: Invalid value for --compat: 'L1' (its reports are gone, those of 0.4 are nearest)
  FATAL: Invalid value for --compat: 'L2' (its reports are gone, those of 0.4 are nearest)
  FATAL: Invalid value for --compat: 'M0' (its reports are gone, those of 0.5 are nearest)
  FATAL: Invalid value for --compat: 'M1' (it is 0.5 now)
  $ SYSBENCH_COMPAT=L0 said cpu run; SYSBENCH_COMPAT=0.5 sysbench --version
  > SYSBENCH_COMPAT=0.5 sysbench --version --compat=0.4-tx; SYSBENCH_COMPAT= sysbench --version
  exit 1
  FATAL: Invalid value for SYSBENCH_COMPAT: 'L0' (it is 0.4 now)
  sysbench 0.5
  sysbench 0.4.12
  sysbench 1.0.20
  $ SYSBENCH_COMPAT=0.6 said cpu run; SYSBENCH_COMPAT=0.6 said --compat=0.5 --test=cpu version
  exit 1
  FATAL: Invalid value for SYSBENCH_COMPAT: '0.6' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle); did you mean 0.5 or 0.4?
  sysbench 0.5

Options and the one command in any order.

  $ each <<'END'
  > --compat=0.5 --test=show.lua --num-threads=2 help --max-time=3
  > help --compat=0.5 --test=show.lua
  > --compat=0.5 show.lua help
  > --compat=0.4 --test=cpu run run
  > --compat=0.4 run run --test=cpu
  > --compat=0.4 --test=cpu rum
  > --compat=0.4 rum
  > --compat=0.4 --test=cpu run --num-threads 4
  > --compat=0.4 --test=cpu --num-threads 4 run
  > --compat=0.4 --num-threads 4 run --test=cpu
  > --compat=0.4 --test=cpu prepare
  > --compat=0.5 --test=show.lua cleanup
  > --compat=0.4 --test=nosuch run
  > --compat=0.5 --test=nosuch.lua run
  > END
  sysbench 0.5|2\t10000\t3\t3\t0\t7\tfalse (esc)
  sysbench 0.5|1\t10000\t0\t3\t0\t7\tfalse (esc)
  sysbench 0.5|1\t10000\t0\t3\t0\t7\tfalse (esc)
  exit 1|(usage)|Multiple commands are not allowed.
  exit 1|(usage)|Multiple commands are not allowed.
  exit 1|(usage)|Unknown command: rum; did you mean run?
  exit 1|(usage)|Unknown command: rum; did you mean run?
  exit 1|(usage)|Multiple commands are not allowed; did you mean --num-threads=4?
  exit 1|(usage)|Multiple commands are not allowed; did you mean --num-threads=4?
  exit 1|(usage)|Multiple commands are not allowed; did you mean --num-threads=4?
  exit 1|sysbench 0.4.12|'cpu' test does not have the 'prepare' command.
  exit 1|sysbench 0.5|'show.lua' test does not have the 'cleanup' command.
  exit 1|sysbench 0.4.12|Invalid test name: nosuch; 'sysbench --help' lists the tests
  exit 1|sysbench 0.5|FATAL: Cannot find benchmark 'nosuch.lua': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ said --compat=0.4 --test=cpu 2>&1 | sed 3q | xargs
  exit 1 (usage) Missing required command argument.
  $ for words in '--compat=0.4 run' --compat=0.5; do said $words 2>&1 | grep -e exit -e '0.4.12:' -e Missing | xargs; done
  exit 1 sysbench 0.4.12: multi-threaded system evaluation benchmark Missing required argument: --test.
  exit 1 Missing required command argument.
  $ sysbench --compat=0.4 --help >help; echo $?; grep -c -e --drizzle-mysql -e --init-rng -e --batch-delay help
  1
  5
  $ sysbench --compat=0.4 help | cmp - help
  $ sysbench --help | grep -e --drizzle-mysql -e --init-rng -e 'compat=0.4'
  sysbench --compat=0.4 --help lists those of sysbench 0.4 and 0.5, which are accepted.

Defaults.

  $ for v in 0.4 0.5 1.0; do sysbench --compat=$v --test=show.lua help 2>/dev/null | tail -n 1; done
  1\t10000\t0\t4\t0\t7\tfalse (esc)
  1\t10000\t0\t3\t0\t7\tfalse (esc)
  1\t0\t10\t3\t0\t7\tfalse (esc)
  $ each <<'END'
  > --compat=0.4 --test=show.lua --max-requests=0 --max-time=7 --num-threads=1 help
  > --compat=0.4 --test=cpu --num-threads=0 run
  > --compat=0.4 --test=cpu --percentile=99.9 run
  > END
  sysbench 0.4.12|1\t0\t7\t4\t0\t7\tfalse (esc)
  exit 1|Invalid value for --num-threads: 0.
  exit 1|Invalid value for --percentile: 99.9 (a whole number from 1 to 100, in reports of sysbench 0.4.12)

Values.

  $ for v in '' =on =off = =no =yes =1 =true =ON; do
  >   sysbench --compat=0.5 --test=show.lua --fast$v help 2>&1 | tail -n 2 | grep -v '^$' | sed 's/.*\t//' | paste -sd '|' -
  > done
  true
  true
  false
  false
  false
  WARNING: --fast=yes means off, as in sysbench 0.5; to switch it on, write --fast=on|false
  WARNING: --fast=1 means off, as in sysbench 0.5; to switch it on, write --fast=on|false
  WARNING: --fast=true means off, as in sysbench 0.5; to switch it on, write --fast=on|false
  WARNING: --fast=ON means off, as in sysbench 0.5; to switch it on, write --fast=on|false
  $ each <<'END'
  > --compat=0.4-drizzle --test=show.lua --max-time=60s --max-requests=1k help
  > --compat=0.4-drizzle --test=show.lua --rows=12x help
  > --compat=0.5 --test=show.lua --max-time=60s help
  > --compat=0.4 --test=show.lua --max-time=0.5 help
  > --compat=0.4 --test=show.lua --max-requests=0.5 help
  > --compat=0.4 --test=show.lua --max-time=soon help
  > END
  sysbench 0.4.12|1\t1000\t60\t4\t0\t7\tfalse|WARNING: --max-time=60s means 60, as in sysbench 0.4.12: a number ends where its digits end (esc)
  sysbench 0.4.12|1\t10000\t0\t4\t0\t12\tfalse|WARNING: --rows=12x means 12, as in sysbench 0.4.12: a number ends where its digits end (esc)
  sysbench 0.5|1\t10000\t60\t3\t0\t7\tfalse (esc)
  sysbench 0.4.12|1\t10000\t0.5\t4\t0\t7\tfalse (esc)
  exit 1|Invalid value for the 'max_requests' option: '0.5' (a whole number, such as 500, 10k or 1M, is needed)
  exit 1|Invalid value for the 'max_time' option: 'soon' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)

Unknown options: refused by 0.4, accepted by 0.5.

  $ each <<'END'
  > --compat=0.4 --test=cpu --num-thread=4 run
  > --compat=0.4 --test=cpu --nosuch run
  > END
  exit 1|sysbench 0.4.12|(usage)|Unknown option: --num-thread; did you mean --num-threads?
  exit 1|sysbench 0.4.12|(usage)|Unknown option: --nosuch; see 'sysbench --help' and 'sysbench TEST --help'
  $ said --compat=0.5 --test=cpu --nosuch=1 --also help | grep -v '^  --'
  sysbench 0.5:  multi-threaded system evaluation benchmark
  cpu options:
  NOTE: --nosuch has no effect: the 'cpu' test has no such option
  NOTE: --also has no effect: the 'cpu' test has no such option
  $ echo 'function help() print(oltp_foo, no_such) end' >globals.lua
  $ said --compat=0.5 --test=globals.lua --oltp-foo=x --no-such help
  sysbench 0.5:  multi-threaded system evaluation benchmark
  x\t (esc)

1.0 has none of the old names. So they are free for scripts: an option of their own, of any type; a
variable, which stays nil; `version`.

  $ echo \
  >   'sysbench.cmdline.options = {batch = {"", false}, drizzle_port = {"", 12}, seed_rng = {"", "x"}} function help() local o '\
  > '= sysbench.opt print(o.batch, o.drizzle_port, o.seed_rng) end' \
  >   >own.lua
  $ said own.lua help; said own.lua --batch --drizzle-port=7 help 2>&1 | grep -v WARNING; said own.lua --batch=maybe help
  false\t12\tx (esc)
  true\t7\tx (esc)
  exit 1
  invalid option: --batch=maybe (allowed: on, off)
  $ echo 'function help() print(batch, seed_rng, init_rng, mysql_table_engine) end' >variables.lua
  $ said variables.lua help
  nil\tnil\tnil\tinnodb (esc)
  $ echo 'print("a script")' >version.lua; said version; rm version.lua; said version | sed 's/ .*//'
  a script
  sysbench

Old names without --compat.

  $ each <<'END'
  > show.lua --seed-rng=5 help
  > show.lua --rand-init=on help
  > show.lua --init-rng --seed-rng=5 help
  > show.lua --batch --batch-delay=5 help
  > show.lua --intermediate-result-timer=5 help
  > --compat=0.4 --test=show.lua --seed-rng=5 --intermediate-result-timer=5 --batch=off help
  > END
  1\t0\t10\t3\t5\t7\tfalse|WARNING: --seed-rng is deprecated, use --rand-seed instead (esc)
  1\t0\t10\t3\t0\t7\tfalse|WARNING: --rand-init is deprecated: without --rand-seed, the seed comes from the clock (esc)
  exit 1|FATAL: Cannot set both --init-rng and --seed-rng|WARNING: --init-rng is deprecated: without --rand-seed, the seed comes from the clock|WARNING: --seed-rng is deprecated, use --rand-seed instead
  1\t0\t10\t3\t0\t7\tfalse|WARNING: --batch has no effect without --compat=0.4, use --report-interval instead (esc)
  1\t0\t10\t3\t0\t7\tfalse|WARNING: --intermediate-result-timer is deprecated, use --report-interval instead (esc)
  sysbench 0.4.12|1\t10000\t0\t4\t5\t7\tfalse (esc)
  $ said oltp_read_only --mysql-dry-run --mysql-table-engine=aria --mysql-create-options=X --mysql-engine-trx=no prepare
  Creating table 'sbtest1'...
  Inserting 10000 records into 'sbtest1'
  Creating a secondary index on 'sbtest1'...
  WARNING: --mysql-table-engine is deprecated, use --mysql-storage-engine instead
  WARNING: --mysql-create-options is deprecated, use --create-table-options instead
  $ each <<'END'
  > oltp_read_only --oltp-table-size=5 prepare
  > oltp_read_only --oltp_tables_count=5 prepare
  > oltp_read_only --oltp-test-mode=complex prepare
  > END
  exit 1|invalid option: --oltp-table-size=5; today it is --table-size
  exit 1|invalid option: --oltp_tables_count=5; today it is --tables
  exit 1|invalid option: --oltp-test-mode=complex; see 'sysbench --help' and 'sysbench TEST --help'
  $ echo 'sysbench.cmdline.options = {batch = {"", 5}} function help() print(sysbench.opt.batch) end' >batch.lua
  $ said batch.lua --batch=100 help
  100
  $ said fileio --file-io-mode=slowmmap --file-num=1 --file-total-size=16K prepare | grep -v -e bytes -e Creating -e 'files'
  Extra file open flags: (none)
  WARNING: --file-io-mode=slowmmap is deprecated, use --file-io-mode=mmap instead
  $ sysbench fileio --file-num=1 --file-total-size=16K cleanup >/dev/null

Tests that have another name today.

  $ for t in oltp_simple select insert update_index oltp_complex_ro oltp_complex_rw; do sysbench $t run 2>&1 | grep FATAL; done
  FATAL: Cannot find benchmark 'oltp_simple': no such built-in test, file or module; today it is oltp_point_select
  FATAL: Cannot find benchmark 'select': no such built-in test, file or module; today it is oltp_point_select
  FATAL: Cannot find benchmark 'insert': no such built-in test, file or module; today it is oltp_insert
  FATAL: Cannot find benchmark 'update_index': no such built-in test, file or module; today it is oltp_update_index
  FATAL: Cannot find benchmark 'oltp_complex_ro': no such built-in test, file or module; today it is oltp_read_only
  FATAL: Cannot find benchmark 'oltp_complex_rw': no such built-in test, file or module; today it is oltp_read_write

The same numbers in each run.

  $ cat >drawn.lua <<'END'
  > function event() print("drawn " .. sysbench.rand.uniform(1, 1000000000)) end
  > END
  $ drawn() { sysbench "$@" --max-requests=1 run | grep drawn; }
  $ drawn --compat=0.5 --test=drawn.lua >a; drawn --compat=0.5 --test=drawn.lua | cmp - a
  $ for o in --rand-seed=9 --rand-init=on; do drawn --compat=0.5 --test=drawn.lua $o | cmp -s - a || echo differs; done
  differs
  differs

Typeset dashes: en dash, em dash, two, a mix; one note.

  $ each <<'END'
  > –compat=0.5 —test=show.lua ––num-threads=3 -–max-time=4 help
  > show.lua help –threads=2
  > show.lua help –mysql-password=sesame
  > show.lua –
  > END
  sysbench 0.5|3\t10000\t4\t3\t0\t7\tfalse|NOTE: a dash that was typeset (\xe2\x80\x93compat) is taken as -- (esc)
  2\t0\t10\t3\t0\t7\tfalse|NOTE: a dash that was typeset (\xe2\x80\x93threads) is taken as -- (esc)
  1\t0\t10\t3\t0\t7\tfalse|NOTE: a dash that was typeset (\xe2\x80\x93mysql-password) is taken as -- (esc)
  exit 1|Unknown command: \xe2\x80\x93; most tests have prepare, run, cleanup and help (esc)

Drizzle: the MySQL driver.

  $ echo 'function help() print(sysbench.sql.driver():name()) end' >driver.lua
  $ each <<'END'
  > driver.lua --db-driver=drizzle --drizzle-mysql=on help
  > driver.lua --db-driver=drizzle help
  > driver.lua --db-driver=oracle run
  > driver.lua --db-driver=attachsql run
  > END
  mysql
  mysql|NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on
  exit 1|FATAL: --db-driver=oracle is not supported any more: there are drivers for MySQL and PostgreSQL (mysql, pgsql)
  exit 1|FATAL: --db-driver=attachsql is not supported any more: there are drivers for MySQL and PostgreSQL (mysql, pgsql)

--compat in a file is as on the command line; in a pipe it comes too late for the grammar.

  $ echo 'compat=0.4' >f4; printf 'compat=0.4-tx\nconfig-file=f4\n' >f41
  $ said --config-file=f4 run --test=cpu --debug=yes --max-requests=1 2>&1 | grep -e exit -e '0\.4\.12' -e max-req -e deprecated
  sysbench 0.4.12:  multi-threaded system evaluation benchmark
  WARNING: --debug=yes means off, as in sysbench 0.4.12; to switch it on, write --debug=on
  $ sysbench --version --config-file=f41; sysbench --version --compat=0.5 --config-file=f4
  > sysbench --version --config-file=f4 --compat=0.5; sysbench --version --config_file=f4
  sysbench 0.4.12
  sysbench 0.4.12
  sysbench 0.5
  sysbench 0.4.12
  $ mkfifo pipe; cat f4 >pipe & sysbench --test=cpu --config-file=pipe --version
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  sysbench 0.4.12
  $ each <<'END'
  > --config-file=f4 --test=cpu rum
  > --config-file=nosuch cpu run
  > END
  exit 1|(usage)|Unknown command: rum; did you mean run?
  exit 1|nosuch: No such file or directory

Two old names of one option.

  $ echo \
  >   'sysbench.cmdline.options = {create_table_options = {"text", ""}} function help() print(sysbench.opt.create_table_options) end' \
  >   >create.lua
  $ said create.lua --mysql-table-options=A --mysql-create-options=B help
  B
  WARNING: --mysql-create-options is deprecated, use --create-table-options instead
  WARNING: --mysql-table-options is deprecated, use --create-table-options instead
  WARNING: --mysql-table-options=A has no effect beside --mysql-create-options=B: both mean --create-table-options
  $ said --compat=0.4 --test=create.lua --mysql-table-options=A --mysql-create-options=A help
  sysbench 0.4.12:  multi-threaded system evaluation benchmark
  A
  $ said --test=oltp --mysql-table-options=A --mysql-create-options=B --db-driver=mysql --mysql-socket=/nonexistent \
  >   prepare 2>&1 |
  >   grep beside
  WARNING: --mysql-table-options=A has no effect beside --mysql-create-options=B: both are for CREATE TABLE

A bare name is a script of 0.5 with --compat=0.5 and --test only.

  $ for t in oltp bulk_insert select_random_points select_random_ranges; do
  >   sysbench --compat=0.5 --test=$t help 2>&1 | grep -e NOTE; sysbench --compat=0.5 $t help 2>&1 | grep -c NOTE
  > done
  NOTE: oltp does not exist: using oltp.lua of sysbench 0.5, which is built in
  1
  NOTE: bulk_insert does not exist: using bulk_insert.lua of sysbench 0.5, which is built in
  0
  NOTE: select_random_points does not exist: using select_random_points.lua of sysbench 0.5, which is built in
  0
  NOTE: select_random_ranges does not exist: using select_random_ranges.lua of sysbench 0.5, which is built in
  0
  [1]
  $ ! sysbench --test=bulk_insert help 2>&1 | grep NOTE
  $ echo 'function help() print("mine") end' >bulk_insert; sysbench --compat=0.5 --test=bulk_insert help | tail -n 1
  mine

Only init() changes options: other threads read them.

  $ cat >set.lua <<'END'
  > ffi.cdef("bool sb_set_option(const char *, const char *);")
  > local function set(who) print(who, ffi.C.sb_set_option("percentile", "50"), ffi.C.sb_set_option("nosuch", "1")) end
  > function init() set("init") end
  > function thread_init() set("client") end
  > function event() end
  > function done() set("done") end
  > function sysbench.hooks.report_intermediate() set("interval") end
  > function sysbench.hooks.report_cumulative() set("report") end
  > END
  $ sysbench set.lua --tx-rate=2 --events=4 --report-interval=1 run 2>err | grep -P '\t' | sort | uniq
  client\tfalse\tfalse (esc)
  done\tfalse\tfalse (esc)
  init\ttrue\tfalse (esc)
  interval\tfalse\tfalse (esc)
  report\tfalse\tfalse (esc)
