What published scripts read out of the reports of old generations, they read out of ours: tests/include/legacy_parsers.py
has their expressions.

  $ . "$TESTDIR/../include/mysql.sh"
  $ parse() { python3 "$TESTDIR/../include/legacy_parsers.py" "$@"; }
  $ limits="--num-threads=2 --max-requests=0 --max-time=2 --report-interval=1"
  $ scripts=/usr/share/doc/sysbench/tests/db
  $ run() { sysbench "$@" $limits $SB_MYSQL_ARGS run; }

The built-in oltp test of 0.4.

  $ sysbench --test=oltp --compat=0.4 --oltp-table-size=1000 $SB_MYSQL_ARGS prepare >out
  $ run --test=oltp --compat=0.4 --oltp-table-size=1000 2>err | parse 0.4; cat err
  0.4: drizzle_automation linaro_lava linaro_lava_oltp galera_helper mmtests dynimize cbtool plot_sysbench every_interval
  $ sysbench --test=oltp --compat=0.4 $SB_MYSQL_ARGS cleanup >out

The scripts of 0.5.  Today's scripts, and the report of 1.0.

  $ sysbench --test=$scripts/oltp.lua --compat=0.5 --oltp-table-size=1000 $SB_MYSQL_ARGS prepare >out 2>err
  $ run --test=$scripts/oltp.lua --compat=0.5 --oltp-table-size=1000 2>err | parse 0.5
  0.5: mmtests cbtool kunbus vadimtk plot_sysbench dynimize every_interval
  $ sysbench oltp_read_write --table-size=1000 --threads=2 --events=0 --time=2 --report-interval=1 $SB_MYSQL_ARGS run | parse 1.0
  1.0: perfkit sysbench_analyzer plot_sysbench dynimize every_interval

Built-in tests.

  $ builtin() { name=$1; d=$2; shift 2; sysbench --test=$name --compat=$d "$@" run 2>&1 | parse $name $d; }
  $ for d in 0.4 0.5; do builtin cpu $d --num-threads=2 --max-requests=20; done
  cpu 0.4: linaro_lava dynimize
  cpu 0.5: kunbus dynimize
  $ builtin memory 0.4 --memory-total-size=10M
  memory 0.4: linaro_lava linaro_lava_memory
  $ files="--file-num=4 --file-total-size=4M"
  $ sysbench --test=fileio --compat=0.4 $files prepare >out
  $ for d in 0.4 0.5; do builtin fileio $d $files --file-test-mode=rndrw --max-requests=200; done
  fileio 0.4: linaro_lava linaro_lava_fileio azure_fileio
  fileio 0.5: azure_fileio

Without COMMITs, 0.5 has no transactions; the events are there.

  $ sysbench --test=$scripts/oltp_simple.lua --compat=0.5 --oltp-table-size=1000 --max-requests=7 $SB_MYSQL_ARGS run 2>err |
  >   sed -n -E 's/^ +(transactions|read|total number of events): +//p'
  7
  0      (0.00 per sec.)
  7

The line about a signal is in nobody's way.

  $ : >out; sysbench --test=oltp --compat=0.4 --max-requests=0 --max-time=600 --report-interval=1 --mysql-dry-run run >out 2>err & pid=$!
  $ wait_for out '^\[.*tps: ' 2; kill $pid; wait $pid; grep -c '^Interrupted' out; parse 0.4 <out
  1
  0.4: drizzle_automation linaro_lava linaro_lava_oltp galera_helper mmtests dynimize cbtool plot_sysbench every_interval
