How prepare fills tables, against PostgreSQL: COPY and INSERT make the same rows.

  $ . "$TESTDIR/../include/pgsql.sh"
  $ sb() { sysbench "$@" $SB_PGSQL_ARGS --rand-seed=7; }
  $ # slow machines get such a line
  > prepare() { sb oltp_read_write --tables=2 --table-size=30000 "$@" prepare >out 2>err; exited $?
  > sed -i '/ rows\/s/d' err; }
  $ cleanup() { sb oltp_read_write --tables=4 cleanup >/dev/null; }
  $ sum() { sql "SELECT COUNT(*), md5(string_agg(concat_ws(',', id, k, c, pad), ' ' ORDER BY id)) FROM $1"; }
  $ sums() { sum sbtest1; sum sbtest2; }

The rows of INSERT, as stock sends it, are those of COPY, which auto chooses: with one thread, and with more threads than
tables.  Rows of two threads with neighbouring ids lie in any order, so COPY shows in the places of the rows.

  $ for threads in $(short_or_long "1 3" "1 2 3"); do
  >   prepare --threads=$threads --prepare-method=insert; sums >whole.$threads; cleanup
  >   prepare --threads=$threads; sums | cmp - whole.$threads; cleanup
  > done
  $ prepare --threads=3 --prepare-method=copy; sums | cmp - whole.3; cleanup
  $ cut -f 1 whole.3
  30000
  30000
  $ same() { prepare --tables=1 --prepare-method=insert "$@"; sum sbtest1 >inserted; cleanup
  > prepare --tables=1 "$@"; sum sbtest1 | cmp - inserted; cleanup; }
  $ for o in --rand-type=zipfian --auto-inc=off --secondary --create-secondary=off; do same $o; done

The sequence of the ids follows, so that the next row gets the next id.

  $ prepare --threads=3; sql "INSERT INTO sbtest2(k) VALUES (1)"; sql "SELECT MAX(id) FROM sbtest2"; sed 1,4d out | sort; cat err
  30001
  Creating a secondary index on 'sbtest1'...
  Creating a secondary index on 'sbtest2'...
  Creating table 'sbtest1'...
  Creating table 'sbtest2'...
  Inserting 30000 records into 'sbtest1'
  Inserting 30000 records into 'sbtest2'
  $ cleanup

What is missing is added: a row, a piece, an index, a table.

  $ prepare --threads=2
  $ sql "DELETE FROM sbtest1 WHERE id = 3; DROP INDEX k_1; DROP TABLE sbtest2"
  $ prepare --threads=2 --prepare-method=resume; sums | cmp - whole.3; sed 1,4d out | sort
  > sql "SELECT indexname FROM pg_indexes WHERE tablename = 'sbtest1' ORDER BY 1"
  Creating a secondary index on 'sbtest1'...
  Creating a secondary index on 'sbtest2'...
  Creating table 'sbtest2'...
  Inserting 30000 records into 'sbtest2'
  Table 'sbtest1' has 5000 of 30000 records: continuing
  k_1
  sbtest1_pkey
  $ prepare --threads=2 --prepare-method=resume --prepare-method=insert; sums | cmp - whole.3; sed 1,4d out | sort
  Table 'sbtest1' has all 30000 records
  Table 'sbtest2' has all 30000 records
  $ cleanup

An error in the middle names the table and the rows; the piece leaves no row.  So does a server that ends the connection.

  $ sql "CREATE TABLE sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60), CHECK (id <> 27000))"
  $ prepare --auto-inc=off --prepare-method=resume; grep FATAL out; cat err; sql "SELECT MAX(id) FROM sbtest1"
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows 25001 to 30000: error 0, state '23514': new row for relation "sbtest1" violates check constraint "sbtest1_id_check"
  prepare has stopped (--prepare-method=resume continues); what is there:
  sbtest1: 25,000 of 30,000 rows
  complete: 0 of 2 tables, not begun: 1
  25000
  $ sql "ALTER TABLE sbtest1 DROP CONSTRAINT sbtest1_id_check; CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
  >   'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
  > CREATE TRIGGER die BEFORE INSERT ON sbtest1 FOR EACH ROW WHEN (NEW.id = 28000) EXECUTE FUNCTION die()"
  $ prepare --auto-inc=off --prepare-method=resume; grep FATAL out | sed 's/: error.*//'; sed -n 2p err
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: table 'sbtest1', rows 25001 to 30000
  sbtest1: 25,000 of 30,000 rows
  $ sql "DROP TRIGGER die ON sbtest1"; prepare --auto-inc=off --prepare-method=resume; sums | cmp - whole.1; cleanup

A variant of the server keeps to INSERT; what the driver does not have is refused.

  $ prepare --pgsql-variant=redshift --auto-inc=off; sql "SELECT COUNT(*) FROM sbtest2"; cleanup
  30000
  $ prepare --pgsql-variant=redshift --prepare-method=copy; grep FATAL out
  exit 1
  FATAL: `sysbench.cmdline.call_command' function failed: --prepare-method=copy is not possible with this server or this kind of table
  $ prepare --prepare-method=load; cat out; tables
  exit 1
  FATAL: Invalid value for --prepare-method: the driver pgsql has no load (allowed: auto, insert, copy)
