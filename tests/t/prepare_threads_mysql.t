How threads fill tables together, against MariaDB: none waits for one that never comes, or for its locks.

  $ . "$TESTDIR/../include/prepare.sh"

  $ prepare --threads=2 --prepare-method=insert; sums >inserted; cleanup

Where sessions commit only when they are told, no thread waits for the locks of another.

  $ sql "SET GLOBAL autocommit = 0, GLOBAL lock_wait_timeout = 5, GLOBAL innodb_lock_wait_timeout = 5"
  $ loaded prepare --threads=3; sums | cmp - inserted
  loaded 4
  $ sql "DELETE FROM sbtest1 WHERE id IN (3, 30000); DELETE FROM sbtest2 WHERE id = 30000; COMMIT"
  $ prepare --threads=3 --prepare-method=resume; sums | cmp - inserted; cleanup
  $ sql "SET GLOBAL autocommit = 1, lock_wait_timeout = DEFAULT, innodb_lock_wait_timeout = DEFAULT"

With several servers, a thread loads only the tables of its own.

  $ "$SB_DBSERVER" start --dir="$PWD/db2" --port=none -- --innodb-buffer-pool-size=16M >env2 || cat env2
  $ trap 'for d in db db2; do "$SB_DBSERVER" stop --dir="$PWD/$d" --remove; done' EXIT
  $ second=$(. ./env2; echo "$socket")
  $ prepare --tables=1 --table-size=100000 --threads=2 --mysql-socket="$socket,$second"
  $ for s in "$socket" "$second"; do
  >   mariadb --no-defaults --socket=$s --user=$admin -BN "$db" -e "SELECT COUNT(*) FROM sbtest1; DROP TABLE sbtest1" \
  >     2>/dev/null ||
  >     echo none
  > done | sort
  100000
  none

A thread that never calls prepare keeps nobody waiting: its tables stay unmade, as with INSERT.  One that calls it twice
goes on with its random numbers.

  $ cat >one.lua <<'END'
  > require("oltp_common")
  > function prepare_statements() end
  > function event() end
  > local function first() if sysbench.tid == 0 then cmd_prepare() end end
  > sysbench.cmdline.commands.prepare = {first, sysbench.cmdline.PARALLEL_COMMAND}
  > sysbench.cmdline.commands.alone = {cmd_prepare}
  > sysbench.cmdline.commands.again = {function() cmd_prepare() cleanup() cmd_prepare() end}
  > END
  $ for command in prepare alone again; do
  >   for method in insert load; do
  >     before=$(loads); sb ./one.lua --threads=2 --tables=3 --table-size=26000 --prepare-method=$method $command >out 2>&1 || cat out
  >     echo $command $(tables) "$(($(loads) - before))"; sql "CHECKSUM TABLE sbtest1, sbtest3" >sums.$method; cleanup
  >   done
  >   cmp sums.insert sums.load
  > done
  prepare sbtest1 sbtest3 0
  prepare sbtest1 sbtest3 4
  alone sbtest1 sbtest3 0
  alone sbtest1 sbtest3 4
  again sbtest1 sbtest3 0
  again sbtest1 sbtest3 4

A table of another shape is refused before anything of it is deleted.

  $ sql "CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120)); INSERT INTO sbtest1(id) VALUES (3)"
  $ prepare --prepare-method=resume; sql "SELECT COUNT(*) FROM sbtest1"
  exit 1
  1
