--mysql-host=::1, alone and in a list, with threads and workers.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/mysql.sh"
  $ python3 "$TESTDIR/../include/relay.py" ::1 "$SB_MYSQL_SOCKET" port & proxy=$!
  $ tries=500; until [ -s port ] || ! kill -0 $proxy 2>/dev/null || [ $tries = 0 ]; do tries=$((tries - 1)); sleep 0.02; done
  $ [ -s port ] || skip 'no IPv6'
  $ trap 'kill $proxy' EXIT
  $ run="sysbench oltp_point_select $SB_MYSQL_ARGS --mysql-socket= --mysql-port=$(cat port) --table-size=100"
  $ $run --mysql-host=::1 prepare | tail -n 1
  Creating a secondary index on 'sbtest1'...
  $ for w in 0 1
  > do
  >   for hosts in ::1 ::1,::1
  >   do
  >     $run --mysql-host=$hosts $(carried $w) --threads=4 --events=40 run >out 2>&1; echo "exit $?"
  >     figure transactions; grep '^FATAL' out
  >   done
  > done | sort | uniq -c | sed 's/^ *//'
  4 40
  4 exit 0

Nobody listens there: the sentence names the address.

  $ $run --mysql-host=::1 --mysql-port=1 run 2>&1 | grep -m 1 '^FATAL'
  FATAL: unable to connect to MySQL server on host '::1', port 1, aborting...
