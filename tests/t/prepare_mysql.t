How prepare fills tables, against MariaDB: every way makes the same rows.

  $ . "$TESTDIR/../include/prepare.sh"

The checksums of INSERT, as stock sends it, are those of LOAD DATA, which auto chooses, with one thread and with more
threads than tables.

  $ for threads in $(short_or_long "1 3" "1 2 3"); do
  >   loaded prepare --threads=$threads --prepare-method=insert >said.insert; sums >whole.$threads; cleanup
  >   loaded prepare --threads=$threads >said.auto; sums | cmp - whole.$threads; cleanup
  >   cat said.insert said.auto
  > done | xargs -n 4 | uniq
  > loaded prepare --threads=3 --prepare-method=load; sums | cmp - whole.3; cleanup
  loaded 0 loaded 4
  loaded 4
  $ tail -n 1 whole.3; cat err
  30000\t1\t30000 (esc)

Likewise with every distribution and every kind of table.

  $ same() { prepare --prepare-method=insert "$@"; sums >inserted; cleanup; prepare "$@"; sums | cmp - inserted; cleanup; }
  $ for type in $(short_or_long "gaussian zipfian" "uniform gaussian special pareto zipfian"); do
  >   same --tables=1 --rand-type=$type
  > done
  $ for o in --auto-inc=off --secondary --create-secondary=off '--create-table-options=CHARSET=utf8mb4'; do same --tables=1 "$o"; done
  $ prepare; sql "INSERT INTO sbtest1(k) VALUES (1)"; sql "SELECT MAX(id) FROM sbtest1"; cleanup
  30001

What stock prints is what is printed; small tables are made as stock makes them.

  $ sed 1,2d out
  Creating table 'sbtest1'...
  Inserting 30000 records into 'sbtest1'
  Creating a secondary index on 'sbtest1'...
  Creating table 'sbtest2'...
  Inserting 30000 records into 'sbtest2'
  Creating a secondary index on 'sbtest2'...
  $ loaded prepare --table-size=24999; cleanup
  loaded 0

A server that does not load, and one that takes small packets: INSERTs, of the same rows, and a line only for who asked.

  $ prepare --threads=2 --mysql-local-infile=off; sums | cmp - whole.3; cleanup
  $ sql "SET GLOBAL local_infile = 0, max_allowed_packet = 65536"
  $ loaded prepare --threads=2; sums | cmp - whole.3; grep -c prepare-method out; cat err; cleanup
  loaded 0
  0
  $ prepare --threads=2 --prepare-method=load; sums | cmp - whole.3; grep prepare-method out | sed 's/(.*)/(WHY)/'; cleanup
  --prepare-method=load: the server refuses (WHY); using INSERT
  $ sql "SET GLOBAL local_infile = 1, max_allowed_packet = 16777216"

Engines, steps of the ids and scripts with rows of their own keep to INSERT, unless that was not asked for.

  $ loaded prepare --mysql-storage-engine=myisam; cleanup
  loaded 0
  $ cat >own.lua <<'END'
  > require("oltp_common")
  > function prepare_statements() end
  > function event() end
  > function get_pad_value() return "mine" end
  > END
  $ before=$(loads); sb ./own.lua --table-size=30000 prepare >out; echo "loaded $(($(loads) - before))"
  loaded 0
  $ sql "SELECT DISTINCT pad FROM sbtest1"; cleanup
  mine
  $ cat >wrapped.lua <<'END'
  > require("oltp_common")
  > function prepare()
  >   local con = sysbench.sql.driver():connect()
  >   create_table(sysbench.sql.driver(), setmetatable({}, {__index = function(_, name)
  >     return function(_, ...) return con[name](con, ...) end
  >   end}), 1)
  > end
  > sysbench.cmdline.commands.prepare = {prepare}
  > END
  $ sb ./wrapped.lua --table-size=10 prepare | tail -n 1; cleanup
  Creating a secondary index on 'sbtest1'...
  $ for o in --mysql-storage-engine=myisam; do prepare --threads=3 --prepare-method=load $o; grep FATAL out; tables; done
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: --prepare-method=load is not possible with this server or this kind of table
  $ sb ./own.lua --prepare-method=load prepare | grep FATAL; sb ./own.lua --prepare-method=resume prepare | grep FATAL; tables
  FATAL: `sysbench.cmdline.call_command' function failed: --prepare-method=load is not possible with a script that makes its own rows
  FATAL: `sysbench.cmdline.call_command' function failed: --prepare-method=resume is not possible with a script that makes its own rows
  $ prepare --prepare-method=copy; cat out
  exit 1
  FATAL: Invalid value for --prepare-method: the driver mysql has no copy (allowed: auto, insert, load)

What is missing is added: a row, a piece, an index, a table.

  $ prepare --threads=2; sums | cmp - whole.3
  $ prepare --threads=2 --prepare-method=resume; sums | cmp - whole.3; sed 1,4d out | sort
  Table 'sbtest1' has all 30000 records
  Table 'sbtest2' has all 30000 records
  $ sql "DELETE FROM sbtest1 WHERE id = 25002; DROP INDEX k_1 ON sbtest1; DROP TABLE sbtest2"
  $ prepare --threads=2 --prepare-method=resume; sums | cmp - whole.3; sed 1,4d out | sort; sql "SHOW INDEX FROM sbtest1" | cut -f 3
  Creating a secondary index on 'sbtest1'...
  Creating a secondary index on 'sbtest2'...
  Creating table 'sbtest2'...
  Inserting 30000 records into 'sbtest2'
  Table 'sbtest1' has 25000 of 30000 records: continuing
  PRIMARY
  k_1
  $ sql "DELETE FROM sbtest1"; prepare --threads=2 --prepare-method=resume --prepare-method=insert; sums | cmp - whole.3; cleanup
  $ prepare --tables=1 --prepare-method=resume --prepare-method=insert; cleanup; prepare --tables=1 --table-size=40000
  $ prepare --tables=1 --prepare-method=resume --table-size=35000; grep FATAL out; cat err
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: --prepare-method=resume: table 'sbtest1' has a row 40000, beyond --table-size=35000

Neither is anything deleted of a table that is refused for other rows of it.

  $ sql "DELETE FROM sbtest1 WHERE id = 3"; prepare --tables=1 --prepare-method=resume
  > grep -o -e '--prepare-method=resume:.*' out
  exit 1
  --prepare-method=resume: table 'sbtest1' has a row 40000, beyond --table-size=30000
  $ sql "SELECT COUNT(*) FROM sbtest1"
  39999
  $ sql "UPDATE sbtest1 SET id = -7 WHERE id = 30005"; prepare --tables=1 --prepare-method=resume --table-size=40000
  > grep -o -e '--prepare-method=resume:.*' out
  exit 1
  --prepare-method=resume: table 'sbtest1' has a row -7; the first one is 1
  $ sql "SELECT COUNT(*) FROM sbtest1"; cleanup
  39999

An error in the middle names the table and the rows, and what is there; the piece leaves no row, and the whole of it
follows later.

  $ sql "CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '',
  >   pad CHAR(60) NOT NULL DEFAULT '', CHECK (id <> 27000))"
  $ prepare --auto-inc=off --prepare-method=resume; grep FATAL out; cat err; sql "SELECT MAX(id) FROM sbtest1"
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows 25001 to 30000: the server took 4999 of the rows
  prepare has stopped (--prepare-method=resume continues); what is there:
  sbtest1: 25,000 of 30,000 rows
  complete: 0 of 2 tables, not begun: 1
  25000
  $ sql "ALTER TABLE sbtest1 DROP CONSTRAINT CONSTRAINT_1"; prepare --auto-inc=off --prepare-method=resume; sums | cmp - whole.1; cleanup

Ctrl-C: every thread ends its piece; then the list of what is there, and the program ends by the signal.

  $ cp "$TESTDIR/../include/cram_prepare_mysql.py" interrupt.py
  $ python3 interrupt.py sysbench oltp_read_write $args --rand-seed=7 --threads=2 --table-size=3000000 prepare
  ended by -2
  $ mask <err | sed 's/N,N,N/N/g; s/N,N/N/g'
  prepare has stopped (--prepare-method=resume continues); what is there:
  sbtestN: N of N rows
  complete: N of N tables, not begun: N
  $ rows=$(sql "SELECT COUNT(*) FROM sbtest1"); echo $((rows % 25000)); cleanup
  0

Likewise where each thread inserts its own tables: what it has sent is in.

  $ python3 interrupt.py sysbench oltp_read_write $args --rand-seed=7 --threads=2 --tables=3 --table-size=3000000 \
  >   --prepare-method=insert prepare
  ended by -2
  $ mask <err | sed 's/N,N,N/N/g; s/N,N/N/g' | uniq
  prepare has stopped (--prepare-method=resume continues); what is there:
  sbtestN: N of N rows
  complete: N of N tables, not begun: N
  $ sed -n 's/^sbtest1: \([0-9,]*\) of 3,000,000 rows/\1/p' err | tr -d , >said
  > [ -e slow ] || sql "SELECT COUNT(*) FROM sbtest1" | cmp - said; cleanup
  $ python3 interrupt.py sysbench oltp_read_write $args --table-size=3000000 --mysql-storage-engine=myisam prepare
  ended by -2
  $ head -n 1 err; tail -n 1 err; cleanup
  prepare has stopped; what is there:
  complete: 0 of 1 tables, not begun: 0

A script's own statement sends the file that it names.

  $ echo row >file; cat >asks.lua <<'END'
  > ffi.cdef("void sb_load_enter(void)")
  > function prepare()
  >   ffi.C.sb_load_enter()
  >   local con = sysbench.sql.driver():connect()
  >   con:query("CREATE TABLE got (t TEXT)")
  >   con:query("load data local  infile\n'file' INTO TABLE got")
  >   print(con:query_row("SELECT t FROM got"))
  >   print(pcall(con.query, con, "LOAD DATA LOCAL INFILE 'none' INTO TABLE got"))
  > end
  > END
  $ sb asks.lua prepare 2>&1 | grep -o -e "File 'none' not found (Errcode: 2)" -e '^row$' | uniq
  row
  File 'none' not found (Errcode: 2)
