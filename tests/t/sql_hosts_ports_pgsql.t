Lists of PostgreSQL's servers: hosts that are down, connection strings, ports.

  $ DB=pgsql; . "$TESTDIR/../include/hosts.sh"
  $ load="--tx-rate=1000 --tx-arrival=aligned --events=60 --time=60"
  $ clients() { WHERE=1 sysbench one.lua "$@" --threads=3 $load --report-file=a.json run | grep '^client' | sort | tr '\n' ' '; echo; }

A host that is down is skipped, at first, too.

  $ sysbench one.lua $both --pgsql-host=$place/h0,$at1,$at2 --workers=1 --threads=6 $load --report-file=a.json run >out; hosts a.json
  h0: clients 0, transactions N, failed 0, lost 0, reconnects 0
  db1: clients 4, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0

A list in a connection string is libpq's: all clients go to its first host, and nothing is said of hosts.

  $ WHERE=1 sysbench one.lua --db-driver=pgsql --pgsql-db="dbname=$db user=$user host=$at2,$at1" --threads=2 \
  >   --tx-rate=100 --events=10 run >out 2>&1
  $ grep '^client' out | sort; ! grep 'Database hosts' out
  client 0 db2
  client 1 db2

A list of ports: one for each host, or several of one host.

  $ . ./env2; mv $at2/.s.PGSQL.5432 $at2/.s.PGSQL.5433
  $ clients $login --pgsql-port=5432,5433 --pgsql-host=$at1,$at2; hosts a.json
  client 0 db1 client 1 db2 client 2 db1 
  db1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 1, transactions N, failed 0, lost 0, reconnects 0
  $ python3 -c "import json; print(json.load(open('a.json'))['run']['options']['given']['pgsql-port'])"
  5432,5433
  $ ln -s $socket $at1/.s.PGSQL.5433; clients $login --pgsql-port=5432,5433 --pgsql-host=$at1
  client 0 db1 client 1 db2 client 2 db1 
  $ python3 -c "import json; print(*[(h['host'].split('/')[-1], h['clients']) for h in json.load(open('a.json'))['summary']['hosts']])"
  ('.s.PGSQL.5432', 2) ('.s.PGSQL.5433', 1)
  $ for p in 1,2 1,x x,1; do sysbench cpu --pgsql-host=a,b,c --pgsql-port=$p run 2>&1 | grep -v '^sysbench\|^$'; done
  FATAL: --pgsql-port=1,2 has 2 ports and --pgsql-host=a,b,c has 3 hosts: one port, or one for each host, is needed
  FATAL: Invalid value for --pgsql-port: '1,x' ('x' is no port from 1 to 65535)
  Invalid value for the 'pgsql_port' option: 'x,1' (a whole number without a unit is needed)
