The workloads that come with the program.

  $ . "$TESTDIR/../include/mysql.sh"
  $ sb() { sysbench "$@" $SB_MYSQL_ARGS; }
  $ digest() { sql "SELECT COUNT(*), SUM(CRC32(CONCAT_WS(' ', id, k, c, pad))) FROM $1"; }
  $ counter() { sed -n -E "s/^ *$1: *([0-9]+).*/\1/p" $2; }
  $ place() { sed -E 's#[^ ]*/(oltp_[a-z]+.lua):[0-9]+#\1:N#'; }

Tables: what prepare prints, makes and fills them with.  The data are the same on every machine.

  $ sb oltp_read_write --tables=2 --table-size=100 prepare | tail -n +3
  Creating table 'sbtest1'...
  Inserting 100 records into 'sbtest1'
  Creating a secondary index on 'sbtest1'...
  Creating table 'sbtest2'...
  Inserting 100 records into 'sbtest2'
  Creating a secondary index on 'sbtest2'...
  $ sql "SHOW CREATE TABLE sbtest2" | sed 's/AUTO_INCREMENT=[0-9]* //; s/ DEFAULT CHARSET.*//'
  sbtest2\tCREATE TABLE `sbtest2` (\\n  `id` int(11) NOT NULL AUTO_INCREMENT,\\n  `k` int(11) NOT NULL DEFAULT 0,\\n  `c` char(120) NOT NULL DEFAULT '',\\n  `pad` char(60) NOT NULL DEFAULT '',\\n  PRIMARY KEY (`id`),\\n  KEY `k_2` (`k`)\\n) ENGINE=InnoDB (esc)
  $ sql "SELECT id, c, pad FROM sbtest1 WHERE id = 1"
  1\t83868641912-28773972837-60736120486-75162659906-27563526494-20381887404-41576422241-93426793964-56405065102-33518432330\t67847967377-48000963322-62604785301-91415491898-96926520291 (esc)
  $ { digest sbtest1; digest sbtest2; } | tee first
  100\t198983687779 (esc)
  100\t230635483175 (esc)
  $ sb oltp_read_write --tables=2 cleanup | tail -n +3
  Dropping table 'sbtest1'...
  Dropping table 'sbtest2'...
  $ tables
  $ sb oltp_read_write --tables=2 --table-size=100 prepare >out
  $ { digest sbtest1; digest sbtest2; } | diff first -
  $ sb oltp_read_write --tables=2 prepare >out 2>err
  [1]
  $ grep '^FATAL' out | place
  FATAL: mysql_drv_query() returned error 1050 (Table 'sbtest1' already exists) for query 'CREATE TABLE sbtest1(
  FATAL: `sysbench.cmdline.call_command' function failed: oltp_tables.lua:N: SQL error, errno = 1050, state = '42S01': Table 'sbtest1' already exists
  $ sb oltp_read_write --tables=2 cleanup >out

In parallel: the same number of tables and rows; a thread that fails is the command's failure.

  $ sb oltp_read_write --tables=5 --table-size=50 --threads=3 prepare | grep -c '^Inserting 50 records'
  5
  $ tables | paste -sd ' '
  sbtest1 sbtest2 sbtest3 sbtest4 sbtest5
  $ sb oltp_read_write --tables=5 --threads=3 prepare >out
  NOTE: to remove the tables: 'sysbench oltp_read_write ... cleanup'; to finish an interrupted prepare: --prepare-method=resume
  [1]
  $ sb oltp_read_write --tables=5 cleanup >out

Other shapes of tables.

  $ sb oltp_insert --auto-inc=off --secondary --create-secondary=off --mysql-storage-engine=myisam \
  >   --create-table-options='COMMENT="x"' prepare | tail -n +3
  Creating table 'sbtest1'...
  $ sql "SHOW CREATE TABLE sbtest1" | sed 's/ DEFAULT CHARSET=[^ ]*//; s/ COLLATE=[^ ]*//'
  sbtest1\tCREATE TABLE `sbtest1` (\\n  `id` int(11) NOT NULL,\\n  `k` int(11) NOT NULL DEFAULT 0,\\n  `c` char(120) NOT NULL DEFAULT '',\\n  `pad` char(60) NOT NULL DEFAULT '',\\n  KEY `xid` (`id`)\\n) ENGINE=MyISAM COMMENT='x' (esc)
  $ sb oltp_insert --auto-inc=off --events=10 run >out; counter write out
  10
  $ sql "SELECT COUNT(*), MAX(id) FROM sbtest1"
  10\t1939437108 (esc)
  $ sb oltp_insert cleanup >out

Statements of one event: read, write, other.

  $ count() { echo $(counter read $1) $(counter write $1) $(counter other $1); }
  $ sb oltp_read_write --tables=2 --table-size=1000 prepare >out
  $ sb oltp_read_write --tables=2 --table-size=1000 --events=10 --rand-seed=7 --skip-trx --range-selects=off \
  >   --point-selects=3 --index-updates=2 --delete-inserts=0 run >out; count out
  30 30 0
  $ seed=0
  $ for t in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_insert oltp_update_index \
  >     oltp_update_non_index oltp_delete; do
  >   for mode in auto disable; do
  >     seed=$((seed + 1))
  >     sb $t --tables=2 --table-size=1000 --events=10 --rand-seed=$seed --db-ps-mode=$mode run >out || cat out
  >     echo "$t $(count out)"
  >   done
  > done | uniq -c
        2 oltp_read_only 140 0 20
        2 oltp_read_write 140 40 20
        2 oltp_write_only 0 40 20
        2 oltp_point_select 10 0 0
        2 oltp_insert 0 10 0
        2 oltp_update_index 0 10 0
        2 oltp_update_non_index 0 10 0
        2 oltp_delete 0 9 1
  $ sb oltp_point_select --tables=2 --table-size=1000 --point-selects=5 --events=10 run >out; count out
  10 0 0
  $ sb oltp_read_write --tables=2 --table-size=1000 --events=10 --reconnect=3 run >out; counter reconnects out
  3
  $ for c in prewarm warmup; do sb oltp_read_only --tables=2 --table-size=1000 $c | tail -n +3 | paste -sd ';'; done
  Prewarming table sbtest1;Prewarming table sbtest2
  Preloading table sbtest1;Preloading table sbtest2
  $ sb oltp_read_write --tables=2 cleanup >out

Tables that are smaller than --table-size, by more than 1 %: one client says so, and its query is in no figure.

  $ sb oltp_read_write --tables=2 --table-size=1000 prepare >out
  $ sb oltp_read_only --tables=2 --table-size=500k --threads=3 --events=10 --report-statements run >out; count out; ! grep MAX out
  WARNING: sbtest1 has ids up to 1,000, --table-size is 500,000: statements about higher ids find no row (so in 2 of 2 tables checked)
  140 0 20
  $ sb oltp_read_only --tables=2 --table-size=1010 --threads=3 --events=10 run >out; count out
  140 0 20
  $ sb oltp_insert --tables=2 --events=10 run >out; count out
  0 10 0
  $ sb oltp_read_only --tables=2 --secondary --events=1 run >out
  $ echo 'require("oltp_point_select") function create_table() end' >own.lua; sb ./own.lua --events=1 run >out
  $ sql "DELETE FROM sbtest2"; sb oltp_delete --tables=2 --table-size=1000 --events=1 --db-ps-mode=prepare=lazy run >out
  WARNING: sbtest2 has ids up to 0, --table-size is 1,000: statements about higher ids find no row (so in 1 of 2 tables checked)
  $ sql "DROP TABLE sbtest2"
  > sb oltp_point_select --tables=2 --events=1 --db-ps-mode=prepare=lazy --rand-seed=1 run >out
  > grep '^FATAL' out | place
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  FATAL: mysql_stmt_prepare() returned error 1146 (Table 'sbt_lua_workloads_mysql.sbtest2' doesn't exist) for query 'SELECT c FROM sbtest2 WHERE id=?'
  FATAL: `thread_run' function failed: oltp_common.lua:N: SQL error, errno = 1146, state = '42S02': Table 'sbt_lua_workloads_mysql.sbtest2' doesn't exist
  $ sb oltp_read_write --tables=2 cleanup >out

select_random_*: one table.

  $ for t in select_random_points select_random_ranges; do
  >   sb $t --table-size=1000 prepare >out || cat out
  >   sb $t --table-size=1000 --events=10 --threads=2 --reconnect=4 run >out || cat out
  >   echo "$t $(count out)"
  >   for c in prepare run cleanup; do
  >     sb $t --tables=2 $c >out; echo $? $(grep -o 'this benchmark does not support.*' out)
  >   done | uniq -c
  >   sb $t cleanup >out
  > done
  select_random_points 10 0 0
        3 1 this benchmark does not support --tables > 1
  select_random_ranges 10 0 0
        3 1 this benchmark does not support --tables > 1

bulk_insert: an event is a row, a statement is a packet full of them.

  $ sb bulk_insert --threads=2 prepare | tail -n +3
  Creating table 'sbtest1'...
  Creating table 'sbtest2'...
  $ sb bulk_insert --threads=2 --events=100000 --time=0 run >out
  $ counter transactions out
  100000
  $ in_range 3 8 $(counter write out)
  $ sql "SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)"
  100000
  $ sb bulk_insert --threads=2 cleanup | tail -n +3
  Dropping table 'sbtest1'...
  Dropping table 'sbtest2'...

A user's own oltp_common.lua, of the interface of 1.0, serves all of them, with any file beside it.

  $ mkdir own; cp "$TESTDIR/../data/lua/common_1_0/oltp_common.lua" own; cd own; USER_OF_COMMON=me; export USER_OF_COMMON
  $ for f in oltp_load oltp_tables oltp_mix oltp_mix_common select_random select_random_common common random legacy_random; do
  >   echo 'error("not to be loaded")' >$f.lua; mkdir -p sysbench-tx oltp_legacy
  >   cp $f.lua sysbench-tx; cp $f.lua oltp_legacy
  > done
  $ LUA_PATH=";;$PWD/?.lua"; export LUA_PATH
  $ for t in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_insert oltp_update_index \
  >     oltp_update_non_index oltp_delete select_random_points select_random_ranges; do
  >   sb $t --table-size=100 prepare | grep -v '^My table 1$' | tail -n +3
  >   sb $t --table-size=100 --events=2 --rand-seed=1 run >out || grep FATAL out
  >   echo "$t $(count out) $(grep 'common module' out)"
  >   [ $t != oltp_read_write ] || sb $t --table-size=100 --events=2 --rand-seed=1 --workers=1,lua-state=worker run >out || cat out
  >   sb $t cleanup | tail -n +3
  > done
  oltp_read_only 28 0 4 the common module of me
  oltp_read_write 28 8 4 the common module of me
  oltp_write_only 0 8 4 the common module of me
  oltp_point_select 2 0 0 the common module of me
  oltp_insert 0 2 0 the common module of me
  oltp_update_index 0 2 0 the common module of me
  oltp_update_non_index 0 2 0 the common module of me
  oltp_delete 0 2 0 the common module of me
  select_random_points 2 0 0 the common module of me
  select_random_ranges 2 0 0 the common module of me
  $ sb bulk_insert prepare >out && sb bulk_insert --events=2 run >out && sb bulk_insert cleanup >out || cat out
  $ unset LUA_PATH

A script with a list of options of its own, of those of 1.0, uses ours.

  $ rm oltp_common.lua; cat >mine.lua <<'EOF'
  > require("oltp_common")
  > local all, mine = sysbench.cmdline.options, {}
  > for _, o in ipairs({"table_size", "tables", "auto_inc", "create_secondary", "secondary", "mysql_storage_engine"}) do
  >    mine[o] = all[o]
  > end
  > sysbench.cmdline.options = mine
  > function prepare_statements() prepare_for_each_table("point_selects") end
  > function event() param[1].point_selects[1]:set(1) stmt[1].point_selects:execute() check_reconnect() end
  > EOF
  $ for c in prepare '--events=2 run' cleanup; do sb ./mine.lua --table-size=100 $c >out || grep FATAL out; done
  $ cd ..

Values that make no sense.

  $ for o in --table-size=10T --table-size=ten --nosuch=1; do refused oltp_read_only $o $SB_MYSQL_ARGS prepare; done
  Invalid value for the 'table_size' option: '10T' (a number, such as 0.5, 10k or 1M, is needed)
  Invalid value for the 'table_size' option: 'ten' (a number, such as 0.5, 10k or 1M, is needed)
  invalid option: --nosuch=1; see 'sysbench --help' and 'sysbench TEST --help'

Where sysbench.sql.name() is missing, as in sysbench 1.0, which finds these files when it is started beside them, they run too.

  $ sb oltp_read_write --table-size=100 prepare >out
  $ for t in oltp_read_write oltp_insert; do
  >   echo "sysbench.sql.name = nil; require('$t')" >unnamed.lua; sb unnamed.lua --table-size=100 --events=2 run >out
  >   exited $?; grep FATAL out; counter transactions out
  > done
  2
  2
  $ sb oltp_read_write cleanup >out
  $ stock() { # where there is one
  >   case ${DBSERVER_ENGINE:-mariadb}$(/usr/bin/sysbench --version --verbose 2>/dev/null) in
  >   *sysbench-tx*) ;;
  >   "mariadbsysbench 1.0."*) (cd "$SB_SOURCE/src/lua" && /usr/bin/sysbench "$@" $SB_MYSQL_ARGS --table-size=100) ;;
  >   esac
  > }
  $ for t in oltp_read_write oltp_insert; do stock $t prepare; stock $t --events=2 run; stock $t cleanup; done | grep FATAL
  [1]
