Command lines of 0.4 and 0.5: their grammar, their options, and what they are called today.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ said() { sysbench "$@" >out 2>err </dev/null; echo "exit $?"; grep -v -e '^sysbench .* using ' -e '^$' out; cat err; }
  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows = {"a number", 7}, fast = {"a flag", false}}
  > function help()
  >    local o = sysbench.opt
  >    print(o.threads, o.events, o.time, o.verbosity, o.rand_seed, o.rows, o.fast)
  > end
  > END

Which program it is.

  $ for v in 0.4 0.4.12 0.5 l0 L0+tc L0-D L1 L2 m0 M1; do sysbench --version --compat=$v; done
  $ sysbench --version --verbose --compat=0.4 | sed -n 2p | sed 's/ [0-9.]*$/ X/'
  $ sysbench --compat=0.4 version
  $ sysbench --compat=0.5 --test=cpu version
  $ sysbench version | sed 's/tx [0-9.]*/tx X/'
  $ sysbench --compat=0.4 --test=cpu help | sed -n 1,3p

The environment is the default of --compat.

  $ SYSBENCH_COMPAT=0.5 sysbench --version
  $ SYSBENCH_COMPAT=0.5 sysbench --version --compat=L1
  $ SYSBENCH_COMPAT= sysbench --version | sed 's/tx [0-9.]*/tx X/'
  $ SYSBENCH_COMPAT=0.6 said cpu run
  $ SYSBENCH_COMPAT=0.6 said --compat=0.5 --test=cpu version

Options and the one command in any order.

  $ said --compat=0.5 --test=show.lua --num-threads=2 help --max-time=3
  $ said help --compat=0.5 --test=show.lua
  $ said --compat=0.5 show.lua help
  $ said --compat=0.4 --test=cpu run run
  $ said --compat=0.4 run run --test=cpu
  $ said --compat=0.4 --test=cpu rum
  $ said --compat=0.4 rum
  $ said --compat=0.4 --test=cpu run --num-threads 4
  $ said --compat=0.4 --test=cpu 2>&1 | sed 3q
  $ said --compat=0.4 run 2>&1 | grep -e exit -e sysbench.0 -e Missing
  $ said --compat=0.5 2>&1 | grep -e exit -e Missing
  $ said --compat=0.4 --test=cpu prepare
  $ said --compat=0.5 --test=show.lua cleanup
  $ said --compat=0.4 --test=nosuch run
  $ said --compat=0.5 --test=nosuch.lua run
  $ sysbench --compat=0.4 --help >help; echo $?; grep -c -e --drizzle-mysql -e --init-rng -e --batch-delay help
  $ sysbench --compat=0.4 help | cmp - help
  $ sysbench --help | grep -e --drizzle-mysql -e --init-rng -e 'compat=0.4'

Defaults.

  $ for v in 0.4 0.5 1.0; do sysbench --compat=$v --test=show.lua help 2>/dev/null | tail -n 1; done
  $ said --compat=0.4 --test=show.lua --max-requests=0 --max-time=0 --num-threads=1 help
  $ said --compat=0.4 --test=cpu --num-threads=0 run
  $ said --compat=0.4 --test=cpu --percentile=99.9 run

Values.

  $ for v in '' =on =off = =no =yes =1 =true =ON; do
  >   sysbench --compat=0.5 --test=show.lua --fast$v help 2>&1 | tail -n 2 | grep -v '^$' | sed 's/.*\t//'; done
  $ said --compat=0.4.12 --test=show.lua --max-time=60s --max-requests=1k help
  $ said --compat=L1 --test=show.lua --max-time=60s help
  $ said --compat=0.4 --test=show.lua --max-time=soon help

Unknown options: refused by 0.4, accepted by 0.5.

  $ said --compat=0.4 --test=cpu --num-thread=4 run
  $ said --compat=0.4 --test=cpu --nosuch run
  $ said --compat=0.5 --test=cpu --nosuch=1 --max-requests=1 --tx-jitter=0 help | grep -v '^  --'
  $ echo 'function help() print(oltp_foo, no_such) end' >globals.lua
  $ said --compat=0.5 --test=globals.lua --oltp-foo=x --no-such help

Old names without --compat.

  $ said show.lua --seed-rng=5 help
  $ said show.lua --rand-init=on help
  $ said show.lua --init-rng --seed-rng=5 help
  $ said show.lua --batch --batch-delay=5 help
  $ said show.lua --intermediate-result-timer=5 help
  $ said --compat=0.4 --test=show.lua --seed-rng=5 --intermediate-result-timer=5 --batch help
  $ said oltp_read_only --mysql-dry-run --mysql-table-engine=aria --mysql-create-options=X --mysql-engine-trx=no prepare
  $ said oltp_read_only --oltp-table-size=5 prepare
  $ said oltp_read_only --oltp_tables_count=5 prepare
  $ said oltp_read_only --oltp-test-mode=complex prepare
  $ echo 'sysbench.cmdline.options = {batch = {"", 5}} function help() print(sysbench.opt.batch) end' >batch.lua
  $ said batch.lua --batch=100 help
  $ said fileio --file-io-mode=slowmmap --file-num=1 --file-total-size=16K prepare | grep -v -e bytes -e Creating -e 'files'
  $ sysbench fileio --file-num=1 --file-total-size=16K cleanup >/dev/null

Tests that have another name today.

  $ for t in oltp_simple select insert update_index oltp_complex_ro oltp_complex_rw; do sysbench $t run 2>&1 | grep FATAL; done

The same numbers in each run.

  $ echo 'sysbench.cmdline.commands = {draw = {function() print(sysbench.rand.uniform(1, 1000000000)) end}}' >draw.lua
  $ cat >drawn.lua <<'END'
  > function event() print("drawn " .. sysbench.rand.uniform(1, 1000000000)) end
  > END
  $ drawn() { sysbench "$@" --max-requests=1 run | grep drawn; }
  $ drawn --compat=0.5 --test=drawn.lua >a; drawn --compat=0.5 --test=drawn.lua | cmp - a
  $ drawn --compat=0.5 --test=drawn.lua --rand-seed=9 | cmp -s - a || echo differs
  $ drawn --compat=0.5 --test=drawn.lua --rand-init=on | cmp -s - a || echo differs

Typeset dashes: en dash, em dash, two, a mix; one note.

  $ said –compat=0.5 —test=show.lua ––num-threads=3 -–max-time=4 help
  $ said show.lua help –threads=2
  $ said show.lua help –mysql-password=sesame
  $ said show.lua –

Drizzle: the MySQL driver.

  $ echo 'function help() print(sysbench.sql.driver():name()) end' >driver.lua
  $ said driver.lua --db-driver=drizzle --drizzle-mysql=on help
  $ said driver.lua --db-driver=drizzle help
  $ for d in oracle attachsql; do said driver.lua --db-driver=$d run; done
