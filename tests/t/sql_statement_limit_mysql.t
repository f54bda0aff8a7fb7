MySQL's limit of prepared statements: one line, and the clients that it refuses send plain queries.

  $ DB=mysql; . "$TESTDIR/../include/own.sh"; . "$TESTDIR/../include/report.sh"
  $ own_db --port=none -- --max-prepared-stmt-count=12
  $ filled oltp_read_write $args --tables=4 --table-size=100
  $ said() { clients_are 0; sysbench oltp_read_only $args --threads=8 $(carried $w) --events=50 --time=0 --table-size=100 "$@" \
  >   run >out 2>err; exited $?; grep -E '^(FATAL|WARNING)' out | grep -v 'blocked its worker'; cat err; }
  $ for w in 0 1 s; do
  >   said --report-file=a.json; grep -E '^ +(read|other|total number of events):' out | tr -s ' '
  >   n=$(report get a.json summary.connections.plain_queries); in_range 1 8 $n; [ "$(figure 'plain queries')" -eq $n ] || echo not $n
  > done | sort | uniq -c | sed 's/^ *//'
  3  other: 100
  3  read: 700
  3  total number of events: 50
  3 WARNING: The server accepts no more prepared statements (error 1461: Can't create more than max_prepared_stmt_count statements (current value: 12)): clients whose statements it refuses send plain queries instead.

Unless --on-error says what follows.

  $ for w in 0 1; do
  >   said --on-error=statement-limit:fatal | sed -E -e 's/^FATAL: [0-9]+/FATAL: N/' -e 's#[^ ]*/oltp_common.lua:[0-9]+#LUA#'
  > done | sort | uniq -c | sed 's/^ *//'
  2 FATAL: MySQL error: 1461 "Can't create more than max_prepared_stmt_count statements (current value: 12)"
  2 FATAL: N more clients met error 1461
  2 FATAL: Thread initialization failed!
  2 FATAL: `thread_init' function failed: LUA: SQL API error
  2 FATAL: mysql_stmt_prepare() failed
  2 exit 1

Lazy preparation stays below a limit that eager preparation exceeds, until clients come to use all tables.

  $ root "SET GLOBAL max_prepared_stmt_count = 30"
  $ lazily() { clients_are 0; sysbench "$@" --tables=4 $args --table-size=100 --rand-seed=5 run >out 2>err; exited $?; cat err
  > grep -E '^(FATAL|WARNING)' out | grep -v 'blocked its worker' | cut -c 1-62; figure transactions; }
  $ lazily oltp_read_only --threads=2 --events=2
  WARNING: The server accepts no more prepared statements (error
  2
  $ lazily oltp_read_only --threads=2 --events=2 --db-ps-mode=prepare=lazy
  2
  $ lazily oltp_point_select --threads=16 --events=2000 --db-ps-mode=prepare=lazy
  WARNING: The server accepts no more prepared statements (error
  2000
