A list of servers: client g begins at server g of the list, fails over to the next one, and comes back after the next loss.

  $ . "$TESTDIR/../include/hosts.sh"
  $ load="--tx-rate=1000 --tx-arrival=aligned --time=60"

Five clients on two servers are three and two, whoever connects first.  The hosts add up to the whole.

  $ WHERE=1 sysbench one.lua $both --threads=5 $load --events=100 --report-interval=1 --report-file=a.json,a.hosts.csv,a.prom run >out
  $ grep '^client' out | sort
  client 0 db1
  client 1 db2
  client 2 db1
  client 3 db2
  client 4 db1
  $ hosts a.json a.hosts.csv; figure transactions
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  100
  $ sed -n '/^Database hosts:/,/^    ms /p' out | sed -E "s#[^ ]*/(db.)[^ ]*#\1#" | mask | tr -s ' '
  Database hosts:
   host clients transactions % failed errors lost reconn
   dbN
   N N N.NN N N N N
   dbN
   N N N.NN N N N N
   ms pN pN pN maximum mean
  $ grep -E '^sysbench_database_(clients|transactions_total)' a.prom |
  >   sed -E 's#.*_database_(.*)\{.*/(db.)[/"].*\}#\1 \2#; s/total (db.) [0-9]+/total \1 N/'
  transactions_total db1 N
  transactions_total db2 N
  clients db1 3
  clients db2 2

On workers it is the same; in a warm-up nothing counts.

  $ sysbench one.lua $both --workers=2 --warmup-time=1 --threads=5 $load --events=100 --report-file=a.json run >out
  $ hosts a.json; figure transactions
  db1: clients 3, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 2, transactions N, failed 0, lost 0, reconnects 0
  100

A client's second connection begins at the next host; its transactions count where the first one is.  The threads of a command
have hosts as clients have.

  $ cat one.lua - >two.lua <<'X'
  > local init = thread_init
  > function thread_init() init() other = sysbench.sql.driver():connect() print("other " .. sysbench.tid .. " " .. where(other)) end
  > function event() other:query("SELECT 1") end
  > function command() print("thread " .. sysbench.tid .. " " .. where(sysbench.sql.driver():connect())) end
  > sysbench.cmdline.commands = {look = {command, sysbench.cmdline.PARALLEL_COMMAND}}
  > X
  $ WHERE=1 sysbench two.lua $both --threads=3 $load --events=30 --report-file=a.json run | grep '^client\|^other' | sort
  client 0 db1
  client 1 db2
  client 2 db1
  other 0 db2
  other 1 db1
  other 2 db2
  $ hosts a.json; sysbench two.lua $both --threads=3 look | grep '^thread' | sort
  db1: clients 2, transactions N, failed 0, lost 0, reconnects 0
  db2: clients 1, transactions N, failed 0, lost 0, reconnects 0
  thread 0 db1
  thread 1 db2
  thread 2 db1

Blanks around a host are not part of it.  A port or brackets in it are a mistake, and nothing is touched.

  $ sysbench none.lua --db-driver=$DB --$DB-host="[::1]:1" --report-file=none.json run 2>&1 | grep FATAL; [ ! -e none.json ]
  FATAL: Invalid value for --*-host: '[::1]:1' is neither a name nor an address (a port is given with --*-port, and IPv6 without brackets) (glob)
  $ echo 'function event() end' >none.lua
  $ sysbench none.lua --db-driver=$DB --$DB-host=' a ,	b' $load --events=4 --report-file=a.json run >out
  $ python3 -c "import json; print([h['host'].split(':')[0] for h in json.load(open('a.json'))['summary']['hosts']][:2])"
  ['a', 'b']

Of more than 64 hosts there are no figures, and the report says so.

  $ for n in 64 65; do
  >   sysbench none.lua --db-driver=$DB --$DB-host="$(seq -s, -f db%g $n)" --tx-rate=1000 --events=10 \
  >     --report-file=a.json,a.hosts.csv run >out
  >   python3 -c "import json; s = json.load(open('a.json'))['summary']; print(len(s['hosts'] or []), s['missing'].get('hosts'))"
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
  $ sysbench one.lua $(echo "$both" | sed 's/,.*//') --tx-rate=100 --events=10 run >out 2>&1; ! grep 'Database hosts' out

Db1 is killed: its clients go to db2, and stay when it is back.  Db2 is killed: all go to db1.

  $ : >b.jsonl; : >out
  $ sysbench one.lua $both --threads=5 --tx-rate=50 --tx-spin=0 --tx-arrival=aligned --on-error=failover --time=0 \
  >   --report-interval=0.2 --report-file=b.jsonl,b.json,b.hosts.csv run >out 2>err &
  > client=$!
  $ wait_for b.jsonl '"kind":"interval"' 2
  $ server kill 1; wait_for b.jsonl 'db2[^"]*","clients":5,"connections":5'
  $ server start 1 >env1 || cat env1
  $ server kill 2; wait_for b.jsonl 'db1[^"]*","clients":5,"connections":5'
  $ kill $client; wait $client
  [143]
  $ hosts b.json b.hosts.csv
  db1: clients 5, transactions N, failed 0, lost 3, reconnects 5
  db2: clients 0, transactions N, failed 0, lost 5, reconnects 3
