A list of servers: client g begins at server g of the list, fails over to the next one, and comes back after the next loss.

  $ . "$TESTDIR/../include/rate.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ hosts() { python3 "$TESTDIR/../include/hosts.py" "$@" | sed 's/transactions [0-9]*/transactions N/'; }
  $ place=$(mktemp -d "${SB_TESTS%/*}/hosts-XXXXXX"); chmod 711 $place
  $ server() { what=$1; i=$2; shift 2; "$SB_DBSERVER" $what --dir=$place/db$i "$@"; }
  $ : >env1; : >env2; for i in 1 2
  > do server start $i --engine=postgresql --port=none -- --cluster_name=db$i >env$i || cat env$i & done; wait
  $ trap 'for i in 1 2; do server stop $i --remove; rm $place/h$i/.s.PGSQL.5432; rmdir $place/h$i; done; rmdir $place' EXIT
  $ cat >one.lua <<X
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    if os.getenv('WHERE') then print('client ' .. sysbench.tid .. ' ' .. con:query_row('SHOW cluster_name')) end
  > end
  > function event() con:query("SELECT 1") end
  > X

With one port, two servers of one machine need sockets of their own.

  $ for i in 1 2; do . ./env$i; mkdir $place/h$i; ln -s $socket $place/h$i/.s.PGSQL.5432; done
  $ both="--db-driver=pgsql --pgsql-host=$place/h1,$place/h2 --pgsql-user=$user --pgsql-db=$db"

Five clients on two servers are three and two, whoever connects first.  The hosts add up to the whole.

  $ WHERE=1 sysbench one.lua $both --threads=5 --tx-rate=1000 --tx-arrival=aligned --events=100 --time=60 --report-file=a.json run >out
  $ grep '^client' out | sort
  client 0 db1
  client 1 db2
  client 2 db1
  client 3 db2
  client 4 db1
  $ hosts a.json; figure transactions
  h1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  h2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up
  100

Blanks around a host are not part of it; a port or brackets in it are a mistake.

  $ sysbench one.lua $both --pgsql-host=" $place/h1 , $place/h2" --threads=4 --tx-rate=1000 --tx-arrival=aligned \
  >   --events=40 --time=60 --report-file=a.json,a.hosts.csv run >out
  $ hosts a.json a.hosts.csv
  h1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  h2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up
  2 rows, as in json
  $ for h in db1:5432 'db1, [::1]:5432'; do sysbench one.lua $both --pgsql-host="$h" run 2>&1 | grep FATAL; done
  FATAL: Invalid value for --pgsql-host: 'db1:5432' is neither a name nor an address (a port is given with --pgsql-port, and IPv6 without brackets)
  FATAL: Invalid value for --pgsql-host: '[::1]:5432' is neither a name nor an address (a port is given with --pgsql-port, and IPv6 without brackets)

A client's second connection begins at the next host; its transactions count where the first one is.  The threads of a command have
hosts as clients have.

  $ cat >two.lua <<X
  > local function where(con) return con:query_row('SHOW cluster_name') end
  > function thread_init()
  >    local driver = sysbench.sql.driver()
  >    con, other = driver:connect(), driver:connect()
  >    print('client ' .. sysbench.tid .. ' ' .. where(con) .. ' ' .. where(other))
  > end
  > function event() other:query("SELECT 1") end
  > local function command() print('thread ' .. sysbench.tid .. ' ' .. where(sysbench.sql.driver():connect())) end
  > sysbench.cmdline.commands = {look = {command, sysbench.cmdline.PARALLEL_COMMAND}}
  > X
  $ sysbench two.lua $both --threads=3 --tx-rate=1000 --events=30 --time=60 --report-file=a.json run | grep '^client' | sort
  client 0 db1 db2
  client 1 db2 db1
  client 2 db1 db2
  $ hosts a.json
  h1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  h2: clients 1, transactions N, failed 0, lost 0, reconnects 0
  adds up
  $ sysbench two.lua $both --threads=3 look | grep '^thread' | sort
  thread 0 db1
  thread 1 db2
  thread 2 db1

A host that is down is skipped, at first, too.

  $ sysbench one.lua $both --pgsql-host=$place/h0,$place/h1,$place/h2 --workers=1 --threads=6 --tx-rate=1000 \
  >   --tx-arrival=aligned --events=60 --time=60 --report-file=a.json run >out
  $ hosts a.json
  h0: clients 0, transactions N, failed 0, lost 0, reconnects 0
  h1: clients 4, transactions N, failed 0, lost 0, reconnects 0
  h2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  adds up

A list in a connection string is libpq's: all clients go to its first host, and nothing is said of hosts.

  $ WHERE=1 sysbench one.lua --db-driver=pgsql --pgsql-db="dbname=$db user=$user host=$place/h2,$place/h1" --threads=2 \
  >   --tx-rate=100 --events=10 run >out 2>&1
  $ grep '^client' out | sort; ! grep 'Database hosts' out
  client 0 db2
  client 1 db2

A list of ports: one for each host, or several of one host.

  $ rm $place/h2/.s.PGSQL.5432; . ./env2; ln -s $socket $place/h2/.s.PGSQL.5433
  $ ports="--db-driver=pgsql --pgsql-user=$user --pgsql-db=$db --pgsql-port=5432,5433"
  $ WHERE=1 sysbench one.lua $ports --pgsql-host=$place/h1,$place/h2 --threads=3 --tx-rate=1000 --tx-arrival=aligned \
  >   --events=60 --time=60 --report-file=a.json run |
  >   grep '^client' | sort
  client 0 db1
  client 1 db2
  client 2 db1
  $ hosts a.json; python3 -c "import json; print(json.load(open('a.json'))['run']['options']['given']['pgsql-port'])"
  h1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  h2: clients 1, transactions N, failed 0, lost 0, reconnects 0
  adds up
  5432,5433
  $ ln -s $socket $place/h1/.s.PGSQL.5433
  $ WHERE=1 sysbench one.lua $ports --pgsql-host=$place/h1 --threads=3 --tx-rate=1000 --tx-arrival=aligned --events=60 \
  >   --time=60 --report-file=a.json run |
  >   grep '^client' | sort
  client 0 db1
  client 1 db2
  client 2 db1
  $ python3 -c "import json; print(*[(h['host'].split('/')[-1], h['clients']) for h in json.load(open('a.json'))['summary']['hosts']])"
  ('.s.PGSQL.5432', 2) ('.s.PGSQL.5433', 1)
  $ rm $place/h1/.s.PGSQL.5433 $place/h2/.s.PGSQL.5433; ln -s $socket $place/h2/.s.PGSQL.5432
  $ for p in 1,2 1,x 1,,2 1,0 1,70000 x,1; do sysbench cpu --pgsql-host=a,b,c --pgsql-port=$p run 2>&1 | grep -v '^sysbench\|^$'; done
  FATAL: --pgsql-port=1,2 has 2 ports and --pgsql-host=a,b,c has 3 hosts: one port, or one for each host, is needed
  FATAL: Invalid value for --pgsql-port: '1,x' ('x' is no port from 1 to 65535)
  FATAL: Invalid value for --pgsql-port: '1,,2' ('' is no port from 1 to 65535)
  FATAL: Invalid value for --pgsql-port: '1,0' ('0' is no port from 1 to 65535)
  FATAL: Invalid value for --pgsql-port: '1,70000' ('70000' is no port from 1 to 65535)
  Invalid value for the 'pgsql_port' option: 'x,1' (a whole number without a unit is needed)

The first one is stopped: its clients go to the second, and stay when it is back.  The second is stopped: all go to the first.

  $ : >b.jsonl; : >out
  $ sysbench one.lua $both --threads=5 --tx-rate=50 --tx-spin=0 --tx-arrival=aligned --on-error=failover --time=0 \
  >   --report-interval=0.2 --report-file=b.jsonl --report-file=b.json run >out 2>err &
  > client=$!
  $ wait_for b.jsonl '"kind":"interval"' 2
  $ server stop 1; wait_for b.jsonl 'h2[^"]*","clients":5,"connections":5'
  $ server start 1 >env1 || cat env1
  $ server stop 2; wait_for b.jsonl 'h1[^"]*","clients":5,"connections":5'
  $ kill $client; wait $client
  [143]
  $ hosts b.json
  h1: clients 5, transactions N, failed 0, lost 3, reconnects 5
  h2: clients 0, transactions N, failed 0, lost 5, reconnects 3
  adds up
