Figures of one's own beside the server's counters: --server-status=+NAME and --server-query.

  $ . "$TESTDIR/../include/report.sh"; . "$TESTDIR/../include/$DB.sh"; . "$TESTDIR/../include/rate.sh"
  $ filled oltp_update_non_index $SB_ARGS --table-size=100
  $ run() { sysbench oltp_update_non_index $SB_ARGS --table-size=100 "$@" run >out 2>&1 || { exited $?; cat out; }; }
  $ figure() { report get a.json "summary.server_status.$1"; }
  $ case $DB in
  > mysql) named=checkpoint_age,buffer_reads:/s,Com_update,nosuch
  >   level=checkpoint_age rate=buffer_reads_per_s count=Com_update sleep=SLEEP
  >   question="SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'HANDLER_UPDATE'" ;;
  > pgsql) named=wal_position,checkpoint_buffers:/s,pg_stat_wal.wal_records,nosuch
  >   level=wal_position rate=checkpoint_buffers_per_s count=pg_stat_wal_wal_records sleep=pg_sleep
  >   question="SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')" ;;
  > esac

Values are the server's: a level at the end, growth in the run, growth per second or transaction.  A query that takes too
long is stopped, and what stands behind it has no figure; what stands before it has.

  $ all() { run --time=2 --report-interval=1 --report-style=full --server-status="+$named" "--server-query=half=SELECT(1234567.5)" \
  >   "--server-query=per:/tx=$question" '--server-query=flat:/s=SELECT 7' '--server-query=bad=SELECT nosuch' \
  >   '--server-query=null=SELECT NULL' \
  >   '--server-query=none=SELECT 1 FROM sbtest1 WHERE id < 0' "--server-query=word=SELECT 'abc'" \
  >   "--server-query=slow=SELECT $sleep(30)" '--server-query=late=SELECT 1' \
  >   --report-file=a.json --report-file=a.csv --report-file=a.jsonl; }
  $ why() { python3 - <<'END' | sed -E "s/ in '(SELECT|field list)'//
  >   s/: (canceling .* timeout|.*max_statement_time exceeded.)$/: TIMEOUT/
  >   s/(Unknown column 'nosuch'|column \"nosuch\" does not exist|the .* no such variable)/unknown/"
  > import json; missing = json.load(open("a.json"))["summary"]["missing"]
  > for name in "half flat_per_s per_per_transaction bad null none word slow late nosuch".split():
  >     print(name + ":", missing.get("server_status." + name))
  > END
  > }
  $ all; left=10; while [ "$(why | grep -c 'within 0.1 s\|left no time')" != 1 ] && [ $left -gt 0 ]; do left=$((left - 1)); all; done
  $ figure half; figure flat_per_s; figure $rate | grep -c '^[0-9]'
  1234567.5
  0
  1
  $ figure $level | awk '$1 < 1'; figure $count | awk '$1 < 10'; figure per_per_transaction | awk '$1 < 0.9'
  $ for f in bad null none word slow late nosuch; do figure $f; done | uniq -c | awk '{ print $1, $2 }'
  7 null
  $ why
  half: None
  flat_per_s: None
  per_per_transaction: None
  bad: unknown
  null: it is NULL
  none: the query has no row
  word: it is 'abc', which is no number
  slow: TIMEOUT
  late: the questions before it left no time to ask for it
  nosuch: unknown
  $ head -n 1 a.csv | grep -c server_status.flat_per_s; report reasons a.json + sums a.json + agree a.json a.jsonl
  1

In the text, too; a query alone asks for all of the server's counters.

  $ sed -n '/^Server status:/,/^$/s/^ *\(half\|flat_per_s\): */\1 /p' out
  half 1234568 at the end
  flat_per_s 0
  $ timed 1 2 $(grep -c '^\[ .* half 1234568 .* slow n/a' out)
  $ run --events=10 --time=0 --server-query='answer=SELECT 42'; grep -E -c '^    (answer|numbackends|Threads_connected):' out
  2

It does not go on in the server.

  $ case $DB in mysql) sql 'SHOW PROCESSLIST' ;; pgsql) sql 'SELECT query FROM pg_stat_activity' ;; esac | grep "SELECT $sleep(30)"
  [1]

Mistakes are refused before anything is done.

  $ refused() { rm -f a.json; sysbench oltp_update_non_index $SB_ARGS "$@" --report-file=a.json run 2>&1 |
  >   sed -n 's/^FATAL: //p;s/^invalid/&/p'; ! test -e a.json; }
  $ refused --server-status=+; refused --server-status=+a:x; refused --server-status=nosuch
  Invalid value for --server-status: '+' (allowed: on, off, +NAME[:gauge|:/s|:/tx],...)
  Invalid value for --server-status: '+a:x' (allowed: on, off, +NAME[:gauge|:/s|:/tx],...)
  invalid option: --server-status=nosuch (allowed: on, off)
  $ refused --server-query=a=1; refused '--server-query=waits=SELECT 1'
  Invalid value for --server-query: 'a=1' (it is NAME[:gauge|:/s|:/tx]=SQL)
  Invalid value for --server-query: 'waits=SELECT 1' (there is another figure of that name)
