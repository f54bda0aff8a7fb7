Two load hosts, one report, against MariaDB: its figures are those of all their transactions.
Own server: its user is granted more.

  $ . "$TESTDIR/../include/mysql.sh"
  $ . "$TESTDIR/../include/ranks.sh"
  $ sums() { python3 "$TESTDIR/../include/ranks_sums.py" "$@"; }
  $ args="--mysql-socket=$SB_MYSQL_SOCKET --mysql-user=$SB_MYSQL_USER --mysql-db=$SB_MYSQL_DB --table-size=100 --rand-seed=3"
  $ sysbench oltp_point_select $args prepare >/dev/null

Each histogram is that of both raw logs, bucket by bucket; the ranks add up to the run in every interval.

  $ ranks 2 oltp_point_select $args --threads=7 --tx-rate=300 --tx-arrival=poisson --events=600 --time=0 \
  >   --report-interval=1 --report-style=full --report-statements --percentile=50,99.9 --raw-log=raw --report-file=a.json,a.ranks.csv run
  $ sums a.json raw raw.rank1; cat err.*
  response: equal
  service: equal
  lag: equal
  $ sed -n '/^Rate/,/late starts/p' out.0 | sed '2,3d; s/([^)]*)//'
  Rate:
      offered:                             600
      done:                                600
      failed:                              0
      dropped:                             0
      unfinished:                          0
      lost with their load hosts:          0
      late starts : * (glob)
  $ json() { python3 -c "import json; d = json.load(open('a.json')); s = d['summary']; r = s['ranks']; print($1)"; }
  $ json "sum(x['done'] for x in r), [x['threads'] for x in r], s['threads_running'], d['verdict']['accounts_balance']"
  600 [4, 3] 0 True
  $ json "[(x['text'], x['count'], x['rows']) for x in s['statements'] if x['class'] == 'prepared']"
  [('SELECT c FROM sbtest1 WHERE id=?', 600, 600)]
  $ json "[x['clock'] for x in r]"
  [None, {'same': True, 'offset_s': 0, 'uncertainty_s': 0, 'drift_ppm': 0}]

The block of the load hosts, and their table.

  $ sed -n '/^Load hosts/,/^$/p' out.0 |
  >   sed "s/$(uname -n | cut -c 1-16) */HOST /; s/ HOST  *\([0-9]*\)  *[0-9].*/ HOST \1/; /rank [0-9] [dw]/,/^$/d" |
  >   grep .
  Load hosts:
      rank host             clients       done  per sec.   p99, ms    late CPU, %
         0 HOST 4
         1 HOST 3
      clock of rank 1:                     the leader's
  $ python3 -c "
  > import csv
  > rows = list(csv.DictReader(open('a.ranks.csv')))
  > both = [r for r in rows if r['kind'] == 'summary']
  > print([r['rank'] for r in both], sum(int(r['done']) for r in both))"
  ['0', '1'] 600

A rank that is killed is named, with what it would have done; the rest finishes, and the accounts balance.

  $ cat >die.lua <<'END'
  > ffi.cdef("int getpid(void); int kill(int, int);")
  > function thread_init() n = 0 end
  > function event(id)
  >    n = n + 1
  >    if id == 1 and n == 20 then ffi.C.kill(ffi.C.getpid(), 9) end
  > end
  > END
  $ ranks 2 ./die.lua --threads=2 --tx-rate=200 --events=200 --time=0 --report-interval=1 --report-style=full \
  >   --report-file=a.json run 2>killed
  rank 0: exit 1
  rank 1: exit 137
  $ grep -o 'offered:  *200$' out.0; json "sum(x['done'] + x['lost'] for x in r), r[0]['done'], r[1]['lost'] > 0, r[1]['why_lost']"
  offered:                             200
  200 100 True the connection was closed
  $ json "d['verdict']['sustained'], d['verdict']['accounts_balance']"
  False True
  $ errors | sed 's/after [0-9.]* s/after N s/'
  WARNING: rank 1 (HOST) is lost after N s (the connection was closed): its share of the load is missing from now on
  $ grep FATAL out.0 | sed "s/($(uname -n))/(HOST)/; s/after [0-9.]* s: [0-9]*/after N s: N/"
  FATAL: rank 1 (HOST) was lost after N s: N transactions of its share were not done

Idle connections are divided: together the ranks open as many as were asked for, and all are there at each transaction.

  $ cat >idle.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event(id)
  >    local n, tries = nil, 200
  >    repeat -- a connection that read the server's settings, or one of the run before, may still be there
  >       n = tonumber((con:query_row("SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()")))
  >       tries = tries - 1
  >       if n > 12 then con:query("DO SLEEP(0.05)") end
  >    until n <= 12 or tries == 0
  >    print("connections: " .. n)
  >    con:query("DO SLEEP(2)") -- the others count this one, too
  > end
  > END
  $ ranks 3 ./idle.lua $args --threads=4 --idle-connections=8 --events=4 --time=0 run
  $ grep connections: out.0 | sort -u; errors
  connections: 12

Their one row, which each transaction holds for 50 ms: the leader knows the sessions of both, so nobody else blocks.

  $ sql "DO 0"; "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_ADMIN" \
  >   --execute="GRANT PROCESS ON *.* TO $SB_MYSQL_USER@localhost"
  $ cat >hot.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    for _, q in ipairs{"BEGIN", "UPDATE sbtest1 SET k = k + 1 WHERE id = 1", "SELECT SLEEP(0.05)", "COMMIT"} do con:query(q) end
  > end
  > END
  $ ranks 2 hot.lua $args --threads=8 --tx-rate=40 --time=4 --server-waits=on --report-file=a.json run
  $ json "d['verdict']['why'].partition('; ')[2]"
  take these out or lower the rate
  $ json "s['server_status']['lock_waited_s'] > 8, s['server_status']['lock_waited_for_others_s']"
  True 0
