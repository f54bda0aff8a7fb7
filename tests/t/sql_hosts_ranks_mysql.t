Lists of MySQL's servers: ports, load hosts that call the servers by other names, and the one server that is watched.

  $ DB=mysql; . "$TESTDIR/../include/hosts.sh"
  $ (. ./env1; echo port1=$port one=$pid; . ./env2; echo port2=$port two=$pid) >ports; . ./ports

Ports are a list, too, and a server that is in the list twice has twice the clients.

  $ sysbench one.lua --mysql-host=127.0.0.1 --mysql-port=$port2,$port1,$port2 $login \
  >   --threads=6 --tx-rate=1000 --tx-arrival=aligned --events=60 --time=60 --report-file=a.json run >out
  $ hosts a.json | sed "s/$port1/one/; s/$port2/two/"
  127.0.0.1:two: clients 4, transactions N, failed 0, lost 0, reconnects 0
  127.0.0.1:one: clients 2, transactions N, failed 0, lost 0, reconnects 0

Of two load hosts, each uses both servers (members print nothing); the leader adds them up.

  $ . "$TESTDIR/../include/ranks.sh"
  $ WHERE=1 ranks 2 one.lua $both --threads=5 --tx-rate=1000 --events=200 --time=60 --report-interval=1 --report-file=a.json,a.hosts.csv run
  $ hosts a.json a.hosts.csv; cat err.*; grep '^client' out.0 | sort
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  client 0 db1
  client 2 db2
  client 4 db1

They may call the servers by other names; the report has the leader's.

  $ ports="--mysql-host=127.0.0.1 --mysql-port=$port1,$port2 $login"
  $ more_1="$ports --mysql-socket="
  $ ranks 2 one.lua $both --server=host=$PWD/db1/run/mariadb.sock --threads=4 --tx-rate=1000 --events=200 --time=60 \
  >   --report-interval=1 --report-file=a.json run
  > more_1=
  $ hosts a.json; cat err.*
  db1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0

Db2 alone is watched: db1 has the connections of its two clients, and of the question.

  $ connections() { mariadb --no-defaults --socket=$PWD/db1/run/mariadb.sock --user=$user -BNe \
  >   "SHOW GLOBAL STATUS LIKE 'Connections'" | cut -f 2
  > }
  $ before=$(connections)
  $ sysbench one.lua $both --threads=4 --tx-rate=1000 --events=100 --time=60 --server=host=$PWD/db2/run/mariadb.sock \
  >   --server-status --report-environment --report-file=a.json run >out
  $ echo $(($(connections) - before)); sed -n 's/^Server: //p' out | sed "s/ $two)/ two)/; s/(pid $two)/(pid two)/"
  3
  mariadbd (pid two)
  $ unwrap <out | sed -n "s|^    server status of:  *$PWD/||p"
  db2/run/mariadb.sock
  $ sysbench one.lua $both --server=host=db3 run 2>&1 | sed "s|$PWD/||g" | tail -n 1
  FATAL: Invalid value for --server=host: 'db3' (allowed: db1/run/mariadb.sock, db2/run/mariadb.sock)
  $ sysbench one.lua $both --mysql-dry-run --server=host=db3 run 2>&1 | tail -n 1
  FATAL: --server=host=db3 cannot be used: no database host is named
