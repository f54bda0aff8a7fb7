The built-in test oltp of 0.4, against MariaDB: what the server gets, in every mode.

  $ . "$TESTDIR/../include/mysql.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || exit 80
  $ "$SB_DBSERVER" start --dir="$PWD/db" --port=none -- --innodb-buffer-pool-size=32M \
  >   --innodb-flush-log-at-trx-commit=2 --log-output=TABLE >env || cat env
  $ . ./env
  $ trap '"$SB_DBSERVER" stop --dir="$PWD/db" --remove' EXIT
  $ root() { mariadb --no-defaults --socket=$socket --user=$admin --batch --skip-column-names "$db" --execute="$1"; }
  $ old() { sysbench --test=oltp "$@" $args 2>err; }
  $ sent() {
  >   root "TRUNCATE mysql.general_log; SET GLOBAL general_log = 1"
  >   old "$@" >out; echo "exit $?"
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
  $ executed | sed -E "s/(VALUES \(0[^)]*\),\(0[^)]*\)),.*/\1 .../"
  $ executed | grep '^INSERT' | while read -r text; do echo "$text" | tr ')' '\n' | grep -c "^,*(0,' ','qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt'$"; done
  $ root "SHOW CREATE TABLE sbtest" | sed 's/ AUTO_INCREMENT=[0-9]*//; s/ DEFAULT CHARSET.*//'
  $ root "SELECT COUNT(*), MIN(id), MAX(id), COUNT(DISTINCT k, c, pad) FROM sbtest"
  $ old --compat=0.4 prepare | tail -n +3
  $ sent --compat=0.4 cleanup; tail -n +3 out; executed
  $ old --compat=0.4 cleanup | tail -n +3

Other tables.

  $ created() { sent --compat=${dialect:-0.4} --oltp-table-size=2 "$@" prepare; executed; old "$@" cleanup >out; }
  $ created --oltp-auto-inc=off --oltp-table-name=t
  $ created --oltp-auto-inc=off --oltp-secondary
  $ created --mysql-table-engine=myisam --myisam-max-rows=500 | head -n 2
  $ dialect=L2 created --oltp-num-tables=3 | grep CREATE

A transaction of 0.4.12.

  $ old --oltp-table-size=1000 prepare >out; root "CREATE TABLE keep AS SELECT * FROM sbtest"
  $ sent --compat=0.4 --oltp-table-size=1000 --max-requests=1 run; counts
  $ grep '^Prepare' log
  $ executed | mask_ids
  $ executed | head -n 2

What the ranges cover, and whose row the last three statements change.

  $ sent --compat=0.4 --oltp-table-size=1000 --oltp-dist-type=uniform --max-requests=200 run; counts
  $ ranges() { executed | sed -n -E "s/^SELECT $1 .*between ([0-9]+) and ([0-9]+)$2$/\1 \2/p" | awk '{ print $2 - $1 }' | sort | uniq -c | sed 's/^ *//'; }
  $ ranges c; ranges 'SUM\(K\)'; ranges c ' order by c'; ranges 'DISTINCT c' ' order by c'
  $ executed | grep -c -E 'between (90[1-9]|9[1-9][0-9]|1000) ' || true
  $ executed | awk '/^DELETE/ { split(before, a, "id="); split($0, d, "id="); getline; split($0, i, /[(,]/); same += a[2] == d[2] && d[2] == i[2]; n++ } { before = $0 } END { print same, n }'
  $ root "SELECT COUNT(*) FROM sbtest"

The same without --compat, with 1.0's report; what came after 0.4.12 does without the extra UPDATE.

  $ sent --oltp-table-size=1000 --max-requests=10 run; cat err; counts; executed | sed 's/ .*//' | sort | uniq -c
  $ sent --compat=L1 --oltp-table-size=1000 --max-requests=10 run; counts; executed | sed 's/ .*//' | sort | uniq -c

Options that change the list.

  $ list() { sent --compat=${dialect:-0.4} --oltp-table-size=1000 --max-requests=10 "$@" run; counts; }
  $ list --oltp-read-only
  $ list --oltp-read-only --oltp-skip-trx
  $ list --oltp-write-only
  $ list --oltp-range-selects=off --oltp-point-selects=1
  $ list --oltp-simple-ranges=2 --oltp-sum-ranges=0 --oltp-order-ranges=3 --oltp-distinct-ranges=0
  $ list --oltp-index-updates=3 --oltp-non-index-updates=2 --oltp-delete-inserts=2
  $ list --oltp-range-size=5 --oltp-read-only >/dev/null; ranges c; ranges 'DISTINCT c' ' order by c'
  $ list --oltp-point-select-all-cols --oltp-read-only >/dev/null; executed | sed -n 3p | mask_ids
  $ list --oltp-point-select-mysql-handler --oltp-read-only; executed | sed -n '2p;4p' | mask_ids
  $ list --db-ps-mode=disable; grep -c '^Prepare' log; executed | sed -n '2,4p' | mask_ids

Modes.

  $ list --oltp-test-mode=simple; executed | tail -n 1 | mask_ids; grep -c '^Prepare' log
  $ for m in select update_key update_nokey delete insert; do
  >   list --oltp-test-mode=nontrx --oltp-nontrx-mode=$m; grep -c '^Prepare' log; executed | grep -v '^SHOW' | sed -n '$p' | mask_ids
  > done
  $ root "SELECT * FROM sbtest LIMIT 1; SELECT COUNT(*), MAX(id) FROM sbtest"
  $ root "TRUNCATE sbtest; INSERT INTO sbtest SELECT * FROM keep"
  $ list --oltp-test-mode=nontrx --oltp-nontrx-mode=delete --max-requests=3; executed | grep DELETE
  $ list --oltp-test-mode=nontrx --oltp-nontrx-mode=insert --oltp-auto-inc=off --max-requests=3; executed | tail -n 4
  $ root "TRUNCATE sbtest; INSERT INTO sbtest SELECT * FROM keep"
  $ root "CREATE PROCEDURE p(t INT, n INT) SELECT t, n"
  $ list --oltp-test-mode=sp --oltp-sp-name=p; executed | tail -n 1
  $ list --oltp-test-mode=sp --oltp-sp-name=p --num-threads=4; executed | sort | uniq -c | awk '{ n += $1 } END { print NR, n }'
  $ root "CREATE PROCEDURE quiet(t INT, n INT) SET @x = t"
  $ list --oltp-test-mode=sp --oltp-sp-name=quiet; tail -n 1 out

Engines without transactions.

  $ root "ALTER TABLE sbtest ENGINE=MyISAM"
  $ list; executed | sed -n '1,2p;$p'; grep LOCK out
  $ list --oltp-read-only; executed | sed -n '2p;$p'; grep LOCK out
  $ list --mysql-engine-trx=yes; executed | sed -n '1p;$p'
  $ root "ALTER TABLE sbtest ENGINE=Aria"; list | head -n 1; executed | sed -n '2p'
  $ root "ALTER TABLE sbtest ENGINE=InnoDB"
  $ list --oltp-table-name=nosuch; tail -n 1 out

Deadlocks: the list is sent once more, with the same ids; no ROLLBACK.

  $ deadlock() {
  >   root "DELIMITER //
  >   CREATE TRIGGER bad BEFORE UPDATE ON sbtest FOR EACH ROW BEGIN
  >     SET @n = IFNULL(@n, 0) + 1; IF @n = $2 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = $1; END IF; END //"
  > }
  $ for e in 1213 1205 1020; do deadlock $e 2; list --max-requests=1 --oltp-point-selects=2 --oltp-range-selects=off; root "DROP TRIGGER bad"; done
  $ executed | mask_ids
  $ executed | awk '/^BEGIN/ { t++ } t == 1 { a[++n] = $0 } t == 2 && ++m <= n { same += a[m] == $0 } END { print same, n }'
  $ deadlock 1062 3; list; tail -n 2 out; root "DROP TRIGGER bad"

New connections.

  $ for m in session transaction query; do list --oltp-reconnect-mode=$m --oltp-connect-delay=0; grep -c '^Connect' log; grep -c '^Prepare' log; done
  $ list --oltp-reconnect-mode=query --oltp-connect-delay=0 --max-requests=1 >/dev/null; sed -n -E 's/^(Execute|Connect)\t([A-Z]*).*/\2/p' log | tr '\n' ' '; echo
  $ list --oltp-reconnect-mode=random --oltp-connect-delay=0 --oltp-test-mode=simple --max-requests=300; in_range 160 240 $(grep -c '^Connect' log)

Waits.

  $ timed 0.2 1 $(old --oltp-table-size=1000 --oltp-test-mode=simple --max-requests=10 --oltp-user-delay-min=20000 --oltp-user-delay-max=20001 run | sed -n -E 's/^ *total time: *([0-9.]+)s$/\1/p')

Two or more tables: a thread uses one.

  $ dialect=L2 list --num-threads=3 --oltp-num-tables=2 --oltp-table-size=1000 | head -n 1; tail -n 1 out
  $ old --compat=L2 --oltp-num-tables=2 --oltp-table-name=many prepare >out; dialect=L2 list --num-threads=3 --oltp-num-tables=2 --oltp-table-name=many --oltp-test-mode=simple
  $ grep 'test tables' out; executed | grep -o 'many[1-9]*' | sort -u

Carried by workers, whose clients share a Lua state: the same statements.

  $ for w in 0 1; do sent --compat=0.4 --oltp-table-size=1000 --max-requests=20 --rand-seed=5 --workers=$w run; executed >sent.$w; done; cmp sent.0 sent.1

What the run says before it begins, in 0.4's words.

  $ mode() { list --max-requests=1 "$@" >/dev/null; sed -n '/^Doing OLTP/,/^Threads started/p' out; }
  $ mode
  $ mode --oltp-test-mode=simple --oltp-dist-type=uniform --oltp-auto-inc=off --max-requests=0 --max-time=1
  $ mode --oltp-read-only --oltp-skip-trx --oltp-dist-type=gaussian --oltp-dist-iter=3 --validate
  $ dialect=L1 mode --oltp-write-only --oltp-dist-pct=5 --oltp-dist-res=90
  $ mode --oltp-test-mode=sp --oltp-sp-name=p

What is refused, in one sentence.

  $ for o in --oltp-test-mode=mixed --oltp-reconnect-mode=no --oltp-dist-res=100 --oltp-range-size=0 --oltp-test-mode=sp --oltp-secondary --oltp-table-size=0 "--oltp-read-only --oltp-write-only"; do
  >   old $o run | tail -n 1; done
  $ sysbench oltp run 2>&1 | tail -n 1
  $ old --oltp-avoid-deadlocks --max-requests=1 --oltp-table-size=1000 run >out; cat err

A script of that name is preferred, as in 1.0, but not in 0.4.

  $ echo 'function event() return true end' >oltp.lua
  $ old run | grep -c 'OLTP test'; old --compat=0.4 --oltp-table-size=1000 --max-requests=1 run | grep 'OLTP test'
