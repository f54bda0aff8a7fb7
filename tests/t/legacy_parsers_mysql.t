What published scripts read out of the reports of old generations, they read out of ours: tests/include/legacy_parsers.py
has their expressions.

  $ . "$TESTDIR/../include/mysql.sh"
  $ sb() { sysbench oltp_read_write --table-size=1000 "$@" $SB_MYSQL_ARGS; }
  $ parse() { python3 "$TESTDIR/../include/legacy_parsers.py" "$@"; }
  $ load() { sb --threads=2 --events=0 --time=2 --report-interval=1 "$@" run 2>&1; }
  $ sb prepare >out
  $ for dialect in L0 L1 L2 M0 0.5 1.0; do echo "$dialect"; load --compat=$dialect | parse $dialect; done
