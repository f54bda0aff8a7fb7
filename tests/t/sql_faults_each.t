One cause that ends many clients: stock's lines for the first of them, and how many more met the same error.

  $ . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ case $DB in
  > mysql) full='Too many connections' limit=--max-connections=20 gone=doesn.t.exist ;;
  > pgsql) full='too many clients already' limit="--max_connections=20 --superuser_reserved_connections=0" gone=does.not.exist ;;
  > esac
  $ own_db --port=none -- $limit
  $ filled oltp_read_write $args --table-size=100
  $ # a server may be slow to let one in; the two servers' lines and numbers are one
  > said() { clients_are 0; sysbench "$@" >out 2>err; exited $?; sed -i '/blocked its worker/d' out
  > grep -E '^(FATAL|WARNING)' out | sed -E -e '/unable to connect to MySQL|^FATAL: mysql_stmt_prepare\(\) failed/d' \
  >   -e "s#^FATAL: (.*($full|$gone|Access denied|password auth).*)#FATAL: WHY#" -e 's#error (1040|1045|1146|08001|42P01)#error N#' \
  >   -e 's#[^ ]*/(oltp_[a-z]*.lua):[0-9]+#\1:N#'; cat err; }

A full server. How many of the 80 too many are refused before they hear that the run has failed is chance.

  $ for w in 0 1 s; do
  >   said oltp_point_select $args --threads=100 --table-size=100 $(carried $w) run | sed -E 's/^FATAL: [0-9]+ more/FATAL: N more/'
  >   in_range 1 17 $(cat out err | grep -vc '^connected '); grep -c "$full" out
  > done | sort | uniq -c | sed 's/^ *//'
  3 1
  3 FATAL: N more clients met error N
  3 FATAL: Thread initialization failed!
  3 FATAL: WHY
  3 FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  3 exit 1

One of them (or two, where the server still closes a connection of the run before): its lines as ever.  At --verbosity=5 those
of all.

  $ said oltp_point_select $args --threads=21 --table-size=100 run | grep -v '1 more client met' | awk '!seen[$0]++'
  exit 1
  FATAL: WHY
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: Thread initialization failed!
  $ in_range 4 100 $(sysbench oltp_point_select $args --threads=100 --table-size=100 --verbosity=5 run 2>err | grep -c "^FATAL: .*$full")

A missing table, a wrong password, in a run and in a command.

  $ said oltp_point_select $args --tables=2 --threads=15 run | clients_failed 14
  exit 1
  FATAL: WHY
  FATAL: `thread_init' function failed: oltp_common.lua:N: SQL API error
  FATAL: N more clients met error N
  FATAL: Thread initialization failed!
  NOTE: create the tables first: 'sysbench oltp_point_select ... prepare'; to finish an interrupted prepare: --prepare-method=resume
  $ [ $DB = mysql ] || { echo 'local all wrong scram-sha-256' | cat - $dir/data/pg_hba.conf >hba; cat hba >$dir/data/pg_hba.conf
  >   root "CREATE ROLE wrong LOGIN PASSWORD 'right'"; root "SELECT pg_reload_conf()" >reload; args="$args --pgsql-user=wrong"; }
  $ wrong="$args --$DB-password=guess --threads=15"
  $ said oltp_point_select $wrong run | clients_failed 14
  exit 1
  FATAL: WHY
  FATAL: `thread_init' function failed: oltp_common.lua:N: connection creation failed
  FATAL: N more clients met error N
  FATAL: Thread initialization failed!
  $ said oltp_point_select $wrong --tables=15 prepare | clients_failed 14
  exit 1
  FATAL: WHY
  FATAL: `sysbench.cmdline.call_command' function failed: oltp_tables.lua:N: connection creation failed
  FATAL: N more clients met error N

Killed under its clients: the first one's lines at once, a sentence about the others, and the report.

  $ args="${args% --pgsql-user=wrong}"
  $ for w in 0 1; do
  >   clients_are 0; : >out
  >   sysbench oltp_point_select $args --threads=12 --table-size=100 $(carried $w) --time=60 run >out 2>err & client=$!
  >   wait_for out 'Threads started'; sleep 0.5
  >   [ $DB = mysql ] && kill -KILL $pid || kill -INT $pid; wait $client; exited $?
  >   in_range 2 6 $(grep -c "^FATAL" out); grep -c '^General statistics' out; cat err
  >   while server status >env; do sleep 0.05; done; server start >env || cat env; . ./env
  > done
  exit 1
  1
  exit 1
  1
