Command lines of sysbench 0.4, 0.5 and 1.0 (docs/seeds.md), against MariaDB.  What was printed stands as it was, but in one
line; what follows at its end, the address of the private server and a smaller load, is in $here.

  $ . "$TESTDIR/../include/mysql.sh"
  $ [ "$SB_MYSQL_ENGINE" != mysql ] || skip 'needs MariaDB'
  $ here="$SB_MYSQL_ARGS --mysql-password= --oltp-table-size=1000 --oltp-tables-count=2 --max-time=1"
  $ line() { sysbench "$@" $here >out 2>err; exited $?; grep -h -E '^(FATAL|ALERT)' out err || :; }
  $ figure() { sed -n -E "s/^ *$1: *([0-9.]+).*/\1/p" out; }
  $ is_sum() { [ $(($1)) = "$2" ] || echo "$1 is not $2"; }

A tutorial on CPU stalls, with sysbench 0.5: prepare, a read-only run, a read-write run.

  $ to="--test=/usr/share/doc/sysbench/tests/db/oltp.lua --oltp-table-size=1000000 --mysql-db=test --mysql-user=root "\
  > "--mysql-password=password"
  $ line $to --db-driver=mysql prepare
  $ cat err
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  NOTE: /usr/share/doc/sysbench/tests/db/oltp.lua does not exist: using oltp.lua of sysbench 0.5, which is built in
  $ tables
  sbtest1
  sbtest2
  $ ro="$to --max-time=999999 --max-requests=0 --num-threads=64 --report-interval=10 --oltp-read-only=on --db-driver=mysql run"
  $ here="$here --report-interval=1"
  $ line $ro
  $ is_sum "$(figure transactions) * 14" "$(figure read)"; figure write
  0
  $ SYSBENCH_COMPAT=0.5 line $ro
  $ grep '^sysbench' out | mask; grep '^\[' out | mask | sort -u # a loaded machine may need another interval
  sysbench N.N:  multi-threaded system evaluation benchmark
  [ Ns] threads: N, tps: N.NN, reads: N.NN, writes: N.NN, response time: N.NNms (N%), errors: N.NN, reconnects: N.NN
  $ SYSBENCH_COMPAT=0.5 line $to --max-time=999999 --max-requests=0 --num-threads=64 --report-interval=60 \
  >   --oltp-read-only=off --db-driver=mysql run
  $ in_range $(($(figure transactions) * 18)) $((($(figure transactions) + $(figure 'ignored errors')) * 18)) \
  >   "$(figure 'read\/write requests')"

A comparison of Drizzle and MySQL, with the driver for both: its two lines.  $drizzle is the private server's address.

  $ drizzle="--drizzle-socket=$SB_MYSQL_SOCKET --drizzle-user=$SB_MYSQL_USER --drizzle-db=$SB_MYSQL_DB"
  $ here="$drizzle --oltp-table-size=1000 --max-time=1"
  $ line --test=oltp --db-driver=drizzle prepare
  $ line –test=oltp –oltp-read-only=on –max-time=15 –max-requests=0 –oltp-table-size=1000000 –num-threads=16 \
  >   –db-ps-mode=disable –db-driver=drizzle –drizzle-host=127.0.0.1 –drizzle-port=4427 –drizzle-db=test \
  >   –drizzle-user=root –drizzle-table-engine=innodb run
  $ is_sum "$(figure transactions) * 14" "$(figure read)"; cat err
  NOTE: a dash that was typeset (–test) is taken as --
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  NOTE: --db-driver=drizzle speaks MySQL's protocol, as with --drizzle-mysql=on
  $ SYSBENCH_COMPAT=0.4 line –test=oltp –oltp-read-only=on –max-time=15 –max-requests=0 –oltp-table-size=1000000 \
  >   –num-threads=16 –db-ps-mode=disable –db-driver=drizzle –drizzle-host=127.0.0.1 –drizzle-port=3306 \
  >   –drizzle-db=test –drizzle-user=root –drizzle-table-engine=innodb –drizzle-mysql=on run
  $ (sed -n '1,11p' out; grep -E '^(OLTP|Test exec|    per-req| *approx)' out | mask) | paste -sd '|' -
  sysbench 0.4.12:  multi-threaded system evaluation benchmark||Running the test with following options:|Number of threads: 16||Doing OLTP test.|Running mixed OLTP test|Doing read-only test|Using Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)|Using "BEGIN" for starting transactions|Using auto_inc on the id column|OLTP test statistics:|Test execution summary:|    per-request statistics:|         approx. N percentile: N.NNms

A search for a regression between two MariaDB versions, with sysbench 1.0.18.

  $ sql "DROP TABLE sbtest, sbtest1, sbtest2"
  $ here="$SB_MYSQL_ARGS --mysql-password= --table-size=1000 --time=1 --report-interval=1"
  $ line oltp_read_write --db-driver=mysql --tables=5 --table-size=100000 --mysql-user=openxs \
  >   --mysql-socket=/tmp/mariadb.sock --mysql-db=sbtest --threads=4 prepare
  $ line oltp_read_write --db-driver=mysql --tables=5 --table-size=100000 --mysql-user=openxs \
  >   --mysql-socket=/tmp/mariadb.sock --mysql-db=sbtest --time=300 --report-interval=10 --threads=4 run
  $ grep '^\[' out | mask
  [ Ns ] thds: N tps: N.NN qps: N.NN (r/w/o: N.NN/N.NN/N.NN) lat (ms,N%): N.NN err/s: N.NN reconn/s: N.NN

A script that plots throughput against threads: its options, and the pipe that reads the log.

  $ sql "DROP TABLE sbtest1, sbtest2, sbtest3, sbtest4, sbtest5"
  $ here="$SB_MYSQL_ARGS --mysql-password= --oltp-table-size=1000 --oltp-tables-count=2 --time=1"
  $ pathToLuas=/usr/share/sysbench/tests/include/oltp_legacy
  $ tableSize=1000000 numTables=10 dbName=test user=root pwd=password measureTime=60 readOnly=on numCPUs=2
  $ line $pathToLuas/parallel_prepare.lua --num-threads=$numCPUs --oltp-table-size=$tableSize \
  >   --oltp-tables-count=$numTables --mysql-db=$dbName --mysql-user=$user --mysql-password=$pwd --db-driver=mysql \
  >   prepare
  $ tables
  sbtest1
  sbtest2
  $ for i in 1 2 4; do
  >   line --test=$pathToLuas/oltp.lua --oltp-table-size=$tableSize --oltp-tables-count=$numTables --mysql-db=$dbName \
  >     --mysql-user=$user --mysql-password=$pwd --time=$measureTime --oltp-read-only=$readOnly --max-requests=0 \
  >     --threads=$i --db-driver=mysql run
  >   cat out >>sysbenchLog; figure 'total number of events' >>events
  > done
  $ cat sysbenchLog | grep -E "threads:|total number of events:" | tr -d "\n" | sed 's/Number of threads: /\n/g' |
  >   sed "s/total number of events://g" | awk '{if(NR>1){print $1 "\t" $2}}' >csv
  $ cut -f1 csv; cut -f2 csv | cmp - events
  1
  2
  4

The cost of connections at a steady rate: a line of the patch of 2009, and pstime beside the run. Each of 32 threads starts
one transaction per 64 ms, its eighth not before 448 ms.  They read only: on so small a table, writers wait for each other.

  $ here="$SB_MYSQL_ARGS --oltp-table-size=1000 --oltp-read-only=on --max-requests=256 --num-threads=32"
  $ line --test=oltp prepare
  $ SYSBENCH_COMPAT=0.4 line --test=oltp --oltp-table-size=1000000 --num-threads=512 --max-requests=0 --max-time=60 \
  >   --tx-rate=500 --tx-jitter=0 run
  $ grep -E '^(Target|Number|Rate:)' out; figure transactions; figure 'total number of events'
  > in_range 0.44 60 "$(figure 'total time')"
  Number of threads: 32
  Target transaction rate: 500/sec, with jitter 0 usec
  256
  256
  $ sql "DROP TABLE sbtest"

  $ pstime 0.1 $(cat "$(dirname "$SB_MYSQL_SOCKET")/mariadbd.pid" 2>/dev/null || pgrep -f "socket=$SB_MYSQL_SOCKET") \
  >   2>/dev/null |
  >   awk '{ print (NF > 4), (NR > 1 ? "" : $0) }'
  1 UID          PID   %USR   %SYS COMMAND
  1 

Lines from pastebins and test suites.

  $ here="$SB_MYSQL_ARGS --mysql-password= --oltp-table-size=1000 --max-time=1"
  $ line --test=/usr/share/sysbench/tests/include/oltp_legacy/oltp.lua --oltp-table-size=1000000 --mysql-db=sbtest \
  >   --mysql-user=user --mysql-password=passwd --max-time=60 --oltp-test-mode=complex --oltp-read-only=off \
  >   --max-requests=0 --num-threads=64 --db-driver=mysql run
  $ is_sum "$(figure transactions) * 14" "$(figure read)" >more; [ "$(figure read)" -ge $(($(figure transactions) * 14)) ]
  $ line --test=oltp --mysql-password='****' --mysql-user='root' --mysql-db='test' --mysql-table-engine=myisam prepare
  $ SYSBENCH_COMPAT=0.4 line --test=oltp --mysql-password='****' --mysql-user='root' --mysql-db='test' \
  >   --mysql-table-engine=myisam --num-threads=100 --max-requests=100000 --oltp-read-only=on run
  $ grep Using out
  Using Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)
  Using "LOCK TABLES READ" for starting transactions
  Using auto_inc on the id column
  $ here="$here --oltp-tables-count=2"
  $ line --test=/usr/share/doc/sysbench/tests/db/oltp.lua --mysql-host=localhost --mysql-port=3306 --mysql-user=root \
  >   --mysql-password=admin --mysql-db=test --mysql-table-engine=innodb --mysql-ignore-errors=all \
  >   --oltp-test-mode=complex --oltp-read-only=off --oltp-reconnect=on --oltp-tables-count=128 \
  >   --oltp-table-size=10000 --max-requests=100000000 --num-threads=32 --report-interval=1 --report-checkpoints=10 \
  >   --tx-rate=24 run
  $ figure target; grep -c '^Rate:' out
  24.00
  1
  $ sql "DROP TABLE sbtest, sbtest1, sbtest2"
  $ line run --test=/usr/share/doc/sysbench/tests/db/parallel_prepare.lua --oltp-table-size=1000 \
  >   --oltp_tables_count=30 --mysql-db=test --mysql-user=root --num-threads=30 --db-driver=mysql --max-requests=30
  $ tables
  sbtest1
  sbtest2
  $ SYSBENCH_COMPAT=0.5 sysbench --version | cut -d ' ' -f2 | grep -oe '[0-9]\.[0-9]'
  0.5
