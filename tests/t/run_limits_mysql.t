Limits of the system that many clients meet: a sentence with the limit and its value, exit status 1.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/workers.sh"
  $ cat >connects.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT 1") end
  > END
  $ limited() { (ulimit -n $1; shift; sysbench "$@" run >out 2>err; exited $?)
  > grep -E '^[0-9]+ clients|^FATAL: (--|cannot|only|Thread)' out | sort | uniq -c | sed 's/^ *//'; }

Descriptors.  The bundled scripts are known to connect, so what does not fit is refused before; and what is said to fit does fit.

  $ sysbench oltp_point_select $SB_MYSQL_ARGS --table-size=100 prepare >/dev/null
  $ fits() { sed -n -E 's/.* ([0-9]+) clients fit.*/\1/p' out; }
  $ bundled() { w=$1
  >   limited 64 oltp_point_select $SB_MYSQL_ARGS --table-size=100 --threads=64 --events=100 --time=0 $(carried $w) |
  >     sed -E 's/: [0-9]+ clients fit/: N clients fit/'
  >   n=$(fits); in_range 40 61 $n
  >   limited 64 oltp_point_select $SB_MYSQL_ARGS --table-size=100 --threads=$n --events=100 --time=0 $(carried $w)
  >   figure 'total number of events'
  >   limited 64 oltp_point_select $SB_MYSQL_ARGS --table-size=100 --threads=$n --tx-rate=200 --report-interval=1 --report-style=full \
  >     --time=1 $(carried $w)
  >   accounts; }
  $ each_way bundled
  exit 1
  1 FATAL: --threads=64 needs a descriptor for each connection, but this process may open only 64 (ulimit -n): N clients fit
  100

Of another script that is known when its connections fail.

  $ other() { w=$1
  >   limited 64 connects.lua $SB_MYSQL_ARGS --threads=64 --events=100 --time=0 $(carried $w) |
  >     grep -v '^[2-9]* FATAL' | sed -E 's/about [0-9]+ /about N /'
  >   n=$(fits); in_range 40 61 $n
  >   limited 64 connects.lua $SB_MYSQL_ARGS --threads=$n --events=100 --time=0 $(carried $w); figure 'total number of events'; }
  $ each_way other
  exit 1
  1 64 clients need a descriptor each for their connections, but this process may open only 64 (ulimit -n): about N clients fit.
  1 FATAL: Thread initialization failed!
  100

One that does not connect needs none, and --mysql-dry-run connects nobody.

  $ echo 'function event() end' >nothing.lua
  $ limited 64 nothing.lua --threads=200 --events=100
  $ limited 64 oltp_point_select --mysql-dry-run --threads=200 --events=100 --workers=0
