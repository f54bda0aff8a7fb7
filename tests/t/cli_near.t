A name that is nearly right: what may have been meant stands behind the complaint.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql

Tests; scripts in the current directory, and in the directory that is named.

  $ mkdir bench folder.lua; touch tpcc.lua bench/ycsb_a.lua bench/readme.txt
  $ for t in oltp_readonly oltp-read-write oltp_read oltp CPU cup fileoi oltp_read_only.lua /no/such/folder/oltp_point_selct.lua ycsb \
  >   tpc tpcx.lua ./tpcx.lua bench/ycsb bench/ycsb-a bench/readme bench; do refused $t run; done |
  >   sed 's/no such built-in test, file or module/.../'
  FATAL: Cannot find benchmark 'oltp_readonly': ...; did you mean oltp_read_only?
  FATAL: Cannot find benchmark 'oltp-read-write': ...; did you mean oltp_read_write?
  FATAL: Cannot find benchmark 'oltp_read': ...; did you mean oltp_read_only or oltp_read_write?
  FATAL: Cannot find benchmark 'oltp': ...; today it is oltp_read_write or oltp_read_only; that of 0.4 is --compat=0.4 --test=oltp
  FATAL: Cannot find benchmark 'CPU': ...; did you mean cpu?
  FATAL: Cannot find benchmark 'cup': ...; did you mean cpu?
  FATAL: Cannot find benchmark 'fileoi': ...; did you mean fileio?
  FATAL: Cannot find benchmark 'oltp_read_only.lua': ...; did you mean oltp_read_only?
  FATAL: Cannot find benchmark '/no/such/folder/oltp_point_selct.lua': ...; did you mean oltp_point_select?
  FATAL: Cannot find benchmark 'ycsb': ...; 'sysbench --help' lists the tests
  FATAL: Cannot find benchmark 'tpc': ...; did you mean tpcc.lua?
  FATAL: Cannot find benchmark 'tpcx.lua': ...; did you mean tpcc.lua?
  FATAL: Cannot find benchmark './tpcx.lua': ...; did you mean ./tpcc.lua?
  FATAL: Cannot find benchmark 'bench/ycsb': ...; did you mean bench/ycsb_a.lua?
  FATAL: Cannot find benchmark 'bench/ycsb-a': ...; did you mean bench/ycsb_a.lua?
  FATAL: Cannot find benchmark 'bench/readme': ...; 'sysbench --help' lists the tests
  FATAL: Cannot find benchmark 'bench': ...; it is a directory

Words in another order, or without a test; a search path that leads nowhere.

  $ for w in 'run cpu' 'prepare oltp_read_only' 'run ./tpcc.lua' run 'cleanup nosuch' help 'LUA run'; do refused $w; done
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; did you mean 'sysbench cpu run'?
  FATAL: Cannot find benchmark 'prepare': no such built-in test, file or module; did you mean 'sysbench oltp_read_only prepare'?
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; did you mean 'sysbench ./tpcc.lua run'?
  FATAL: Cannot find benchmark 'run': no such built-in test, file or module; the test comes before the command: 'sysbench TEST run'
  FATAL: Cannot find benchmark 'cleanup': no such built-in test, file or module; the test comes before the command: 'sysbench TEST cleanup'
  FATAL: Cannot find benchmark 'help': no such built-in test, file or module; did you mean --help?
  FATAL: Cannot find benchmark 'LUA': no such built-in test, file or module; 'sysbench --help' lists the tests
  $ LUA_PATH='/nowhere/?.lua' refused oltp_read_only run
  FATAL: Cannot find benchmark 'oltp_read_only': no such built-in test, file or module; LUA_PATH replaces the search path of the bundled tests: append ';;' to it

Commands: of a built-in test, of a script, and the script's own.

  $ for c in rnu start clenup; do refused cpu $c; done; for c in prepar clean; do refused fileio $c; done
  Unknown command: rnu; did you mean run?
  Unknown command: start; most tests have prepare, run, cleanup and help
  Unknown command: clenup; most tests have prepare, run, cleanup and help
  Unknown command: prepar; did you mean prepare?
  Unknown command: clean; did you mean cleanup?
  $ for c in prewram prepear drop; do refused oltp_read_only $c; done
  Unknown command: prewram; did you mean prewarm?
  Unknown command: prepear; did you mean prepare?
  Unknown command: drop; most tests have prepare, run, cleanup and help
  $ echo 'sysbench.cmdline.commands = {check = {print}, chock = {print}, [7] = {print}}' >own.lua
  $ echo 'function cleanup() end sysbench.cmdline.commands = {migrate = {cmd_migrate}}' >early.lua
  $ echo 'sysbench.cmdline.commands = "none"' >odd.lua
  $ for c in 'own.lua cheek' 'own.lua chack' 'own.lua rum' 'odd.lua rum'; do refused $c; done
  > for c in mygrate clenup prepar hepl; do refused early.lua $c; done
  Unknown command: cheek; did you mean check?
  Unknown command: chack; did you mean check or chock?
  Unknown command: rum; did you mean run?
  Unknown command: rum; did you mean run?
  Unknown command: mygrate; most tests have prepare, run, cleanup and help
  Unknown command: clenup; did you mean cleanup?
  Unknown command: prepar; most tests have prepare, run, cleanup and help
  Unknown command: hepl; most tests have prepare, run, cleanup and help

Options: general, of a built-in test, of a script; nothing is made up.

  $ for o in connections=5 clients=5 concurrency=5 duration=5 requests=5 rps=5 qps client=5 numjobs=5 jobs=5 seed=5 percentil=99 \
  >   cpu-max-primes=99 report-fiel=x.json no-validate oltp-table-size=5 v host=x mysql-pwd=x mysql-pass=; do refused cpu --$o run; done
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
  invalid option: --percentil=99; did you mean --percentile?
  invalid option: --cpu-max-primes=99; did you mean --cpu-max-prime?
  invalid option: --report-fiel=x.json; did you mean --report-file?
  invalid option: --no-validate; did you mean --validate=off?
  invalid option: --oltp-table-size=5; see 'sysbench --help' and 'sysbench TEST --help'
  invalid option: --v; did you mean --validate, --version or --verbosity?
  invalid option: --host=x; did you mean --mysql-host or --pgsql-host?
  invalid option: --mysql-pwd=*; did you mean --mysql-password?
  invalid option: --mysql-pass=; did you mean --mysql-password or --mysql-password-file?
  $ for o in --connections=5 --table_sise=5 '--tabel-size=5 --mysql-dry-run'; do refused oltp_read_only $o run; done
  invalid option: --connections=5; did you mean --threads?
  invalid option: --table_sise=5; did you mean --table-size?
  invalid option: --tabel-size=5; did you mean --table-size?
  $ refused cpu --time=5 m run
  Unrecognized command line argument: m; did you mean --time=5m?

Values.

  $ for o in rand-type=zipf rand-type=unifrom 'tx-rate=5 --tx-arrival=poison' workers=lua-state=workers db-ps-mode=disabled \
  >   mysql-ssl=require compat=1.2 histogram=yes; do refused cpu run --$o; done
  FATAL: Invalid random numbers distribution: zipf. (allowed: uniform, gaussian, special, pareto, zipfian); did you mean zipfian?
  FATAL: Invalid random numbers distribution: unifrom. (allowed: uniform, gaussian, special, pareto, zipfian); did you mean uniform?
  FATAL: Invalid value for --tx-arrival: 'poison' (allowed: even, poisson, aligned); did you mean poisson?
  FATAL: Invalid value for --workers=lua-state: 'workers' (allowed: auto, client, worker); did you mean worker?
  FATAL: Invalid value for db-ps-mode: disabled (allowed: auto, disable); did you mean disable?
  FATAL: Invalid value for --mysql-ssl: 'require' (allowed: on, off, disabled, preferred, required, verify-ca, verify-identity); did you mean required?
  FATAL: Invalid value for --compat: '1.2' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle); did you mean 1.0 or 1.1?
  invalid option: --histogram=yes (allowed: on, off)
  $ for o in oper=reed scope=all access-mode=rand; do refused memory run --memory-$o; done
  FATAL: Invalid value for memory-oper: reed (allowed: read, write, none); did you mean read?
  FATAL: Invalid value for memory-scope: all (allowed: global, local)
  FATAL: Invalid value for memory-access-mode: rand (allowed: seq, rnd); did you mean rnd?
  $ for o in io-mode=snyc extra-flags=sync,dircet fsync-mode=datasync test-mode=rndwrt; do
  >   refused fileio run --file-test-mode=rndrd --file-$o; done | sed 's/ async,//' # which needs libaio
  FATAL: unknown I/O mode: snyc (allowed: sync, mmap); did you mean sync?
  FATAL: Invalid value for file-extra-flags: dircet (allowed: sync, dsync, direct); did you mean direct?
  FATAL: Invalid fsync mode: datasync. (allowed: fsync, fdatasync); did you mean fdatasync?
  FATAL: Invalid IO operations mode: rndwrt. (allowed: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw); did you mean rndwr?
  $ ls | xargs
  bench early.lua err folder.lua odd.lua out own.lua tpcc.lua

Formats of reports.

  $ for v in jsno:x x.jsonn csb:x x.prm x; do refused cpu run --report-file=$v; done |
  >   sed '1!s/formats are .* by the suffix/formats are .../'
  FATAL: Invalid value for --report-file: 'jsno:x' (no such format; formats are text, csv, summary-csv, checkpoints-csv, steps-csv, stages-csv, ranks-csv, hosts-csv, json, jsonl, html, hlog, prometheus, openmetrics, as FORMAT:PATH or by the suffix); did you mean json?
  FATAL: Invalid value for --report-file: 'x.jsonn' (its suffix names no format; formats are ...); did you mean json or jsonl?
  FATAL: Invalid value for --report-file: 'csb:x' (no such format; formats are ...); did you mean csv?
  FATAL: Invalid value for --report-file: 'x.prm' (its suffix names no format; formats are ...)
  FATAL: Invalid value for --report-file: 'x' (its suffix names no format; formats are ...)

Drivers, also by the names of their databases.

  $ echo 'sysbench.cmdline.commands = {ask = {function() sysbench.sql.driver() end}}' >ask.lua
  $ for v in mysqk mariadv; do sysbench ask.lua --db-driver=$v ask | grep -m 1 FATAL | sed 's/mysql, pgsql/mysql/'; done
  FATAL: invalid database driver name: 'mysqk' (allowed: mysql); did you mean mysql?
  FATAL: invalid database driver name: 'mariadv' (allowed: mysql)
