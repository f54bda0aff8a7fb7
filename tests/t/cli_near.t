A name that is nearly right: what may have been meant stands behind the complaint.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ said() { sysbench "$@" >out 2>err </dev/null; exited $?; cat out err | grep -v -e '^sysbench .*(using ' -e '^$'; }

Tests.

  $ said oltp_readonly run
  exit 1
  FATAL: Cannot find benchmark 'oltp_readonly': no such built-in test, file or module; did you mean oltp_read_only?
  $ said oltp-read-write run
  exit 1
  FATAL: Cannot find benchmark 'oltp-read-write': no such built-in test, file or module; did you mean oltp_read_write?
  $ said oltp_read run
  exit 1
  FATAL: Cannot find benchmark 'oltp_read': no such built-in test, file or module; did you mean oltp_read_only or oltp_read_write?
  $ said oltp run
  exit 1
  FATAL: Cannot find benchmark 'oltp': no such built-in test, file or module; today it is oltp_read_write or oltp_read_only; that of 0.4 is --compat=0.4 --test=oltp
  $ said CPU run
  exit 1
  FATAL: Cannot find benchmark 'CPU': no such built-in test, file or module; did you mean cpu?
  $ said cup run
  exit 1
  FATAL: Cannot find benchmark 'cup': no such built-in test, file or module; did you mean cpu?
  $ said fileoi prepare
  exit 1
  FATAL: Cannot find benchmark 'fileoi': no such built-in test, file or module; did you mean fileio?
  $ said oltp_read_only.lua run
  exit 1
  FATAL: Cannot find benchmark 'oltp_read_only.lua': no such built-in test, file or module; did you mean oltp_read_only?
  $ said /no/such/folder/oltp_point_selct.lua run
  exit 1
  FATAL: Cannot find benchmark '/no/such/folder/oltp_point_selct.lua': no such built-in test, file or module; did you mean oltp_point_select?
  $ said tpcc run
  exit 1
  FATAL: Cannot find benchmark 'tpcc': no such built-in test, file or module; 'sysbench --help' lists the tests

Scripts in the current directory, and in the directory that is named.

  $ mkdir bench folder.lua; touch tpcc.lua bench/ycsb_a.lua bench/readme.txt
  $ said tpc run
  exit 1
  FATAL: Cannot find benchmark 'tpc': no such built-in test, file or module; did you mean tpcc.lua?
  $ said tpcx.lua run
  exit 1
  FATAL: Cannot find benchmark 'tpcx.lua': no such built-in test, file or module; did you mean tpcc.lua?
  $ said ./tpcx.lua run
  exit 1
  FATAL: Cannot find benchmark './tpcx.lua': no such built-in test, file or module; did you mean ./tpcc.lua?
  $ said bench/ycsb run
  exit 1
  FATAL: Cannot find benchmark 'bench/ycsb': no such built-in test, file or module; did you mean bench/ycsb_a.lua?
  $ said bench/ycsb-a run
  exit 1
  FATAL: Cannot find benchmark 'bench/ycsb-a': no such built-in test, file or module; did you mean bench/ycsb_a.lua?
  $ said bench/readme run
  exit 1
  FATAL: Cannot find benchmark 'bench/readme': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ said bench run
  exit 1
  FATAL: Cannot find benchmark 'bench': no such built-in test, file or module; it is a directory

Words in another order, or without a test.

  $ said run cpu
  exit 1
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; did you mean 'sysbench cpu run'?
  $ said prepare oltp_read_only
  exit 1
  FATAL: Cannot find benchmark 'prepare': no such built-in test, file or module; did you mean 'sysbench oltp_read_only prepare'?
  $ said run ./tpcc.lua
  exit 1
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; did you mean 'sysbench ./tpcc.lua run'?
  $ said run
  exit 1
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; the test comes before the command: 'sysbench TEST run'
  $ said cleanup nosuch
  exit 1
  FATAL: Cannot find benchmark 'cleanup': no such built-in test, file or module; the test comes before the command: 'sysbench TEST cleanup'
  $ said help
  exit 1
  FATAL: Cannot find benchmark 'help': no such built-in test, file or module; did you mean --help?
  $ said LUA run
  exit 1
  FATAL: Cannot find benchmark 'LUA': no such built-in test, file or module; 'sysbench --help' lists the tests

A search path that leads nowhere.

  $ LUA_PATH='/nowhere/?.lua' said oltp_read_only run
  exit 1
  FATAL: Cannot find benchmark 'oltp_read_only': no such built-in test, file or module; LUA_PATH replaces the search path of the bundled tests: append ';;' to it

Commands: of a built-in test, of a script, and the script's own.

  $ said cpu rnu
  exit 1
  Unknown command: rnu; did you mean run?
  $ said fileio prepar
  exit 1
  Unknown command: prepar; did you mean prepare?
  $ said fileio clean
  exit 1
  Unknown command: clean; did you mean cleanup?
  $ said cpu start
  exit 1
  Unknown command: start; most tests have prepare, run, cleanup and help
  $ said oltp_read_only prewram
  exit 1
  Unknown command: prewram; did you mean prewarm?
  $ said oltp_read_only prepear
  exit 1
  Unknown command: prepear; did you mean prepare?
  $ said oltp_read_only drop
  exit 1
  Unknown command: drop; most tests have prepare, run, cleanup and help
  $ echo 'sysbench.cmdline.commands = {check = {print}, chock = {print}, [7] = {print}}' >own.lua
  $ said own.lua cheek
  exit 1
  Unknown command: cheek; did you mean check?
  $ said own.lua chack
  exit 1
  Unknown command: chack; did you mean check or chock?
  $ said own.lua rum
  exit 1
  Unknown command: rum; did you mean run?
  $ echo 'function cleanup() end sysbench.cmdline.commands = {migrate = {cmd_migrate}}' >early.lua
  $ for c in mygrate clenup prepar hepl; do said early.lua $c; done
  exit 1
  Unknown command: mygrate; most tests have prepare, run, cleanup and help
  exit 1
  Unknown command: clenup; did you mean cleanup?
  exit 1
  Unknown command: prepar; most tests have prepare, run, cleanup and help
  exit 1
  Unknown command: hepl; most tests have prepare, run, cleanup and help
  $ said cpu clenup
  exit 1
  Unknown command: clenup; most tests have prepare, run, cleanup and help
  $ echo 'sysbench.cmdline.commands = "none"' >odd.lua
  $ said odd.lua rum
  exit 1
  Unknown command: rum; did you mean run?

Options: general, of a built-in test, of a script; nothing is made up.

  $ other="connections=5 clients=5 concurrency=5 duration=5 requests=5 rps=5 qps client=5 numjobs=5 jobs=5 seed=5"
  $ for o in $other; do said cpu --$o run; done | grep -v '^exit 1$'
  invalid option: --connections=5; did you mean --threads?
  invalid option: --clients=5; did you mean --threads?
  invalid option: --concurrency=5; did you mean --threads?
  invalid option: --duration=5; did you mean --time?
  invalid option: --requests=5; did you mean --events?
  invalid option: --rps=5; did you mean --tx-rate?
  invalid option: --qps; did you mean --tx-rate?
  invalid option: --client=5; did you mean --threads?
  invalid option: --numjobs=5; did you mean --threads?
  invalid option: --jobs=5; did you mean --workers?
  invalid option: --seed=5; did you mean --rand-seed?
  $ said oltp_read_only --connections=5 run
  exit 1
  invalid option: --connections=5; did you mean --threads?
  $ said cpu run --percentil=99
  exit 1
  invalid option: --percentil=99; did you mean --percentile?
  $ said cpu run --cpu-max-primes=99
  exit 1
  invalid option: --cpu-max-primes=99; did you mean --cpu-max-prime?
  $ said cpu run --report-fiel=x.json
  exit 1
  invalid option: --report-fiel=x.json; did you mean --report-file?
  $ said oltp_read_only run --table_sise=5
  exit 1
  invalid option: --table_sise=5; did you mean --table-size?
  $ said oltp_read_only run --tabel-size=5 --mysql-dry-run
  exit 1
  invalid option: --tabel-size=5; did you mean --table-size?
  $ said cpu run --no-validate
  exit 1
  invalid option: --no-validate; did you mean --validate=off?
  $ said cpu run --oltp-table-size=5
  exit 1
  invalid option: --oltp-table-size=5; see 'sysbench --help' and 'sysbench TEST --help'
  $ said cpu run --v
  exit 1
  invalid option: --v; did you mean --validate, --version or --verbosity?
  $ said cpu run --host=x --usr=y
  exit 1
  invalid option: --host=x; did you mean --mysql-host or --pgsql-host?
  $ said cpu run --mysql-pwd=x
  exit 1
  invalid option: --mysql-pwd=*; did you mean --mysql-password?
  $ said cpu run --mysql-pass=
  exit 1
  invalid option: --mysql-pass=; did you mean --mysql-password or --mysql-password-file?
  $ said cpu --time=5 m run
  exit 1
  Unrecognized command line argument: m; did you mean --time=5m?

Values.

  $ said cpu run --rand-type=zipf
  exit 1
  FATAL: Invalid random numbers distribution: zipf. (allowed: uniform, gaussian, special, pareto, zipfian); did you mean zipfian?
  $ said cpu run --rand-type=unifrom
  exit 1
  FATAL: Invalid random numbers distribution: unifrom. (allowed: uniform, gaussian, special, pareto, zipfian); did you mean uniform?
  $ said cpu run --tx-rate=5 --tx-arrival=poison
  exit 1
  FATAL: Invalid value for --tx-arrival: 'poison' (allowed: even, poisson, aligned); did you mean poisson?
  $ said cpu run --workers=lua-state=workers
  exit 1
  FATAL: Invalid value for --workers=lua-state: 'workers' (allowed: auto, client, worker); did you mean worker?
  $ said cpu run --db-ps-mode=disabled
  exit 1
  FATAL: Invalid value for db-ps-mode: disabled (allowed: auto, disable); did you mean disable?
  $ said cpu run --mysql-ssl=require
  exit 1
  FATAL: Invalid value for --mysql-ssl: 'require' (allowed: on, off, disabled, preferred, required, verify-ca, verify-identity); did you mean required?
  $ said cpu run --compat=1.2
  exit 1
  FATAL: Invalid value for --compat: '1.2' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle); did you mean 1.0 or 1.1?
  $ said cpu run --histogram=yes
  exit 1
  invalid option: --histogram=yes (allowed: on, off)
  $ said memory run --memory-oper=reed
  exit 1
  FATAL: Invalid value for memory-oper: reed (allowed: read, write, none); did you mean read?
  $ said memory run --memory-scope=all
  exit 1
  FATAL: Invalid value for memory-scope: all (allowed: global, local)
  $ said memory run --memory-access-mode=rand
  exit 1
  FATAL: Invalid value for memory-access-mode: rand (allowed: seq, rnd); did you mean rnd?
  $ said fileio prepare --file-io-mode=snyc | sed 's/ async,//' # which needs libaio
  exit 1
  FATAL: unknown I/O mode: snyc (allowed: sync, mmap); did you mean sync?
  $ said fileio prepare --file-extra-flags=sync,dircet
  exit 1
  FATAL: Invalid value for file-extra-flags: dircet (allowed: sync, dsync, direct); did you mean direct?
  $ said fileio prepare --file-fsync-mode=datasync
  exit 1
  FATAL: Invalid fsync mode: datasync. (allowed: fsync, fdatasync); did you mean fdatasync?
  $ said fileio run --file-test-mode=rndwrt
  exit 1
  FATAL: Invalid IO operations mode: rndwrt. (allowed: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw); did you mean rndwr?
  $ ls
  bench
  early.lua
  err
  folder.lua
  odd.lua
  out
  own.lua
  tpcc.lua

Formats of reports.

  $ for v in jsno:x x.jsonn csb:x x.prm x; do said cpu run --report-file=$v; done
  exit 1
  FATAL: Invalid value for --report-file: 'jsno:x' (no such format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix); did you mean json?
  exit 1
  FATAL: Invalid value for --report-file: 'x.jsonn' (its suffix names no format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix); did you mean json or jsonl?
  exit 1
  FATAL: Invalid value for --report-file: 'csb:x' (no such format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix); did you mean csv?
  exit 1
  FATAL: Invalid value for --report-file: 'x.prm' (its suffix names no format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix)
  exit 1
  FATAL: Invalid value for --report-file: 'x' (its suffix names no format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix)

Drivers, also by the names of their databases.

  $ echo 'sysbench.cmdline.commands = {ask = {function() sysbench.sql.driver() end}}' >ask.lua
  $ for v in mysqk mariadv; do sysbench ask.lua --db-driver=$v ask | grep -m 1 FATAL | sed 's/mysql, pgsql/mysql/'; done
  FATAL: invalid database driver name: 'mysqk' (allowed: mysql); did you mean mysql?
  FATAL: invalid database driver name: 'mariadv' (allowed: mysql)
