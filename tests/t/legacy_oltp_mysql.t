The built-in test oltp of 0.4, against MariaDB: what the server gets, in every mode.

  $ . "$TESTDIR/../include/mysql.sh"
  $ own_server --port=none -- --innodb-buffer-pool-size=32M --innodb-flush-log-at-trx-commit=2 --log-output=TABLE
  $ old() { sysbench --test=oltp "$@" $args 2>err; }
  $ sent() {
  >   root "TRUNCATE mysql.general_log; SET GLOBAL general_log = 1"
  >   old "$@" >out; exited $?
  >   root "SET GLOBAL general_log = 0;
  >         SELECT command_type, argument FROM mysql.general_log WHERE user_host LIKE '%[$user]%'" >log
  > }
  $ executed() { sed -n 's/^\(Execute\|Query\)\t//p' log; }
  $ mask_ids() { sed -E -e "s/c='[0-9-]+'/c='TEXT'/" -e 's/[0-9]+/N/g'; }
  $ counter() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" out; }
  $ counts() { echo $(counter read) $(counter write) $(counter other) $(counter transactions); }

Tables: the index before the rows; rows that are all alike, 10000 of them in a statement.

  $ sent --compat=0.4 --oltp-table-size=25000 prepare
  $ tail -n +3 out
  Creating table 'sbtest'...
  Creating 25000 records in table 'sbtest'...
  $ executed | sed -E "s/(VALUES \(0[^)]*\),\(0[^)]*\)),.*/\1 .../" | uniq -c
        1 CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */
        1 CREATE INDEX k on sbtest(k)
        3 INSERT INTO sbtest(k, c, pad) VALUES (0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt') ...
  $ executed | grep '^INSERT' | while read -r text
  > do echo "$text" | tr ')' '\n' | grep -c "^,*(0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'$"; done
  9999
  9999
  4999
  $ root "SHOW CREATE TABLE sbtest" | sed 's/ AUTO_INCREMENT=[0-9]*//; s/ DEFAULT CHARSET.*//'
  sbtest\tCREATE TABLE `sbtest` (\\n  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,\\n  `k` int(10) unsigned NOT NULL DEFAULT 0,\\n  `c` char(120) NOT NULL DEFAULT '',\\n  `pad` char(60) NOT NULL DEFAULT '',\\n  PRIMARY KEY (`id`),\\n  KEY `k` (`k`)\\n) ENGINE=InnoDB (esc)
  $ root "SELECT COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT k, c, pad) FROM sbtest"
  25000\t1\t25000\t1 (esc)
  $ old --compat=0.4 prepare | tail -n +3
  Creating table 'sbtest'...
  ALERT: failed to execute MySQL query: `CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */`:
  ALERT: Error 1050 Table 'sbtest' already exists
  FATAL: failed to create test table
  $ sent --compat=0.4 cleanup; tail -n +3 out; executed
  Dropping table 'sbtest'...
  Done.
  DROP TABLE sbtest
  $ old --compat=0.4 cleanup | tail -n +3
  Dropping table 'sbtest'...
  ALERT: failed to execute MySQL query: `DROP TABLE sbtest`:
  ALERT: Error 1051 Unknown table 'sbtest.sbtest'
  FATAL: failed to drop test table

Other tables.

  $ created() { sent --compat=${dialect:-0.4} --oltp-table-size=2 "$@" prepare; executed; old "$@" cleanup >out; }
  $ created --oltp-auto-inc=off --oltp-table-name=t
  CREATE TABLE t (id INTEGER UNSIGNED NOT NULL, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */
  CREATE INDEX k on t(k)
  INSERT INTO t(id, k, c, pad) VALUES (1,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(2,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  $ created --oltp-auto-inc=off --oltp-secondary
  CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, KEY xid (id) )  /*! ENGINE=innodb */
  CREATE INDEX k on sbtest(k)
  INSERT INTO sbtest(id, k, c, pad) VALUES (1,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(2,0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  $ created --mysql-table-engine=myisam --myisam-max-rows=500 | head -n 1
  CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=MyISAM MAX_ROWS=500 */
  $ dialect=0.4 created --oltp-num-tables=3 | grep CREATE
  CREATE TABLE sbtest (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */
  CREATE INDEX k on sbtest(k)
  CREATE TABLE sbtest1 (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */
  CREATE INDEX k on sbtest1(k)
  CREATE TABLE sbtest2 (id INTEGER UNSIGNED NOT NULL AUTO_INCREMENT, k integer UNSIGNED DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  /*! ENGINE=innodb */
  CREATE INDEX k on sbtest2(k)
  $ drizzle() { sysbench --compat=0.4-drizzle --test=oltp --db-driver=drizzle --drizzle-mysql=on \
  >   --drizzle-socket=$socket --drizzle-user=$user --drizzle-db=$db "$@"
  > }
  $ (old() { drizzle "$@" 2>err; }; created)
  CREATE TABLE sbtest (id INTEGER NOT NULL AUTO_INCREMENT, k integer DEFAULT '0' NOT NULL, c char(120) DEFAULT '' NOT NULL, pad char(60) DEFAULT '' NOT NULL, PRIMARY KEY  (id) )  ENGINE=innodb
  CREATE INDEX k on sbtest(k)
  INSERT INTO sbtest(k, c, pad) VALUES (0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'),(0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt')
  $ (old() { drizzle "$@" 2>err; }
  >   sent --oltp-table-size=2 prepare; sent --oltp-table-size=2 --max-requests=1 run
  >   grep -c '^Prepare' log; executed | mask_ids | sed -n '2,3p;$p'; sent cleanup)
  0
  BEGIN
  SELECT c from sbtest where id=N
  COMMIT

A transaction of 0.4.12.

  $ old --oltp-table-size=1000 prepare >out; root "CREATE TABLE keep AS SELECT * FROM sbtest"
  $ sent --compat=0.4 --oltp-table-size=1000 --max-requests=1 run; counts
  14 5 2 1
  $ sed -n 's/^Prepare\t//p' log | paste -sd '|' -
  BEGIN|COMMIT|SELECT c from sbtest where id=?|SELECT c from sbtest where id between ? and ?|SELECT SUM(K) from sbtest where id between ? and ?|SELECT c from sbtest where id between ? and ? order by c|SELECT DISTINCT c from sbtest where id between ? and ? order by c|UPDATE sbtest set k=k+1 where id=?|UPDATE sbtest set c=? where id=?|DELETE from sbtest where id=?|INSERT INTO sbtest values(?,0,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  $ executed | mask_ids | uniq -c
        1 SHOW TABLE STATUS LIKE 'sbtest'
        1 BEGIN
       10 SELECT c from sbtest where id=N
        1 SELECT c from sbtest where id between N and N
        1 SELECT SUM(K) from sbtest where id between N and N
        1 SELECT c from sbtest where id between N and N order by c
        1 SELECT DISTINCT c from sbtest where id between N and N order by c
        1 UPDATE sbtest set k=k+N where id=N
        1 UPDATE sbtest set c='TEXT' where id=N
        1 UPDATE sbtest set k=k+N where id=N
        1 DELETE from sbtest where id=N
        1 INSERT INTO sbtest values(N,N,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
        1 COMMIT

What the ranges cover, and whose row the last three statements change.

  $ sent --compat=0.4 --oltp-table-size=1000 --oltp-dist-type=uniform --max-requests=200 run; counts
  2800 1000 400 200
  $ ranges() { executed | sed -n -E "s/^SELECT $1 .*between ([0-9]+) and ([0-9]+)$2$/\1 \2/p" | awk \
  >   '{ print $2 - $1 }' | sort | uniq -c | sed 's/^ *//'
  > }
  $ ranges c; ranges 'SUM\(K\)'; ranges c ' order by c'; ranges 'DISTINCT c' ' order by c'
  200 99
  200 99
  200 99
  200 100
  $ executed | grep -c -E 'between (90[1-9]|9[1-9][0-9]|1000) ' || true
  0
  $ executed |
  >   awk \
  >     '/^DELETE/ { split(before, a, "id="); split($0, d, "id="); getline; split($0, i, /[(,]/); same += a[2] == d[2] && d[2] '\
  > '== i[2]; n++ } { before = $0 } END { print same, n }'
  200 200
  $ root "SELECT COUNT(*) FROM sbtest"
  1000

Limits: 10000 transactions and no time, unless they are given.

  $ events() { old --oltp-test-mode=simple --oltp-table-size=1000 "$@" run >out
  > sed -n -E 's/^ *total number of events: *([0-9]+)$/\1/p' out; }
  $ events; events --compat=0.4; events --max-requests=7; events --threads=2 --events=8
  10000
  10000
  7
  8
  $ timed 1 9999 $(events --max-time=1 --oltp-user-delay-min=1000 --oltp-user-delay-max=2000)
  $ timed 1 9999 $(events --max-requests=0 --max-time=1 --oltp-user-delay-min=1000 --oltp-user-delay-max=2000); ! grep limited out

The same without --compat, with 1.0's report; what came after 0.4.12 does without the extra UPDATE.

  $ ten() { sent --oltp-table-size=1000 --max-requests=10 "$@" run; counts; executed | sed 's/ .*//' | sort | uniq -c; }
  $ ten; cat err; ten --compat=0.4 >old; ten | diff - old
  140 50 20 10
       10 BEGIN
       10 COMMIT
       10 DELETE
       10 INSERT
      140 SELECT
        1 SHOW
       30 UPDATE
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.

Options that change the list.

  $ list() { sent --compat=${dialect:-0.4} --oltp-table-size=1000 --max-requests=10 "$@" run; counts; }
  $ list --oltp-read-only; list --oltp-read-only --oltp-skip-trx; list --oltp-write-only
  140 0 20 10
  140 0 0 10
  0 50 20 10
  $ list --oltp-range-selects=off --oltp-point-selects=1
  > list --oltp-simple-ranges=2 --oltp-sum-ranges=0 --oltp-order-ranges=3 --oltp-distinct-ranges=0
  > list --oltp-index-updates=3 --oltp-non-index-updates=2 --oltp-delete-inserts=2
  10 50 20 10
  150 50 20 10
  140 110 20 10
  $ list --oltp-range-size=5 --oltp-read-only >/dev/null; ranges c; ranges 'DISTINCT c' ' order by c'
  10 4
  10 5
  $ list --oltp-point-select-all-cols --oltp-read-only >/dev/null; executed | sed -n 3p | mask_ids
  SELECT id, k, c, pad from sbtest where id=N
  $ list --oltp-point-select-mysql-handler --oltp-read-only; executed | sed -n '2p;4p' | mask_ids
  140 0 21 10
  HANDLER sbtest OPEN
  HANDLER sbtest READ `PRIMARY` = (N)
  $ list --db-ps-mode=disable; grep -c '^Prepare' log; executed | sed -n '2,4p' | mask_ids | uniq -c | xargs
  140 50 20 10
  0
  1 BEGIN 2 SELECT c from sbtest where id=N

Modes.

  $ list --oltp-test-mode=simple; executed | tail -n 1 | mask_ids; grep -c '^Prepare' log
  10 0 0 10
  SELECT c from sbtest where id=N
  11
  $ for m in select update_key update_nokey delete insert; do
  >   list --oltp-test-mode=nontrx --oltp-nontrx-mode=$m >out.$m
  >   echo $(cat out.$m) / $(grep -c '^Prepare' log) / "$(executed | grep -v '^SHOW' | sed -n '$p' | mask_ids)"
  > done
  10 0 0 10 / 5 / SELECT pad from sbtest where id=N
  0 10 0 10 / 5 / UPDATE sbtest set k=k+N where id=N
  0 10 0 10 / 5 / UPDATE sbtest set c='TEXT' where id=N
  0 10 0 10 / 5 / DELETE from sbtest where id=N
  0 10 0 10 / 5 / INSERT INTO sbtest values(NULL,N,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  $ root "SELECT * FROM sbtest LIMIT 1; SELECT COUNT(*), MAX(id) FROM sbtest"
  1\t0\t\taaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy (esc)
  10\t10 (esc)
  $ root "TRUNCATE sbtest; INSERT INTO sbtest SELECT * FROM keep"
  $ list --oltp-test-mode=nontrx --oltp-nontrx-mode=delete --max-requests=3; executed | grep DELETE
  0 3 0 3
  DELETE from sbtest where id=648
  DELETE from sbtest where id=295
  DELETE from sbtest where id=942
  $ list --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off --max-requests=3; executed | tail -n 4
  0 3 0 3
  TRUNCATE TABLE sbtest
  INSERT INTO sbtest values(648,0,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  INSERT INTO sbtest values(295,0,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  INSERT INTO sbtest values(942,0,' ','aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')
  $ root "TRUNCATE sbtest; INSERT INTO sbtest SELECT * FROM keep"
  $ root "CREATE PROCEDURE p(t INT, n INT) SELECT t, n"
  $ list --oltp-test-mode=sp --oltp-sp-name=p; executed | tail -n 1
  0 0 10 10
  CALL p(0,1)
  $ list --oltp-test-mode=sp --oltp-sp-name=p --num-threads=4; executed | grep -c '^CALL p([0-3],4)$'
  0 0 10 10
  10
  $ root "CREATE PROCEDURE quiet(t INT, n INT) SET @x = t"
  $ list --oltp-test-mode=sp --oltp-sp-name=quiet | head -n 1; grep FATAL out
  exit 1
  FATAL: the stored procedure 'quiet' returned no result set

Engines without transactions.

  $ root "ALTER TABLE sbtest ENGINE=MyISAM"
  $ list; executed | sed -n '1,2p;$p'; grep LOCK out
  140 50 20 10
  SHOW TABLE STATUS LIKE 'sbtest'
  LOCK TABLES sbtest WRITE
  UNLOCK TABLES
  Using "LOCK TABLES WRITE" for starting transactions
  $ list --oltp-read-only; executed | sed -n '2p;$p'; grep LOCK out
  140 0 20 10
  LOCK TABLES sbtest READ
  UNLOCK TABLES
  Using "LOCK TABLES READ" for starting transactions
  $ list --mysql-engine-trx=yes; executed | sed -n '1p;$p'
  140 50 20 10
  BEGIN
  COMMIT
  $ root "ALTER TABLE sbtest ENGINE=Aria"; list; executed | sed -n '2p'
  140 50 20 10
  LOCK TABLES sbtest WRITE
  $ root "ALTER TABLE sbtest ENGINE=InnoDB"
  $ list --oltp-table-name=nosuch | head -n 1; tail -n 1 out
  exit 1
  FATAL: there is no table 'nosuch': run the command 'prepare' first, or give its name with --oltp-table-name

Deadlocks: the list is sent once more, with the same ids; no ROLLBACK.

  $ deadlock() {
  >   root "DELIMITER //
  >   CREATE TRIGGER bad BEFORE UPDATE ON sbtest FOR EACH ROW BEGIN
  >     SET @n = IFNULL(@n, 0) + 1; IF @n = $2 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = $1; END IF; END //"
  > }
  $ for e in 1213 1205 1020
  > do
  >   deadlock $e 2; list --max-requests=1 --oltp-point-selects=2 --oltp-range-selects=off; root "DROP TRIGGER bad"
  > done | uniq -c
        3 4 6 3 1
  $ executed | sed 's/ .*//' | uniq -c | xargs
  1 SHOW 1 BEGIN 2 SELECT 2 UPDATE 1 BEGIN 2 SELECT 3 UPDATE 1 DELETE 1 INSERT 1 COMMIT
  $ executed | awk '/^BEGIN/ { t++ } t == 1 { a[++n] = $0 } t == 2 && ++m <= n { same += a[m] == $0 } END { print same, n }'
  5 5
  $ deadlock 1062 3; list | head -n 1; grep -E "FATAL|ALERT" out
  > old --oltp-table-size=1000 run | sed -n -E '/FATAL/s/oltp:[0-9]+/oltp:N/p'; root "DROP TRIGGER bad"
  exit 1
  ALERT: mysql_stmt_execute() returned error 1062 (Unhandled user-defined exception condition) for query 'UPDATE sbtest set k=k+1 where id=?'
  FATAL: database error, exiting...
  FATAL: `thread_run' function failed: oltp:N: SQL error, errno = 1062, state = '40001': Unhandled user-defined exception condition

Real ones, between threads that use few rows: each is one BEGIN more.

  $ old --compat=0.4 --oltp-table-size=30 --oltp-dist-type=uniform --num-threads=16 --max-requests=500 run >out; exited $?
  $ echo $(counter transactions) $(($(counter other) - 2 * $(counter transactions) - $(counter deadlocks)))
  500 0

New connections.

  $ for m in session transaction query
  > do
  >   list --oltp-reconnect-mode=$m --oltp-connect-delay=0 >count
  >   echo $(cat count) / $(grep -c '^Connect' log) $(grep -c '^Prepare' log)
  > done
  140 50 20 10 / 2 11
  140 50 30 10 / 12 121
  140 50 180 10 / 162 1771
  $ list --oltp-reconnect-mode=query --oltp-connect-delay=0 --max-requests=1 >/dev/null
  > sed -n -E 's/^(Execute|Connect)\t([A-Z]*).*/\2/p' log | sed 's/^$/connect/' | xargs
  connect connect BEGIN SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect SELECT connect UPDATE connect UPDATE connect UPDATE DELETE INSERT COMMIT
  $ list --oltp-reconnect-mode=random --oltp-connect-delay=0 --oltp-test-mode=simple --max-requests=300
  > in_range 160 240 $(grep -c '^Connect' log)
  300 0 187 300

A connection that the server closes takes its HANDLER along: the new one opens it again.

  $ # the old one may still be there
  > client() { root "SELECT id FROM information_schema.processlist WHERE user = '$user' ORDER BY id DESC LIMIT 1"; }
  $ : >out; sysbench --compat=0.4 --test=oltp $args --oltp-table-size=1000 --oltp-test-mode=simple --oltp-point-select-mysql-handler \
  >   --mysql-ignore-errors=1927,2006,2013 --max-requests=0 run >out 2>&1 & run=$!
  $ wait_for out 'Threads started'; for n in 1 2 3; do
  >   until id=$(client) && [ "$id" ] && [ "$id" != "$last" ]; do sleep 0.02; done; last=$id; root "KILL $id"
  > done; until id=$(client) && [ "$id" ] && [ "$id" != "$last" ]; do sleep 0.02; done
  $ kill $run; wait $run; exited $?; grep -e FATAL -e ALERT out; grep -o '^connection lost' out | uniq
  exit 143
  connection lost

Waits.

  $ timed 0.2 1 \
  >   $(old --oltp-table-size=1000 --oltp-test-mode=simple --max-requests=10 \
  >   --oltp-user-delay-min=20000 --oltp-user-delay-max=20001 run | sed -n -E 's/^ *total time: *([0-9.]+)s$/\1/p')

Two or more tables: a thread uses one.

  $ old --compat=0.4 --oltp-num-tables=2 --oltp-table-name=many prepare >out
  > dialect=0.4 list --num-threads=3 --oltp-num-tables=2 --oltp-table-name=many --oltp-test-mode=simple
  10 0 0 10
  $ grep 'test tables' out; sed -n 's/^Prepare.*DELETE from \([a-z0-9]*\) .*/\1/p' log | sort | uniq -c
  Using 2 test tables
        2 many
        1 many1

Carried by workers, whose clients share a Lua state: the same statements.

  $ for w in 0 1
  > do
  >   sent --compat=0.4 --oltp-table-size=1000 --max-requests=20 --rand-seed=5 --workers=$w run; executed >sent.$w
  > done
  > cmp sent.0 sent.1

What the run says before it begins, in 0.4's words.

  $ mode() { list --max-requests=1 "$@" >/dev/null; sed -n '/^Doing OLTP/,/^Threads started/p' out | paste -sd '|' -; }
  $ mode
  Doing OLTP test.|Running mixed OLTP test|Using Special distribution (12 iterations,  1 pct of values are returned in 75 pct cases)|Using "BEGIN" for starting transactions|Using auto_inc on the id column|Maximum number of requests for OLTP test is limited to 1|Threads started!
  $ mode --oltp-test-mode=simple --oltp-dist-type=uniform --oltp-auto-inc=off --max-requests=0 --max-time=1
  Doing OLTP test.|Running simple OLTP test|Using Uniform distribution|Using "BEGIN" for starting transactions|Not using auto_inc on the id column|Threads started!
  $ mode --oltp-read-only --oltp-skip-trx --oltp-dist-type=gaussian --oltp-dist-iter=3 --validate
  Doing OLTP test.|Running mixed OLTP test|Doing read-only test|Using Normal distribution (3 iterations)|Skipping BEGIN/COMMIT|Using auto_inc on the id column|Maximum number of requests for OLTP test is limited to 1|Validation mode enabled|Threads started!
  $ dialect=0.4 mode --oltp-write-only --oltp-dist-pct=5 --oltp-dist-res=90
  Doing OLTP test.|Running mixed OLTP test|Doing write-only test|Using Special distribution (12 iterations,  5 pct of values are returned in 90 pct cases)|Using "BEGIN" for starting transactions|Using auto_inc on the id column|Maximum number of requests for OLTP test is limited to 1|Threads started!
  $ mode --oltp-test-mode=sp --oltp-sp-name=p
  Doing OLTP test.|Running stored procedure test|Threads started!

What is refused, in one sentence.

  $ for o in --oltp-test-mode=mixed --oltp-reconnect-mode=no --oltp-dist-res=100 --oltp-range-size=0 \
  >   --oltp-test-mode=sp --oltp-secondary --oltp-table-size=0 "--oltp-read-only --oltp-write-only"
  > do
  >   old $o run | tail -n 1; done
  FATAL: Invalid value for --oltp-test-mode: 'mixed' (allowed: simple, complex, nontrx, sp)
  FATAL: Invalid value for --oltp-reconnect-mode: 'no' (allowed: session, transaction, query, random)
  FATAL: Invalid value for --oltp-dist-res: 100 (a whole number from 0 to 99 is needed)
  FATAL: Invalid value for --oltp-range-size: 0 (a whole number from 1 to 2147483647 is needed)
  FATAL: --oltp-test-mode=sp needs the name of a stored procedure: --oltp-sp-name
  FATAL: --oltp-secondary needs --oltp-auto-inc=off: only a key of its own can assign the ids
  FATAL: --oltp-table-size=0: a run needs at least one row
  FATAL: --oltp-read-only and --oltp-write-only are mutually exclusive
  $ sysbench oltp run 2>&1 | tail -n 1
  FATAL: Cannot find benchmark 'oltp': no such built-in test, file or module; today it is oltp_read_write or oltp_read_only; that of 0.4 is --compat=0.4 --test=oltp
  $ old --oltp-avoid-deadlocks --max-requests=1 --oltp-table-size=1000 run >out; cat err
  WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any options.
  WARNING: --oltp-avoid-deadlocks has no effect
  $ for o in avoid-deadlocks use-in-statement=1 num-partitions=2 use-filter use-range use-ndb-disk-data; do
  >   old --compat=0.4 --oltp-$o --max-requests=1 --oltp-table-size=1000 run >out; cat err
  > done | paste -sd '|' -
  WARNING: --oltp-avoid-deadlocks has no effect|WARNING: --oltp-use-in-statement has no effect|WARNING: --oltp-num-partitions has no effect|WARNING: --oltp-use-filter has no effect|WARNING: --oltp-use-range has no effect|WARNING: --oltp-use-ndb-disk-data has no effect
  $ old --compat=0.4 --oltp-table-name=told --oltp-table-comment-string="it's" --oltp-table-size=1 prepare >out
  > root "SHOW CREATE TABLE told" | grep -o 'COMMENT.*'
  COMMENT='it''s'

A script of that name is preferred, as in 1.0, but not in 0.4.

  $ echo 'function event() return true end' >oltp.lua
  $ old run | grep -c 'OLTP test'; old --compat=0.4 --oltp-table-size=1000 --max-requests=1 run | grep -E '^(Doing|Running).*OLTP test'
  0
  Doing OLTP test.
  Running mixed OLTP test

In 0.5 it is a script, which was found without a directory, too.

  $ rm oltp.lua; old --compat=0.5 --mysql-dry-run --max-requests=2 run >out; cat err; echo $(counter read) $(counter write) $(counter other)
  NOTE: oltp does not exist: using oltp.lua of sysbench 0.5, which is built in
  28 8 4
