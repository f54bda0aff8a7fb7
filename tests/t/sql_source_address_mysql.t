More clients than one address has ports for: --source-address, in a network of its own with 16 ports.

  $ . "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ unshare -n true 2>/dev/null && command -v ip >/dev/null || skip 'network namespaces are not permitted, or no ip (iproute2)'

Values that cannot be are refused before a file is opened.

  $ here="--mysql-socket= --mysql-host=127.0.0.1"
  $ refused() { sysbench oltp_point_select "$@" --report-file=a.json run 2>&1 | grep -o '\(Invalid\|--source\).*'; [ ! -e a.json ]; }
  $ refused $here --source-address=127.0.0.1,192.0.2.1
  Invalid value for --source-address: '192.0.2.1' is not an address of this host
  $ refused $here --source-address=eth0
  Invalid value for --source-address: 'eth0' is not an IP address
  $ refused $here --source-address=
  --source-address needs a value
  $ refused --source-address=127.0.0.1
  --source-address=127.0.0.1 needs a TCP connection, and --mysql-host=localhost is none: did you mean --mysql-host=127.0.0.1?
  $ refused --source-address=127.0.0.1 $SB_MYSQL_ARGS | sed 's/mysql-socket=.* is/mysql-socket=PATH is/'
  --source-address=127.0.0.1 needs a TCP connection, and --mysql-socket=PATH is none
A server in that network, for an account that may come from there.

  $ cat >from.lua <<'END'
  > function thread_init()
  >    con = sysbench.sql.driver():connect()
  >    print("from", con:query_row("SELECT substring_index(host, ':', 1) FROM information_schema.processlist WHERE id = connection_id()"))
  > end
  > function event() con:query("SELECT 1") end
  > END
  $ cat >there <<'END'
  > ip link set lo up
  > "$SB_DBSERVER" start --dir="$PWD/db" --prefix=own_ -- --innodb-buffer-pool-size=16M >env || { cat env; exit; }
  > trap '"$SB_DBSERVER" stop --dir="$PWD/db" --remove' EXIT
  > . ./env
  > $(command -v mariadb || command -v mysql) --no-defaults --socket=$own_socket --user="$own_admin" \
  >    --execute="CREATE USER sbtest@'127.0.0.%'; GRANT ALL ON sbtest.* TO sbtest@'127.0.0.%'"
  > args="--mysql-host=127.0.0.1 --mysql-port=$own_port --mysql-user=sbtest --mysql-db=sbtest"
  > sysbench oltp_point_select $own_args --table-size=100 prepare >/dev/null
  > echo "40000 40015" >/proc/sys/net/ipv4/ip_local_port_range
  > echo 1 >/proc/sys/net/ipv4/tcp_tw_reuse
  > for w in 0 1; do
  >    run() { sysbench oltp_point_select $args --threads=24 --events=100 $(carried $w) --report-file=a.json "$@" run >out 2>&1;
  >      exited $?; }
  >    echo "without, $w workers"; run; grep -h '^FATAL: [0-9]\|(99)$' out
  >    sleep 1.5
  >    echo "one address is no more"; run --source-address=127.0.0.2; grep -c '^FATAL: error .*(99)' out
  >    sleep 1.5
  >    echo "two are"; run --source-address=127.0.0.3,127.0.0.4; figure transactions
  >    sleep 1.5
  >    echo "again, on the ports of before"; run --source-address=127.0.0.3,127.0.0.4; figure transactions
  >    sleep 1.5
  >    echo "a run that begins with those that fit"; run --min-clients=8; grep -o 'were refused (error [0-9]*)' out
  > done
  > sysbench from.lua $args --threads=4 --events=400 --source-address=127.0.0.5,127.0.0.6 run | grep '^from' | sort -u
  > END
  $ { echo '. "$TESTDIR/../include/workers.sh"; . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/rate.sh"'; cat there; } >whole
  $ unshare -n sh ./whole 2>&1 | sed -E "s/^FATAL: [0-9]+ more/FATAL: N more/; s/port [0-9]+/port N/"
  without, 0 workers
  exit 1
  FATAL: error 2002: Can't connect to server on '127.0.0.1' (99)
  FATAL: N more clients met error 2002
  one address is no more
  exit 1
  1
  two are
  100
  again, on the ports of before
  100
  a run that begins with those that fit
  were refused (error 2002)
  without, 1 workers
  exit 1
  FATAL: error 2002: Can't connect to server on '127.0.0.1' (99)
  FATAL: N more clients met error 2002
  one address is no more
  exit 1
  1
  two are
  100
  again, on the ports of before
  100
  a run that begins with those that fit
  were refused (error 2002)
  from\t127.0.0.5 (esc)
  from\t127.0.0.6 (esc)
