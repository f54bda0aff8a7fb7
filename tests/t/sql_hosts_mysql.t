A list of servers: client g begins at server g of the list, fails over to the next one, and comes back after the next loss.

  $ . "$TESTDIR/../include/rate.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ hosts() { python3 "$TESTDIR/../include/hosts.py" "$@" | sed 's/transactions [0-9]*/transactions N/'; }
  $ : >env1; : >env2; for i in 1 2
  > do "$SB_DBSERVER" start --dir="$PWD/db$i" -- --innodb-buffer-pool-size=16M >env$i || cat env$i & done; wait
  $ trap 'for i in 1 2; do "$SB_DBSERVER" stop --dir="$PWD/db$i" --remove & done; wait' EXIT
  $ cat >one.lua <<X
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    if os.getenv('WHERE') then print('client ' .. sysbench.tid .. ' ' .. con:query_row('SELECT @@socket'):match('(db.)/run')) end
  > end
  > function event() con:query("SELECT 1") end
  > X
  $ . ./env1; one=$pid port1=$port; . ./env2; two=$pid port2=$port
  $ both="--mysql-socket=$PWD/db1/run/mariadb.sock,$PWD/db2/run/mariadb.sock --mysql-user=$user --mysql-db=$db"

Five clients on two servers are three and two, whoever connects first.  The hosts add up to the whole.

  $ WHERE=1 sysbench one.lua $both --threads=5 --tx-rate=1000 --tx-arrival=aligned --events=100 --time=60 \
  >   --report-interval=1 --report-file=a.json,a.hosts.csv,a.prom run >out
  $ grep '^client' out | sort
  client 0 db1
  client 1 db2
  client 2 db1
  client 3 db2
  client 4 db1
  $ hosts a.json a.hosts.csv | sed 's/^[0-9]* rows/N rows/'; figure transactions
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up
  N rows, as in json
  100
  $ sed -n '/^Database hosts:/,/^    ms /p' out | sed "s|$PWD/||" | mask
  Database hosts:
      host                  clients transactions      %  failed  errors  lost reconn
      dbN/run/mariadb.sock
   N N N.NN N N N N
      dbN/run/mariadb.sock
   N N N.NN N N N N
      ms                           pN pN pN maximum       mean
  $ grep -E '^sysbench_database_(clients|transactions_total)' a.prom |
  >   sed -E 's#.*_database_(.*)\{.*/(db.)/.*\}#\1 \2#; s/total (db.) [0-9]+/total \1 N/'
  transactions_total db1 N
  transactions_total db2 N
  clients db1 3
  clients db2 2

Ports are a list, too, and a server that is in the list twice has twice the clients.

  $ sysbench one.lua --mysql-host=127.0.0.1 --mysql-port=$port2,$port1,$port2 --mysql-user=$user --mysql-db=$db \
  >   --threads=6 --tx-rate=1000 --tx-arrival=aligned --events=60 --time=60 --report-file=a.json run >out
  $ hosts a.json | sed "s/$port1/one/; s/$port2/two/"
  127.0.0.1:two: clients 4, transactions N, failed 0, lost 0, reconnects 0
  127.0.0.1:one: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up

On workers it is the same; in a warm-up nothing counts.

  $ sysbench one.lua $both --workers=2 --warmup-time=1 --threads=5 --tx-rate=1000 --tx-arrival=aligned --events=100 \
  >   --time=60 --report-file=a.json run >out
  $ hosts a.json; figure transactions
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up
  100

Blanks around a host are not part of it.

  $ sysbench one.lua --mysql-host=' 127.0.0.1 ,	127.0.0.1' --mysql-port=$port1,$port2 --mysql-user=$user \
  >   --mysql-db=$db --threads=4 --tx-rate=1000 --events=40 --time=60 --report-file=a.json run >out
  $ hosts a.json | sed "s/$port1/one/; s/$port2/two/"
  127.0.0.1:one: clients 2, transactions N, failed 0, lost 0, reconnects 0
  127.0.0.1:two: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up

A port or brackets in a host are a mistake, and nothing is touched.

  $ for h in 127.0.0.1:$port1 "db1,127.0.0.1:$port1" "[::1]:$port1" "[::1]"
  > do sysbench one.lua --mysql-host="$h" --report-file=none.json run 2>&1 | grep FATAL | sed "s/$port1/one/g"; done
  > ls none.json
  FATAL: Invalid value for --mysql-host: '127.0.0.1:one' is neither a name nor an address (a port is given with --mysql-port, and IPv6 without brackets)
  FATAL: Invalid value for --mysql-host: '127.0.0.1:one' is neither a name nor an address (a port is given with --mysql-port, and IPv6 without brackets)
  FATAL: Invalid value for --mysql-host: '[::1]:one' is neither a name nor an address (a port is given with --mysql-port, and IPv6 without brackets)
  FATAL: Invalid value for --mysql-host: '[::1]' is neither a name nor an address (a port is given with --mysql-port, and IPv6 without brackets)
  ls: cannot access 'none.json': No such file or directory
  [2]

Of more than 64 hosts there are no figures, and the report says so.

  $ echo 'function event() end' >none.lua
  $ for n in 64 65
  > do sysbench none.lua --mysql-host="$(seq -s, -f db%g $n)" --tx-rate=1000 --events=10 \
  >   --report-file=a.json,a.hosts.csv run >out
  >   python3 -c \
  >     "import json; s = json.load(open('a.json'))['summary']; print(len(s['hosts'] or []), s['missing'].get('hosts'))"
  >   grep -A 1 '^Database hosts' out; wc -l <a.hosts.csv; done
  65 None
  Database hosts:
      host                  clients transactions      %  failed  errors  lost reconn
  66
  0 the list has more than 64, of which no figures by host are kept
  Database hosts:
      n/a (the list has more than 64, of which no figures by host are kept)
  1

Stock's options alone give stock's report, and one server has no block.

  $ sysbench one.lua $both --threads=5 --events=100 run >out; ! grep 'Database hosts' out
  $ sysbench one.lua --mysql-socket=$PWD/db1/run/mariadb.sock --mysql-user=$user --mysql-db=$db --tx-rate=100 \
  >   --events=10 run >out 2>&1
  > grep -c 'Database hosts' out
  0
  [1]

Of two load hosts, each uses both servers (members print nothing); the leader adds them up.

  $ . "$TESTDIR/../include/ranks.sh"
  $ WHERE=1 ranks 2 one.lua $both --threads=5 --tx-rate=1000 --events=200 --time=60 --report-interval=1 --report-file=a.json,a.hosts.csv run
  rank 0: exit 0
  rank 1: exit 0
  $ hosts a.json a.hosts.csv | sed 's/^[0-9]* rows/N rows/'; cat err.*; grep '^client' out.0 | sort
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up
  N rows, as in json
  client 0 db1
  client 2 db2
  client 4 db1

They may call the servers by other names; the report has the leader's.

  $ ports="--mysql-host=127.0.0.1 --mysql-port=$port1,$port2 --mysql-user=$user --mysql-db=$db"
  $ more_1="$ports --mysql-socket="
  $ ranks 2 one.lua $both --server=host=$PWD/db1/run/mariadb.sock --threads=4 --tx-rate=1000 --events=200 --time=60 \
  >   --report-interval=1 --report-file=a.json run
  > more_1=
  rank 0: exit 0
  rank 1: exit 0
  $ hosts a.json; cat err.*
  db1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up

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

Db1 is killed: its clients go to db2, and stay when it is back.  Db2 is killed: all go to db1.

  $ : >b.jsonl; : >out
  $ sysbench one.lua $both --threads=5 --tx-rate=50 --tx-spin=0 --tx-arrival=aligned --on-error=failover --time=0 \
  >   --report-interval=0.2 --report-file=b.jsonl,b.json,b.hosts.csv run >out 2>err &
  > client=$!
  $ wait_for b.jsonl '"kind":"interval"' 2
  $ kill -KILL $one; wait_for b.jsonl 'db2[^"]*","clients":5,"connections":5'
  $ while "$SB_DBSERVER" status --dir="$PWD/db1" >env1; do sleep 0.05; done; "$SB_DBSERVER" start --dir="$PWD/db1" >env1 || cat env1
  $ kill -KILL $two; wait_for b.jsonl 'db1[^"]*","clients":5,"connections":5'
  $ kill $client; wait $client
  [143]
  $ hosts b.json b.hosts.csv | sed 's/^[0-9]* rows/N rows/'
  db1: clients 5, transactions N, failed 0, lost 3, reconnects 5
  db2: clients 0, transactions N, failed 0, lost 5, reconnects 3
  adds up
  N rows, as in json
