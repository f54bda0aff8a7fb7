--mysql-host=::1 and --pgsql-host=::1, alone and in a list, with threads and workers.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/$DB.sh"
  $ case $DB in mysql) at=$SB_MYSQL_SOCKET more=--mysql-socket= ;; *) at=$SB_PGSQL_HOST/.s.PGSQL.$SB_PGSQL_PORT more= ;; esac
  $ case $at in /*) ;; *) skip 'the server has no socket' ;; esac
  $ python3 "$TESTDIR/../include/relay.py" ::1 "$at" port & proxy=$!
  $ tries=500; until [ -s port ] || ! kill -0 $proxy 2>/dev/null || [ $tries = 0 ]; do tries=$((tries - 1)); sleep 0.02; done
  $ [ -s port ] || skip 'no IPv6'
  $ trap 'kill $proxy' EXIT
  $ here="$SB_ARGS $more --$DB-port=$(cat port) --table-size=100"
  $ filled oltp_point_select $here --$DB-host=::1
  $ for w in 0 1; do for hosts in ::1 ::1,::1; do
  >   sysbench oltp_point_select $here --$DB-host=$hosts $(carried $w) --threads=4 --events=40 run >out 2>&1; exited $?
  >   figure transactions; grep '^FATAL' out
  > done; done | sort | uniq -c | sed 's/^ *//'
  4 40

Nobody listens there: the sentence names the address.

  $ sysbench oltp_point_select $here --$DB-host=::1 --$DB-port=1 run 2>&1 | grep -m 1 -c '^FATAL: .*::1.* port 1\>'
  1
