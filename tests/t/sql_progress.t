A prepare that takes longer than a second says on a terminal how far it is; the output itself has nothing of it.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ command -v script >/dev/null || skip 'no script (util-linux, bsdutils)'
  $ prepare="sysbench oltp_insert --mysql-dry-run --tables=2"

On a terminal: one line that is drawn again and again, on stderr.

  $ script -q -f -c "timeout 6 $prepare --table-size=500000000 prepare >plain" terminal </dev/null >screen
  $ tr '\r' '\n' <screen | grep -m 1 'rows/s' | sed 's/[[:cntrl:]]//g' | mask
  N of N rows (N %), N rows/s, N s left[K
  $ sed 1,2d plain
  Creating table 'sbtest1'...
  Inserting 500000000 records into 'sbtest1'

Not when it is done sooner, and not without a terminal.

  $ script -q -f -c "$prepare --table-size=10 prepare >plain" terminal </dev/null | wc -c | tr -d ' '
  0
  $ sed 1,2d plain
  Creating table 'sbtest1'...
  Inserting 10 records into 'sbtest1'
  Creating a secondary index on 'sbtest1'...
  Creating table 'sbtest2'...
  Inserting 10 records into 'sbtest2'
  Creating a secondary index on 'sbtest2'...
  $ timeout 4 $prepare --table-size=500000000 prepare >plain 2>err; wc -c <err | tr -d ' '; sed 1,2d plain
  0
  Creating table 'sbtest1'...
  Inserting 500000000 records into 'sbtest1'
