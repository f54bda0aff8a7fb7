A run begins while another session holds its table: the look at the size of the tables waits for no lock and hides no stall.

  $ . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/$DB.sh"
  $ filled oltp_point_select $SB_ARGS --table-size=1000
  $ case $DB in
  > mysql) sql 'DO 0'; lock='LOCK TABLES sbtest1 WRITE'
  >    hold() { "$sql_client" --no-defaults --socket="$SB_MYSQL_SOCKET" --user="$SB_MYSQL_USER" --batch --unbuffered \
  >      "$SB_MYSQL_DB"; } ;;
  > pgsql) lock='BEGIN; LOCK TABLE sbtest1'
  >    hold() { psql --no-psqlrc --host="$SB_PGSQL_HOST" --port="$SB_PGSQL_PORT" --username="$SB_PGSQL_USER" \
  >      --dbname="$SB_PGSQL_DB"; } ;;
  > esac
  $ (echo "$lock; SELECT 'locked';"; until [ -e over ]; do sleep 0.05; done) | hold >held & holder=$!
  $ wait_for held locked; : >out
  $ sysbench oltp_point_select $SB_ARGS --table-size=1000 --db-ps-mode=disable --events=1 --time=60 --report-interval=1 run \
  >   >out 2>err & client=$!
  $ wait_for out '^\[ .* tps: 0.00 ' 2; : >over; wait $holder; wait $client; exited $?; figure transactions
  1
  $ case $DB in mysql) said="Lock wait timeout exceeded; .*" ;; pgsql) said="canceling statement due to lock timeout" ;; esac
  $ sed "s/: $said$/: REASON/" err
  NOTE: the tables were not compared with --table-size: REASON
  $ sysbench oltp_point_select $SB_ARGS --table-size=5000 --events=1 run >out
  WARNING: sbtest1 has ids up to 1,000, --table-size is 5,000: statements about higher ids find no row
  $ sysbench oltp_point_select $SB_ARGS cleanup >out
