Many clients on few threads, against PostgreSQL.

  $ . "$TESTDIR/../include/workers.sh"
  $ args=$SB_PGSQL_ARGS
  $ psql="psql -X -q -A -t -h $SB_PGSQL_HOST -p $SB_PGSQL_PORT -U $SB_PGSQL_USER $SB_PGSQL_DB"
  $ digest() { $psql -c "SELECT COUNT(*), SUM(k), SUM(hashtext(c)::bigint), SUM(id) FROM sbtest1"; }

Same seed, same data after the run, same counts.

  $ filled oltp_read_write $args --table-size=1000
  $ $psql -c "CREATE TABLE keep AS SELECT * FROM sbtest1"
  $ for t in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_update_index oltp_delete \
  >     select_random_points select_random_ranges; do
  >   for mode in $(case $t in oltp_read_write) echo auto disable ;; *) short_or_long auto "auto disable" ;; esac); do
  >     for w in 0 1 s; do
  >       $psql -c "TRUNCATE sbtest1; INSERT INTO sbtest1 SELECT * FROM keep"
  >       sysbench $t $args --table-size=1000 --events=20 --rand-seed=11 --db-ps-mode=$mode $(carried $w) run >out.$w
  >       echo "exit $?" >>out.$w
  >       digest >digest.$w
  >     done
  >     alike out.0 out.1; cmp digest.0 digest.1; alike out.0 out.s; cmp digest.0 digest.s
  >     [ "$(counts out.0)" = "$(counts out.1)" ] && [ "$(counts out.0)" = "$(counts out.s)" ] ||
  >       echo "$t $mode: $(counts out.0), $(counts out.1), $(counts out.s)"
  >   done
  > done

Nobody said how: many clients of a bundled script are carried.

  $ for o in --time=0 --workers=0; do
  >   sysbench oltp_point_select $args --table-size=1000 --threads=80 --events=80 --report-file=run.json $o run >out
  >   python3 -c 'import json; print(json.load(open("run.json"))["run"]["options"]["effective"]["workers"] != "0")'
  > done
  True
  False

Waiting, and a text of many packets.

  $ cat >waits.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event()
  >    con:query("SELECT pg_sleep(1)")
  >    assert(#con:query_row("SELECT '" .. string.rep("x", 2000000) .. "'") == 2000000)
  > end
  > END
  $ sysbench waits.lua $args --threads=50 --workers=1 --events=50 --time=0 run >out; exited $?; timed 1 25 $(figure 'total time')

Over TCP, with connections that are ended from elsewhere.

  $ : >out; sysbench oltp_point_select $SB_PGSQL_TCP_ARGS --table-size=1000 --threads=20 --workers=1 --tx-rate=200 --time=60 \
  >   --server-waits=off --pgsql-ignore-errors=all run >out & client=$!
  $ wait_for out 'Threads started'; sleep 0.3
  $ # the psql before this one may still be there
  > others="FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sysbench'"
  $ twenty() { left=600; until [ $($psql -c "SELECT COUNT(*) $others $1") = 20 ] || [ $left = 0 ]
  > do left=$((left - 1)); sleep 0.05; done; }
  $ twenty # those of the run before end
  $ before=$($psql -c "SELECT clock_timestamp()"); $psql -c "SELECT COUNT(pg_terminate_backend(pid)) $others"
  20
  $ twenty "AND backend_start > '$before' AND query LIKE '%sbtest1%'"
  $ sleep 0.2; kill $client; wait $client; exited $?; accounts; figure reconnects
  exit 143
  20
