What --settle does at a server before the clients connect, and what is told of it.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none --
  $ filled oltp_update_non_index $args --table-size=2000
  $ load() { sysbench oltp_update_non_index $args --table-size=2000 --time=0 --events="$@" --report-file=a.json run >out 2>err ||
  >   { exited $?; grep FATAL out; }; cat err; }
  $ steps() { report get a.json run.settled | python3 -c "import json, sys
  > for s in json.load(sys.stdin):
  >     print(s['step'], s['outcome'].replace('no longer falling', 'done'), s['why'] or '',
  >         'fell' * ((s['before'] or 0) > 1000 >= s['after']), sep=':')" | diff - $DB.txt; }

Off unless it is asked for; a test without a server has no use for it.

  $ load 1500; grep Settled out; report get a.json run | grep settled
  [1]
  $ load 1 --settle=1k; sysbench cpu --settle run | grep FATAL
  exit 1
  FATAL: Invalid value for --settle: '1k' (allowed: on, off, or seconds, up to a day)
  FATAL: --settle is for a server, and the 'cpu' test uses none

The history of an old transaction, which ends meanwhile, is purged; dead rows are vacuumed.

  $ case $DB in
  > mysql) cat >mysql.txt <<'END'
  > analyze:done::
  > purge:done::fell
  > change buffer:not done:change buffering is off (innodb_change_buffering):
  > dirty pages:done::
  > END
  >    root "START TRANSACTION WITH CONSISTENT SNAPSHOT; SELECT SLEEP(600)" >/dev/null 2>&1 & runs 'SELECT SLEEP(600)' ;;
  > pgsql) cat >pgsql.txt <<'END'
  > vacuum and analyze:done::
  > autovacuum:done::
  > checkpoint:not done:CHECKPOINT takes pg_checkpoint, or a superuser:
  > running checkpoint:not done:this role may not see it: that takes pg_read_all_stats:
  > END
  > esac
  $ load 1500
  $ load 1 --settle & client=$!
  $ case $DB in mysql) until_true "EXISTS (SELECT 1 $sessions login = '$user')"; sleep 1
  >   end_all "statement = 'SELECT SLEEP(600)'";; esac
  $ wait $client; steps; sed -n '/^Settled:$/,/^$/p' out | grep -c -e 'ana.* s of at most 60: .*tables 1$' -e 'list 1,...' \
  >   -e 'autovacuum: .*workers 0 -> 0'
  2
  $ report validate "$SB_SOURCE/docs/schema" a.json || [ $? = 80 ]
  $ case $DB in pgsql) until_true "(SELECT last_vacuum IS NOT NULL AND last_analyze IS NOT NULL
  >   FROM pg_stat_user_tables WHERE relname = 'sbtest1') AND 1 = 1" | sed '/never/!d'
  >   root "ALTER ROLE $user SUPERUSER"; load 1 --settle; sed -i '3,4s/:not.*/:done::/' pgsql.txt; steps; esac

A table that another session has locked: no longer than the limit.  A signal ends it at once.  If the server goes away, the run
does not begin.

  $ case $DB in mysql) hold="LOCK TABLES sbtest1 WRITE; SELECT SLEEP(600)"; held='SELECT SLEEP(600)' ;;
  >   *) hold="BEGIN; LOCK TABLE sbtest1; SELECT pg_sleep(600)"; held=$hold ;; esac
  $ root "$hold" >/dev/null 2>&1 & runs "$held"
  $ sysbench oltp_point_select $args --threads=1 --settle=1 --connect-timeout=1 --db-ps-mode=disable --time=1 run >out 2>&1 &
  $ wait_for out 'no time was left' 3; sed -n '/^Settled:$/,/^$/p' out | grep -c ' tables 1,\( limit\)*$'
  1
  $ end_all "statement = '$held'"; wait
  $ root "$hold" >/dev/null 2>&1 & runs "$held"
  $ sysbench oltp_point_select $args --settle=600 --events=1 run >out 2>err & client=$!
  $ until_true "EXISTS (SELECT 1 $sessions login = '$user' AND statement LIKE '%ANALYZE%')"; kill $client; wait $client; exited $?; cat err
  exit 143
  sysbench: stopped while the server settled, no run began
  $ end_all "login = '$user'"
  $ load 1 --settle >said & client=$!
  $ until_true "EXISTS (SELECT 1 $sessions login = '$user' AND statement LIKE '%ANALYZE%')"; end_all "login = '$user'"; wait $client
  $ sed -E 's/(lost) .*/\1/' said; end_all "statement = '$held'"
  exit 1
  FATAL: the connection of --settle was lost
