Names of servers: looked up once for all clients, while nobody else waits.

  $ . "$TESTDIR/../include/names.sh"
  $ args="$SB_TCP_ARGS --$DB-host"
  $ named oltp_point_select $args=db.test --table-size=100 prepare | tail -n 1; rm asked
  Creating a secondary index on 'sbtest1'...

All clients of a run ask once, or once more for each second that they need to connect, and each address of a name is tried.

  $ for w in 0 1 s; do for name in db.test two.test; do
  >   named oltp_point_select $args=$name --table-size=100 --threads=80 --events=400 --time=0 $(carried $w) run >out 2>&1; exited $?
  >   figure 'total number of events'; timed 1 5 $(asked)
  > done; done | sort | uniq -c | sed 's/^ *//'
  6 400

A name server that does not answer stops the client that asks, and no other.

  $ for w in 0 1 s; do
  >   named others.lua $args=db.test --threads=3 --time=3 $(carried $w) run >out 2>&1; exited $?; rm -f asked hold
  >   grep -c FATAL out; timed 0 0 $(grep -c 'blocked its worker' out)
  > done | sort | uniq -c | sed 's/^ *//'
  3 0

--connect-timeout holds for names, too.

  $ touch hold
  $ for w in 0 1; do named oltp_point_select $args=db.test --threads=4 --connect-timeout=0.3 $(carried $w) run 2>&1 |
  >   grep -m 1 -o '^FATAL: .*did not answer within.*'; done | sed -E 's/(error [0-9]+|Connection to database failed)/WHAT/'
  > rm hold
  FATAL: WHAT: the server did not answer within --connect-timeout=0.3 s
  FATAL: WHAT: the server did not answer within --connect-timeout=0.3 s

No such name.

  $ for w in 0 1; do named oltp_point_select $args=unknown.test $(carried $w) run 2>&1 |
  >   grep -m 1 -c -e "error 2005: Unknown server host 'unknown.test'" -e 'could not translate host name "unknown.test" to address'; done
  1
  1
