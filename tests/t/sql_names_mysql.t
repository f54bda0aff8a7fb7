Names of MySQL and MariaDB servers: looked up once for all clients, while nobody else waits.

  $ . "$TESTDIR/../include/names.sh"
  $ args="$SB_MYSQL_TCP_ARGS --mysql-host"
  $ named oltp_point_select $args=db.test --table-size=100 prepare | tail -n 1; rm asked
  Creating a secondary index on 'sbtest1'...

All clients of a run ask once, or once more for each second that they need to connect, and each address of a name is tried.

  $ for w in 0 1 s; do for name in db.test two.test; do
  >   named oltp_point_select $args=$name --table-size=100 --threads=80 --events=400 --time=0 $(carried $w) run >out 2>&1; echo "exit $?"
  >   figure 'total number of events'; timed 1 5 $(asked)
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 400
  6 exit 0

A name server that does not answer stops the client that asks, and no other.

  $ for w in 0 1 s; do
  >   named others.lua $args=db.test --threads=3 --time=3 $(carried $w) run >out 2>&1; echo "exit $?"; rm -f asked hold
  >   grep -c FATAL out; timed 0 0 $(grep -c 'blocked its worker' out)
  > done | sort | uniq -c | sed 's/^ *//'
  3 0
  3 exit 0

--connect-timeout holds for names, too.

  $ touch hold
  $ for w in 0 1
  > do
  >   named oltp_point_select $args=db.test --threads=4 --connect-timeout=0.3 $(carried $w) run 2>&1 |
  >     grep '^FATAL: .*error' | clients_failed 3
  > done
  > rm hold
  FATAL: error 2005: the server did not answer within --connect-timeout=0.3 s
  FATAL: N more clients met error 2005
  FATAL: error 2005: the server did not answer within --connect-timeout=0.3 s
  FATAL: N more clients met error 2005

No such name.

  $ for w in 0 1; do named oltp_point_select $args=unknown.test $(carried $w) run 2>&1 | grep -m 2 -e 'unknown.test'; done
  FATAL: unable to connect to MySQL server on host 'unknown.test', port *, aborting... (glob)
  FATAL: error 2005: Unknown server host 'unknown.test' (-2)
  FATAL: unable to connect to MySQL server on host 'unknown.test', port *, aborting... (glob)
  FATAL: error 2005: Unknown server host 'unknown.test' (-2)
