What --help and --version print: wrappers parse it.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql

  $ sysbench --version
  sysbench 1\.0\.20 \(sysbench-tx \d+\.\d+\.\d+\) (re)

They work beside anything else that is wrong, and --help wins.

  $ sysbench --version --threads=abc --nosuch=1 nosuch run
  sysbench 1\.0\.20 \(sysbench-tx \d+\.\d+\.\d+\) (re)
  $ sysbench --help >help; echo $?
  0
  $ sysbench --version --threads=0 --percentile=1000 nosuch --help | cmp - help
  $ sysbench run --help=on | cmp - help
  $ sysbench --help=off --version=false nosuch | tail -n +3
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module

Nothing of it is on stderr.

  $ sysbench --help 2>&1 >/dev/null

The blocks and their order.

  $ head -n 6 help
  Usage:
    sysbench [options]... [testname] [command]
  
  Commands implemented by most tests: prepare run cleanup help
  
  General options:
  $ grep '^[^ ]' help | tail -n +4 | grep -v pgsql
  Client options:
  Steady rate options:
  Server telemetry options:
  Pseudo-Random Numbers Generator options:
  Log options:
  General database options:
  Compiled-in database drivers:
  mysql options:
  Compiled-in tests:
  See 'sysbench <testname> help' for a list of options for each test.
  $ grep -A 1 '^Compiled-in database drivers:' help
  Compiled-in database drivers:
    mysql - MySQL driver

Every option of 1.0 with its type and its default, in 1.0's order (--tx-rate is not the deprecated alias any more).

  $ cat >stock <<'END'
  > --threads=N [1]
  > --events=N [0]
  > --time=N [10]
  > --forced-shutdown=STRING [off]
  > --thread-stack-size=SIZE [64K]
  > --rate=N [0]
  > --report-interval=N [0]
  > --report-checkpoints=[LIST,...] []
  > --debug[=on|off] [off]
  > --validate[=on|off] [off]
  > --help[=on|off] [off]
  > --version[=on|off] [off]
  > --config-file=FILENAME
  > --max-requests=N [0]
  > --max-time=N [0]
  > --num-threads=N [1]
  > --tx-rate=N [0]
  > --rand-type=STRING [special]
  > --rand-spec-iter=N [12]
  > --rand-spec-pct=N [1]
  > --rand-spec-res=N [75]
  > --rand-seed=N [0]
  > --rand-pareto-h=N [0.2]
  > --verbosity=N [3]
  > --percentile=N [95]
  > --histogram[=on|off] [off]
  > --db-driver=STRING [mysql]
  > --db-ps-mode=STRING [auto]
  > --db-debug[=on|off] [off]
  > --mysql-host=[LIST,...] [localhost]
  > --mysql-port=[LIST,...] [3306]
  > --mysql-socket=[LIST,...]
  > --mysql-user=STRING [sbtest]
  > --mysql-password=STRING []
  > --mysql-db=STRING [sbtest]
  > --mysql-ssl[=on|off] [off]
  > --mysql-ssl-cipher=STRING []
  > --mysql-compression[=on|off] [off]
  > --mysql-debug[=on|off] [off]
  > --mysql-ignore-errors=[LIST,...] [1213,1020,1205]
  > --mysql-dry-run[=on|off] [off]
  > END
  $ rows() { sed -n -E -e 's/^  (--[^ ]+) .* (\[[^][]*\])$/\1 \2/p;t' -e 's/^  (--[^ ]+) .*/\1/p' "$1"; }
  $ rows help | grep -xF -f stock | diff stock -

What the steady rate and the server add, and what 1.1 has beside 1.0.

  $ rows help | grep -E -- '--(tx-|server|host-stats|warmup-time|thread-init|rand-zipf)'
  --warmup-time=N [0]
  --thread-init-timeout=N [30]
  --tx-rate=N [0]
  --tx-jitter=N [0]
  --tx-arrival=STRING [even]
  --tx-burst=N [0]
  --tx-overload=STRING
  --tx-max-lag=N [0]
  --tx-spin=N [0]
  --tx-strict=STRING
  --server=STRING
  --server-via=STRING
  --server-events=STRING [off]
  --server-status[=on|off] [off]
  --host-stats[=on|off] [off]
  --server-profile=STRING [off]
  --server-profile-file=STRING
  --server-profile-window=STRING
  --server-profile-hz=N [99]
  --rand-zipfian-exp=N [0.8]

In each list the descriptions begin in one column.

  $ awk '/^ *$/ { list++ } /^  --/ { match($0, /^  --[^ ]+ +/); if (!(list in at)) at[list] = RLENGTH;
  >   if (at[list] != RLENGTH) print "column " RLENGTH ", not " at[list] ": " $0; n++ } END { print (n > 40) }' help
  1
