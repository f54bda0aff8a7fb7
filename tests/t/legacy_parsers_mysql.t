What published scripts read out of the reports of old generations, they read out of ours: tests/include/legacy_parsers.py
has their expressions.

  $ . "$TESTDIR/../include/mysql.sh"
  $ sb() { sysbench oltp_read_write --table-size=1000 "$@" $SB_MYSQL_ARGS; }
  $ parse() { python3 "$TESTDIR/../include/legacy_parsers.py" "$@"; }
  $ load() { sb --threads=2 --events=0 --time=2 --report-interval=1 "$@" run 2>&1; }
  $ sb prepare >out
  $ for dialect in L0 L1 L2 M0 0.5 1.0; do echo "$dialect"; load --compat=$dialect | parse $dialect; done
  L0
  drizzle_automation: ok
  linaro_lava: ok
  linaro_lava_oltp: ok
  galera_helper: ok
  mmtests: ok
  dynimize: ok
  L1
  drizzle_automation: ok
  linaro_lava: ok
  linaro_lava_oltp: ok
  galera_helper: ok
  mmtests: ok
  dynimize: ok
  cbtool: ok
  plot_sysbench: ok
  every_interval: ok
  L2
  drizzle_automation: ok
  linaro_lava: ok
  linaro_lava_oltp: ok
  galera_helper: ok
  mmtests: ok
  dynimize: ok
  dbt2: ok
  every_interval: ok
  M0
  mmtests: ok
  cbtool: ok
  kunbus: ok
  simonklee: ok
  percona_parse: ok
  dynimize: ok
  every_interval: ok
  0.5
  mmtests: ok
  cbtool: ok
  kunbus: ok
  vadimtk: ok
  plot_sysbench: ok
  dynimize: ok
  every_interval: ok
  1.0
  perfkit: ok
  sysbench_analyzer: ok
  plot_sysbench: ok
  dynimize: ok
  every_interval: ok

Built-in tests.

  $ for dialect in 0.4 0.5; do
  >   sysbench --test=cpu --num-threads=2 --max-requests=20 --compat=$dialect run 2>&1 | parse $dialect builtin
  > done
  linaro_lava: ok
  dynimize: ok
  kunbus: ok
  dynimize: ok

Without transactions, 0.5 reports none; the events are there.

  $ sb --skip-trx --compat=0.5 --max-requests=7 run | sed -n -E 's/^ +(transactions|total number of events): +//p'
  0      (0.00 per sec.)
  7
