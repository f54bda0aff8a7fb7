Ranks that fill the tables together, against MariaDB: the rows are those of one host, and each rank has its share of them.

  $ . "$TESTDIR/../include/prepare.sh"
  $ . "$TESTDIR/../include/ranks.sh"

  $ ranked() { ranks "$@" $args --rand-seed=7; }
  $ all() { sql "CHECKSUM TABLE sbtest1, sbtest2, sbtest3, sbtest4, sbtest5" | cut -f 2; }
  $ sb oltp_read_write --tables=5 --table-size=1000 --threads=5 prepare >/dev/null; all >alone
  $ sb oltp_read_write --tables=5 cleanup >/dev/null

A table belongs to the thread with its number, and that to one rank.  Only the leader writes to stdout.

  $ ranked 2 oltp_read_write --tables=5 --table-size=1000 --threads=5 prepare
  $ all | cmp - alone
  $ grep -o "Creating table 'sbtest.'" out.0 | sort; cat out.1 err.*
  Creating table 'sbtest1'
  Creating table 'sbtest3'
  Creating table 'sbtest5'

A command that is not parallel is done by the leader alone.

  $ ranked 3 oltp_read_write --tables=5 --threads=3 cleanup
  $ tables; cat out.1 out.2 err.*

So it is in turns of the classic way, where each thread makes its own tables.

  $ ranked 3 oltp_read_write --tables=5 --table-size=1000 --threads=3 --prepare-method=insert prepare
  $ sql "CHECKSUM TABLE sbtest1, sbtest2, sbtest3" | cut -f 2 >three; head -3 alone | cmp - three
  $ sb oltp_read_write --tables=5 cleanup >/dev/null

A rank that fails is named, and the leader fails with it; what the others made is there.

  $ sql "CREATE TABLE sbtest2 (id INT)"
  $ ranked 2 oltp_read_write --tables=4 --table-size=1000 --threads=2 prepare
  rank 0: exit 1
  rank 1: exit 1
  $ cat out.1; errors | grep -o "^rank 1 (HOST): FATAL: .* (Table 'sbtest2' already exists"; tail -1 out.0 | sed "s/($(uname -n))/(HOST)/"
  rank 1 (HOST): FATAL: mysql_drv_query() returned error 1050 (Table 'sbtest2' already exists
  FATAL: rank 1 (HOST): command 'prepare' failed in 1 of 1 threads
  $ tables
  sbtest1
  sbtest2
  sbtest3
