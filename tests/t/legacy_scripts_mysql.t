The scripts of 0.5, against MariaDB: what the server gets, and scripts of that time that others wrote.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"
  $ own_server --port=none -- --max-connections=450 --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2 --log-output=TABLE
  $ legacy=/usr/share/no-such-folder/tests/include/oltp_legacy
  $ logged() { # the command's output in out, its statements in sent
  >   root "TRUNCATE mysql.general_log; SET GLOBAL general_log = 1"
  >   sysbench $args "$@" >out 2>err || { cat out err; }
  >   root \
  >     "SET GLOBAL general_log = 0; SELECT argument FROM mysql.general_log WHERE user_host LIKE '$user[%' AND command_type IN "\
  > "('Query', 'Execute')" \
  >     >sent
  > }
  $ shape() { sed -E "s/'[0-9-]+'/'S'/g; s/\b[0-9]+\b/N/g" sent; }
  $ figure() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" out; }

prepare: messages, tables, indexes.  Nothing of all this is installed where the command line looks.

  $ logged --test=$legacy/oltp.lua --oltp-table-size=0.05k --oltp-tables-count=2 prepare; cat err
  > tail -n +3 out | paste -sd '|' -
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  NOTE: /usr/share/no-such-folder/tests/include/oltp_legacy/oltp.lua does not exist: using oltp.lua of sysbench 0.5, which is built in
  Creating table 'sbtest1'...|Inserting 50 records into 'sbtest1'|Creating secondary indexes on 'sbtest1'...|Creating table 'sbtest2'...|Inserting 50 records into 'sbtest2'|Creating secondary indexes on 'sbtest2'...
  $ sed "s/VALUES(.*/VALUES .../" sent
  CREATE TABLE sbtest1 (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k INTEGER UNSIGNED DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb MAX_ROWS = 1000000 */
  INSERT INTO sbtest1(k, c, pad) VALUES ...
  CREATE INDEX k_1 on sbtest1(k)
  CREATE TABLE sbtest2 (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k INTEGER UNSIGNED DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb MAX_ROWS = 1000000 */
  INSERT INTO sbtest2(k, c, pad) VALUES ...
  CREATE INDEX k_2 on sbtest2(k)
  $ root \
  >   "SELECT COUNT(*), COUNT(DISTINCT c), MIN(k) >= 1, MAX(k) <= 50, SUM(c REGEXP '^([0-9]{11}-){9}[0-9]{11}$'), SUM(pad "\
  > "REGEXP '^([0-9]{11}-){4}[0-9]{11}$') FROM sbtest2"
  50\t50\t1\t1\t50\t50 (esc)

One event of each script: texts and order.

  $ run() { script=$1; shift
  > logged --test=$legacy/$script.lua --oltp-table-size=50 --max-requests=1 --rand-seed=3 "$@" run; grep FATAL out
  > shape; }
  $ run oltp --oltp-tables-count=2 | uniq -c
        1 BEGIN
       10 SELECT c FROM sbtest1 WHERE id=N
        1 SELECT c FROM sbtest1 WHERE id BETWEEN N AND N
        1 SELECT SUM(K) FROM sbtest1 WHERE id BETWEEN N AND N
        1 SELECT c FROM sbtest1 WHERE id BETWEEN N AND N ORDER BY c
        1 SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN N AND N ORDER BY c
        1 UPDATE sbtest1 SET k=k+N WHERE id=N
        1 UPDATE sbtest1 SET c='S' WHERE id=N
        1 DELETE FROM sbtest1 WHERE id=N
        1 INSERT INTO sbtest1 (id, k, c, pad) VALUES (N, N, 'S', 'S')
        1 COMMIT
  $ run oltp --compat=0.5 | grep BETWEEN
  SELECT c FROM sbtest1 WHERE id BETWEEN N AND N+N
  SELECT SUM(K) FROM sbtest1 WHERE id BETWEEN N AND N+N
  SELECT c FROM sbtest1 WHERE id BETWEEN N AND N+N ORDER BY c
  SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN N AND N+N ORDER BY c
  $ for s in oltp_simple select update_index update_non_index delete insert; do run $s; done
  SELECT c FROM sbtest1 WHERE id=N
  SELECT pad FROM sbtest1 WHERE id=N
  UPDATE sbtest1 SET k=k+N WHERE id=N
  UPDATE sbtest1 SET c='S' WHERE id=N
  DELETE FROM sbtest1 WHERE id=N
  INSERT INTO sbtest1 (id, k, c, pad) VALUES (N, N, 'S', 'S')
  $ run insert --oltp-auto-inc=off --oltp-table-size=1000
  INSERT INTO sbtest1 (id, k, c, pad) VALUES (N, N, 'S', 'S')
  $ grep -o '(648,' sent
  (648,
  $ for s in select_random_points select_random_ranges; do run $s --random-points=3 --number-of-ranges=2; done
  SELECT id, k, c, pad FROM sbtest1 WHERE k IN (N, N, N)
  SELECT count(k) FROM sbtest1 WHERE k BETWEEN N AND N OR k BETWEEN N AND N

With --compat=0.5 the last two have a table of their own.

  $ for s in select_random_points select_random_ranges; do
  >   logged --compat=0.5 --test=$legacy/$s.lua --oltp-table-size=3 prepare; (sed -n 3,9p out; cat sent) >made.$s
  >   run $s --compat=0.5 --random-points=3 --number-of-ranges=2
  >   sysbench $args --compat=0.5 --test=$legacy/$s.lua cleanup 2>&1 | tail -n 1
  > done; cat made.select_random_points; cmp made.*
  SELECT id, k, c, pad FROM sbtest WHERE k IN (N, N, N)
  Dropping table 'sbtest'...
  SELECT count(k) FROM sbtest WHERE k BETWEEN N AND N OR k BETWEEN N AND N
  Dropping table 'sbtest'...
  Creating table 'sbtest'...
  Inserting 3 records into 'sbtest'
  CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k INTEGER UNSIGNED DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb MAX_ROWS = 1000000 */
  INSERT INTO sbtest(k, c, pad) VALUES(1,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(2,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(3,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  CREATE INDEX k on sbtest(k)

The same statements in the same order, whatever carries the client.

  $ for w in 0 1 s; do
  >   logged --test=$legacy/oltp.lua --oltp-tables-count=2 --oltp-table-size=50 --max-requests=10 --rand-seed=11 \
  >     $(carried $w) run
  >   mv sent sent.$w
  > done
  $ wc -l <sent.0; cmp sent.0 sent.1; cmp sent.0 sent.s
  200

Counts: 14 selects, 4 writes, 2 others; options leave some out.  A flag is on only if it is the word `on`.

  $ legacy() { # its status if it fails, what it says on stderr
  >   script=$1; shift; sysbench $args --test=$legacy/$script.lua --oltp-table-size=50 "$@" >out 2>err || exited $?
  >   grep -v -e '--test option is deprecated' -e 'does not exist' err ; true
  > }
  $ again() { legacy oltp --oltp-tables-count=2 cleanup; legacy oltp --oltp-tables-count=2 prepare; }
  $ counts() { again; legacy oltp --max-requests=10 --rand-seed=7 "$@" run; echo "$(figure read) $(figure write) $(figure other)"; }
  $ counts; counts --oltp-read-only=on; counts --oltp-write-only=on; counts --oltp-skip-trx=on
  140 40 20
  140 0 20
  0 40 20
  140 40 0
  $ counts --oltp-read-only
  NOTE: --oltp-read-only is off, as in sysbench 0.5: only --oltp-read-only=on is on
  140 40 20
  $ counts --oltp_read_only=yes --oltp-point-selects=1 --oltp-range-selects=off --oltp-index-updates=0 --oltp-delete-inserts=2
  NOTE: --oltp-read-only=yes is off, as in sysbench 0.5: only --oltp-read-only=on is on
  10 50 20
  $ run oltp --oltp-tables-count=2 --mysql-table-engine=MyISAM | grep TABLES
  LOCK TABLES sbtest1 WRITE ,sbtest2 WRITE
  UNLOCK TABLES

Values that make no sense are refused before the first statement.

  $ for v in x '' 0 10kB nan; do logged --test=$legacy/oltp.lua --oltp-table-size=$v run | grep -o 'Invalid.*'; cat sent; done
  Invalid value for --oltp-table-size: 'x' (a number from 1, such as 10000 or 10k, is needed)
  Invalid value for --oltp-table-size: '' (a number from 1, such as 10000 or 10k, is needed)
  Invalid value for --oltp-table-size: '0' (a number from 1, such as 10000 or 10k, is needed)
  Invalid value for --oltp-table-size: '10kB' (a number from 1, such as 10000 or 10k, is needed)
  Invalid value for --oltp-table-size: 'nan' (a number from 1, such as 10000 or 10k, is needed)
  $ legacy oltp --oltp-tables-count=x prepare; grep FATAL out
  exit 1
  FATAL: `prepare' function failed: Invalid value for --oltp-tables-count: 'x' (a number from 1, such as 10000 or 10k, is needed)
  $ legacy select_random_points --random-points=0 run; grep -o 'Invalid.*' out
  exit 1
  Invalid value for --random-points: '0' (a number from 1, such as 10000 or 10k, is needed)
  $ legacy oltp --oltp-read-only=on --oltp-write-only=on run; grep FATAL out
  exit 1
  FATAL: `thread_init' function failed: --oltp-read-only and --oltp-write-only are mutually exclusive
  FATAL: Thread initialization failed!

bulk_insert numbers its tables from 0; parallel_prepare is parallel, both ways.

  $ made() { root "SELECT table_name FROM information_schema.tables WHERE table_schema = '$db' ORDER BY 1" | tr '\n' ' '; echo; }
  $ legacy oltp --oltp-tables-count=2 cleanup; made
  
  $ legacy bulk_insert --num-threads=2 prepare; legacy bulk_insert --num-threads=2 --max-requests=1000 run; made
  sbtest0 sbtest1 
  $ root "SELECT (SELECT COUNT(*) FROM sbtest0) + (SELECT COUNT(*) FROM sbtest1)"
  1000
  $ legacy bulk_insert --num-threads=2 cleanup; made
  
  $ connections() { root "SELECT COUNT(DISTINCT thread_id) FROM mysql.general_log WHERE argument LIKE 'CREATE TABLE%'"; }
  $ parallel() {
  >   logged --test=$legacy/parallel_prepare.lua --oltp-tables-count=5 --oltp-table-size=20 "$@"
  >   made; echo $(connections) $(root "SELECT COUNT(*) FROM sbtest5") $(grep '^thread' out | sort)
  >   legacy oltp --oltp-tables-count=5 cleanup
  > }
  $ parallel --num-threads=3 prepare
  sbtest1 sbtest2 sbtest3 sbtest4 sbtest5 
  3 20
  $ parallel --num-threads=3 --max-requests=3 run
  sbtest1 sbtest2 sbtest3 sbtest4 sbtest5 
  3 20 thread prepare0 thread prepare1 thread prepare2
  $ parallel --num-threads=3 --max-requests=0 run
  sbtest1 sbtest2 sbtest3 sbtest4 sbtest5 
  3 20 thread prepare0 thread prepare1 thread prepare2
  $ parallel prepare
  sbtest1 sbtest2 sbtest3 sbtest4 sbtest5 
  1 20

A directory of 2014 with a common.lua of its own, and one that has none.

  $ mkdir with without; cp "$TESTDIR"/../data/lua/db2014/*.lua with; cp with/oltp.lua without
  $ old() { sysbench $args --oltp-table-size=100 --oltp-tables-count=1 "$@" >out 2>err || exited $?
  > grep -h 'FATAL\|^NOTE' out err; true; }
  $ old --test=$PWD/with/oltp.lua prepare; tail -n +3 out
  Creating table 'sbtest1'...
  Inserting 100 records into 'sbtest1'
  $ # an event that met another's lock is run again, behind the last of its 11 reads
  > for more in '' --compat=0.5 '--workers=1 --workers=lua-state=worker'; do
  >   old --test=with/oltp.lua --num-threads=2 --max-requests=20 $more run
  >   echo $(($(figure read) - 11 * $(figure 'ignored errors'))) $(figure 'total number of events')
  > done
  220 20
  220 20
  220 20
  $ old with/oltp.lua --events=20 run; echo $(figure read)
  220
  $ (cd with; old --test=oltp.lua --max-requests=5 run; old --test=oltp.lua cleanup)
  $ old --test=without/oltp.lua prepare; old --test=without/oltp.lua --max-requests=20 run; echo $(figure read)
  220
  $ old --test=without/oltp.lua cleanup

With --compat=0.5 the first event need not connect, and an ignored error is the number 1.

  $ cat >catch.lua <<'END'
  > function thread_init(id) n = 0 end
  > function event(id)
  >    n = n + 1
  >    local ok, err = pcall(db_query, n == 1 and "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213" or "DO 1")
  >    if not ok then print(type(err), err == DB_ERROR_RESTART_TRANSACTION) error(err, 0) end
  > end
  > END
  $ for more in --compat=1.0 --compat=0.5; do
  >   logged --test=catch.lua --max-requests=2 $more run; grep -e '^number' -e '^table' out
  >   echo $(figure 'total number of events') $(figure 'ignored errors') $(cat sent)
  > done
  table\tfalse (esc)
  2 1 SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213 DO 1 DO 1
  number\ttrue (esc)
  2 1 SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213 DO 1 DO 1

What is found under which name: a file first, then a module, then a script of 0.5.

  $ for t in tests/db/oltp.lua oltp.lua ./oltp tests/db/insert oltp insert common random.lua x/random.lua; do
  >   sysbench $t help >out 2>err; echo "$t: $? $(cat err)" $(grep -o 'Cannot find [^:]*' out; grep -c -e --oltp-table-size= out)
  > done; sysbench --test=tests/db/oltp.lua --help 2>/dev/null | sed -n '2p;$p'
  tests/db/oltp.lua: 0 NOTE: tests/db/oltp.lua does not exist: using oltp.lua of sysbench 0.5, which is built in 1
  oltp.lua: 0 NOTE: oltp.lua does not exist: using oltp.lua of sysbench 0.5, which is built in 1
  ./oltp: 0 NOTE: ./oltp does not exist: using oltp.lua of sysbench 0.5, which is built in 1
  tests/db/insert: 0 NOTE: tests/db/insert does not exist: using insert.lua of sysbench 0.5, which is built in 1
  oltp: 1  Cannot find benchmark 'oltp' 0
  insert: 1  Cannot find benchmark 'insert' 0
  common: 1  Cannot find benchmark 'common' 0
  random.lua: 1  Cannot find benchmark 'random.lua' 0
  x/random.lua: 1  Cannot find benchmark 'x/random.lua' 0
    --oltp-table-size=N          rows of a table [10000]
  General options: sysbench --help
  $ echo 'function help() print("mine") end' >oltp.lua
  $ sysbench --test=./oltp.lua help 2>&1 | tail -n 1; sysbench --test=oltp.lua help 2>&1 | tail -n 1; rm oltp.lua
  mine
  mine

The scripts of 1.0 under their path; a name that both generations had means the one whose directory it is.

  $ for t in /nowhere/sysbench/oltp_read_only.lua /nowhere/sysbench/bulk_insert.lua /nowhere/tests/db/bulk_insert.lua; do
  >   sysbench $args $t --threads=2 --table-size=10 prepare 2>&1 | sed 1,2d | paste -sd '|' -
  >   sysbench $args $t --threads=2 cleanup >out 2>&1
  > done
  NOTE: /nowhere/sysbench/oltp_read_only.lua does not exist: using oltp_read_only.lua, which is built in|Initializing worker threads...||Creating table 'sbtest1'...|Inserting 10 records into 'sbtest1'|Creating a secondary index on 'sbtest1'...
  NOTE: /nowhere/sysbench/bulk_insert.lua does not exist: using bulk_insert.lua, which is built in|Creating table 'sbtest1'...|Creating table 'sbtest2'...
  NOTE: /nowhere/tests/db/bulk_insert.lua does not exist: using bulk_insert.lua of sysbench 0.5, which is built in|Creating table 'sbtest0'...|Creating table 'sbtest1'...

As many clients as need workers: the same scripts, the same work.  The server must have let those of the run before go.

  $ legacy oltp --oltp-tables-count=1 prepare
  $ nobody() { left=600
  > until [ "$(root "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '$user'")" = 0 ] || [ $left = 0 ]
  > do left=$((left - 1)); sleep 0.05; done; }
  $ for s in oltp oltp_simple select_random_points; do
  >   nobody
  >   legacy $s --num-threads=256 --max-requests=512 --oltp-read-only=on --report-file=json:a.json run
  >   echo $(figure 'total number of events') $(figure read) $(grep -c '"workers":"[1-9]' a.json)
  > done
  512 7168 1
  512 512 1
  512 512 1
